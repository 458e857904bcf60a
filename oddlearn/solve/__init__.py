"""Solvers: everything that improves the incumbent or the bounds of a training problem."""
