"""Solvers, and the loop that runs them."""
