"""The best single split of a set."""

from oddlearn.kernels.sorted_sets cimport Frame, Items

cdef enum:
    MAX_CLASSES = 64

# a split: the negative side has ranks up to `rank`
cdef struct Stump:
    double cost
    int feature
    int rank

cdef Stump best_stump(const Items* items, const Frame* frame) noexcept nogil
