"""Sets of rows, each sorted by every feature: what the exact search for trees and diagrams works on."""

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES
from oddlearn.kernels.common.arena cimport Arena

ctypedef unsigned long long Hash

cpdef enum:                    # what an ablation may turn off: bits of ItemArrays.disabled
    TRANSPOSITION_TABLE = 1
    SIMILARITY_CACHE = 2
    DOMINATED_SPLITS = 4
    SHARED_BATCHES = 8
    PAIRED_STUMPS = 16
    CANDIDATES = 32
    LARGEST_TIE = 64
    NEIGHBOUR_BOUNDS = 128
    RANGE_BOUNDS = 256
    WHOLE_TWO_LEVELS = 512
    CLASS_BOUNDS = 1024

# The rows of a problem, as items: an item is what a row saves, compared with its costliest class, if it gets one class.
cdef struct ItemArrays:
    Py_ssize_t n, d            # items, features
    int n_classes
    unsigned int disabled      # what is turned off, for an ablation
    const int* rank            # (d, n): rank of the row's value among the distinct values of the feature
    const int* order           # (d, n): items in the order of the feature
    const int* label           # (n,): class
    const double* gain         # (n,)
    const double* base         # (n,): largest cost of the row at its first item, 0 at its others
    const Hash* first_hash     # (n,): random words; the hash of a set is the exclusive or of its items' words
    const Hash* second_hash

# A set of items, and a list of splits of one of its features. A set costs `base` less the gains of its items.
cdef struct RowSet:
    Py_ssize_t n, n_active
    int* item                  # (d, n): the set in the order of each active feature
    unsigned char* is_candidate  # (d, n): a stump may split after this position
    int* largest_tie           # (d, 2): first position of the largest group of equal values, and its end
    int* active                # (n_active,): features that vary within the set
    double* total              # (n_classes,): gains
    double base
    Hash first_hash, second_hash
    Hash* bits                 # one for each of all items: 1 if it is in the set
    # the listed splits of one feature, and sums over the negative side of each
    Py_ssize_t n_splits
    int* split_rank            # largest rank of the negative side
    double* split_base
    double* split_total        # (splits, n_classes)
    Hash* split_first_hash
    Hash* split_second_hash

cdef void lay_out_row_set(const ItemArrays* items, RowSet* rows, Arena* arena) noexcept nogil
cdef void fill_with_all(const ItemArrays* items, RowSet* rows) noexcept nogil
cdef void fill_with_side(const ItemArrays* items, const RowSet* parent, Py_ssize_t feature, int rank, bint positive,
                         RowSet* child) noexcept nogil
cdef void mark_side(const ItemArrays* items, const RowSet* parent, Py_ssize_t feature, int rank, bint positive,
                    RowSet* child) noexcept nogil
cdef void fill_with_node(const ItemArrays* items, const RowSet* all_rows, const int* node_of, int node,
                         RowSet* child) noexcept nogil
cdef void mark_node(const ItemArrays* items, const int* node_of, int node, RowSet* child) noexcept nogil


cdef inline double best_saving(const double* total, const double* subtracted, int n_classes, int n_leaves,
                               double price) noexcept nogil:
    """Return what a tree saves at most: each leaf predicts one class, and all leaves but one cost a node.

    The gain of class c is ``total[c] - subtracted[c]``; ``subtracted`` may be NULL.
    """
    cdef double largest[MAX_CLASSES]       # descending
    cdef double gain, saving
    cdef int c, k
    largest[0] = 0
    for k in range(1, n_leaves):
        largest[k] = 0
    for c in range(n_classes):
        gain = total[c] - (subtracted[c] if subtracted != NULL else 0)
        k = n_leaves - 1
        if gain <= largest[k]:
            continue
        while k and largest[k - 1] < gain:
            largest[k] = largest[k - 1]
            k -= 1
        largest[k] = gain
    saving = largest[0]
    for k in range(1, n_leaves):
        saving += max(0.0, largest[k] - price)
    return saving


cdef inline double leaf_cost(const ItemArrays* items, const RowSet* rows) noexcept nogil:
    """Return the cost of the set if all of it gets its best class."""
    cdef double largest = 0
    cdef int c
    for c in range(items.n_classes):
        if rows.total[c] > largest:
            largest = rows.total[c]
    return rows.base - largest


cdef inline double negative_leaf(const ItemArrays* items, const RowSet* rows, Py_ssize_t split) noexcept nogil:
    """Return the cost of the negative side of a listed split if it gets its best class."""
    cdef const double* total = rows.split_total + split * items.n_classes
    cdef double largest = 0
    cdef int c
    for c in range(items.n_classes):
        if total[c] > largest:
            largest = total[c]
    return rows.split_base[split] - largest


cdef inline double positive_leaf(const ItemArrays* items, const RowSet* rows, Py_ssize_t split) noexcept nogil:
    """Return the cost of the positive side of a listed split if it gets its best class."""
    cdef const double* total = rows.split_total + split * items.n_classes
    cdef double largest = 0
    cdef int c
    for c in range(items.n_classes):
        if rows.total[c] - total[c] > largest:
            largest = rows.total[c] - total[c]
    return rows.base - rows.split_base[split] - largest
