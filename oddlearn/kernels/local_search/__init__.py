"""The kernels of the local search."""
