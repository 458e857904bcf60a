"""Trees of two levels: splits with stumps on their sides, many of them at once."""

from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitBound, TreeSolver

cdef double search_two_levels(TreeSolver* solver, int level, Py_ssize_t feature, double* best,
                              SplitBound* kept) noexcept nogil
cdef double list_open_splits(TreeSolver* solver, int level, Py_ssize_t feature, double cutoff) noexcept nogil
cdef bint has_few_splits(TreeSolver* solver, int level, double cutoff) noexcept nogil
cdef double search_few_splits(TreeSolver* solver, int level, double* best, SplitBound* kept) noexcept nogil
