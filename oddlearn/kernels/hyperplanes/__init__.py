"""Kernels of the proofs for hyperplanes: rows that none separates, the best line in a plane."""
