"""Sets of items, each sorted by every feature: what the exact search for trees and diagrams works on."""

ctypedef unsigned long long Print

cdef struct Items:
    # an item is a row's gain from one class: what the row saves on its dearest class by getting this one
    Py_ssize_t n, d
    int classes
    const int* rank            # (d, n): place of the row's value among the distinct values
    const int* order           # (d, n): items in the order of the feature
    const int* label           # (n,): class
    const double* gain         # (n,)
    const double* base         # (n,): largest cost of the row at its first item, 0 at its others
    const Print* first_print   # (n,): random words, a set's print is their exclusive or
    const Print* second_print

cdef struct Frame:
    Py_ssize_t n, n_active
    int* item                  # (d, n): the set in the order of each active feature
    unsigned char* edge        # (d, n): a stump may cut after this place
    int* big                   # (d, 2): the largest group of equal values
    int* active                # (n_active,): features that vary
    double* total              # (classes,): gains
    double base
    Print first_print, second_print
    Print* bits                # one for each of all items: which are in the set
    # the cuts of one feature, and sums over what lies before each
    Py_ssize_t n_cuts
    int* cut_rank
    double* cut_base
    double* cut_total          # (cuts, classes)
    Print* cut_first
    Print* cut_second

cdef Frame* new_frame(const Items* items) noexcept nogil
cdef void free_frame(Frame* frame) noexcept nogil
cdef void fill_with_all(const Items* items, Frame* frame) noexcept nogil
cdef void fill_with_side(const Items* items, const Frame* parent, Py_ssize_t feature, int rank, bint positive,
                         Frame* child) noexcept nogil
cdef void mark_side(const Items* items, const Frame* parent, Py_ssize_t feature, int rank, bint positive,
                    Frame* child) noexcept nogil
cdef void fill_with_group(const Items* items, const Frame* whole, const int* member, int group,
                          Frame* child) noexcept nogil
cdef void mark_group(const Items* items, const int* member, int group, Frame* child) noexcept nogil
cdef void list_cuts(const Items* items, Frame* frame, Py_ssize_t feature) noexcept nogil
cdef double keep_best_cuts(const Items* items, Frame* frame, bint single, double most) noexcept nogil
cdef double leaf_cost(const Items* items, const Frame* frame) noexcept nogil
cdef double negative_leaf(const Items* items, const Frame* frame, Py_ssize_t cut) noexcept nogil
cdef double positive_leaf(const Items* items, const Frame* frame, Py_ssize_t cut) noexcept nogil
