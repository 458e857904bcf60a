"""Large tables by parts: their rows stay in memory, in files or in Dask collections, and are passed over."""
