"""Large tables: candidates from samples, improved on all rows by histograms."""
