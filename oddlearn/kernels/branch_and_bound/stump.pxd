"""The best single split of a set."""

from oddlearn.kernels.branch_and_bound.row_sets cimport ItemArrays, RowSet

# A split: the negative side has ranks up to `rank`.
cdef struct Stump:
    double cost
    int feature
    int rank

cdef Stump find_best_stump(const ItemArrays* items, const RowSet* rows) noexcept nogil
