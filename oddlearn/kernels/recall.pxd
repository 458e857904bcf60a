"""What was proved of sets of items, found again by their prints."""

from oddlearn.kernels.sorted_sets cimport Print

cdef struct Entry:
    Print first_print, second_print
    double bound
    int below                  # what was allowed below the set: see `Forest`; 0: the entry is empty
    int exact                  # the bound is the value
    int feature                # the cut of the best tree, if exact; -1: a leaf
    int rank

cdef struct Recall:
    Entry* entries
    Print mask

cdef Recall* new_recall(int log_size) noexcept nogil
cdef void free_recall(Recall* recall) noexcept nogil
cdef void forget(Recall* recall) noexcept nogil
cdef const Entry* remembered(const Recall* recall, Print first, Print second, int below) noexcept nogil
cdef void remember(Recall* recall, const Entry* news) noexcept nogil
