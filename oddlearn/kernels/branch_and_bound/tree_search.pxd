"""The optimal tree with a price per level, for any set of rows."""

from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitBound, TreeSolver

cdef double solve_tree(TreeSolver* solver, int level, double cutoff, SplitBound* best, int* exact) noexcept nogil
cdef double pass_through(TreeSolver* solver, int level, double cutoff, int* exact) noexcept nogil
cdef double search_splits(TreeSolver* solver, int level, double cutoff, SplitBound* best) noexcept nogil
