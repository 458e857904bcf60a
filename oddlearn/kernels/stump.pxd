"""The best single split of a set, or of what lies on one side of a cut, with the margin kept."""

from oddlearn.kernels.sorted_sets cimport Frame, Items

cdef enum:
    MOST_CLASSES = 64
    BOTH_SIDES = 2

# a split: the negative side has ranks up to `rank`
cdef struct Stump:
    double cost
    int feature
    int rank

cdef Stump best_stump(const Items* items, const Frame* frame, Py_ssize_t feature, int rank, int side,
                      double enough) noexcept nogil
