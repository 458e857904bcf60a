"""Ties between trees, broken by a fixed order."""

from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitBound, TreeSolver

cdef int find_first_rank(TreeSolver* solver, int level, const SplitBound* best, double value) noexcept nogil
