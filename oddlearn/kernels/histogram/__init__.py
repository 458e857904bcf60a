"""Kernels of large tables: bins of one byte, sums of costs by bin."""
