"""The optimal tree with a price per level, for any set of rows."""

from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitBound, TreeSolver

# the side of a split that must be a leaf
cdef enum:
    NEGATIVE_LEAF
    POSITIVE_LEAF
    NO_LEAF

cdef double solve_tree(TreeSolver* solver, int level, double cutoff, SplitBound* best, int* exact) noexcept nogil
cdef double pass_through(TreeSolver* solver, int level, double cutoff, int* exact) noexcept nogil
cdef double search_splits(TreeSolver* solver, int level, double cutoff, SplitBound* best) noexcept nogil
cdef bint bound_both_sides(TreeSolver* solver, int level, Py_ssize_t feature, int q, int leaf_side, double best,
                           SplitBound* split) noexcept nogil
