"""Bounds of sets of items that were solved of late: they bound sets that are similar."""

from oddlearn.kernels.sorted_sets cimport Frame, Items, Print

cdef struct Archive:
    Py_ssize_t words           # of a set's bits
    int n, next                # sets there are, and the place of the next one
    int latest                 # place of the set that was similar last
    double unit                # the largest cost of every item's row if they are all equal, else 0
    Print* bits                # (ROOM, words)
    double* bound
    double* base               # (ROOM,): largest costs of all rows of the set
    int* below                 # (ROOM,): what was allowed below the set: see `Forest`

cdef Archive* new_archive(const Items* items) noexcept nogil
cdef void free_archive(Archive* archive) noexcept nogil
cdef void empty(Archive* archive) noexcept nogil
cdef void file(Archive* archive, const Frame* frame, int below, double bound) noexcept nogil
cdef double bound_by_similar(Archive* archive, const Items* items, const Frame* frame, int below,
                             double cutoff) noexcept nogil
