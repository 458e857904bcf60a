"""Sets of rows with all their splits: what the search for trees without a depth limit works on."""

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES

ctypedef unsigned long long Hash
ctypedef long long Cost

cpdef enum:                    # what an ablation may turn off: bits of PriceProblem.disabled
    BOUND_CACHE = 1
    MONOTONE_BOUNDS = 2
    LIPSCHITZ_BOUNDS = 4
    MIN_SUPPORT = 8
    BUDGET_SLACK = 16
    PARENT_BOUNDS = 32
    COLUMN_SKIP = 64
    SIMILAR_SETS = 128
    TWO_NODES = 256
    CLASS_BOUNDS = 512

cdef extern from "packed_table.h" nogil:
    ctypedef struct BitTable:
        long words, n_planes, n_thresholds, n_classes
        int has_base_planes
        const Hash* column         # (words, n_thresholds)
        const int* plane_class     # (n_planes,): n_classes for bits of the bases
        const int* plane_weight    # (n_planes,): of the bit

# The rows of a problem as items, with integer costs; see row_sets.pxd. Every item has a base or a gain above 0.
cdef struct PriceProblem:
    Py_ssize_t n, d            # items, features
    int n_classes
    unsigned int disabled      # what is turned off, for an ablation
    const int* rank            # (d, n)
    const int* order           # (d, n)
    const int* label           # (n,)
    const Cost* gain           # (n,)
    const Cost* base           # (n,)
    const int* signed_gain     # (n,): two classes, gain of class 0 or minus that of class 1, in units; else NULL
    const Hash* first_hash     # (n,)
    const Hash* second_hash
    Cost unit                  # all gains and bases are multiples of it
    Cost price                 # of a node
    # sets as bits, see packed_sets; words is 0 where sets are lists of items
    Py_ssize_t words, n_planes
    BitTable table             # the same, and the thresholds, as vector code reads them
    const Hash* below          # (n_thresholds, words): items at or below a threshold
    const int* threshold_rank  # (n_thresholds,): last rank below
    const int* counting        # 0, 1, ... as far as there are thresholds or features
    const int* first_threshold # (d + 1,): those of each feature
    const Hash* plane          # (n_planes, words): items of a class whose gain has a certain bit
    const Hash* hash_table     # (16 * words, 16, 2): hashes of four items each

# A set of items in the order of each feature that varies in it, and all splits of these features. The splits of
# active feature a are first_split[a] to first_split[a + 1] - 1, in their order; side 0 is the negative one.
cdef struct PriceSet:
    Py_ssize_t n, n_active, n_splits
    int* item                  # (n_active, n)
    int* active                # (n_active,): features
    int* parent_place          # (n_active,): place of the feature among the active ones of the set above
    int* first_split           # (n_active + 1,)
    Cost* least                # (n_active,): least bound of a split of the feature; scratch of the search
    int* position              # (n_splits,): items on the negative side
    Cost* weight               # (n_splits,): base of the negative side
    Cost* leaf[2]              # (n_splits,): cost of a side as a leaf
    Cost* lower[2]             # (n_splits,): lower bound on the cost of the best tree of a side
    Hash* first_hash           # (n_splits,): of the negative side
    Hash* second_hash
    Cost base, leaf_cost, stump_cost   # of all items; the best stump without its price
    int stump                  # its split, -1: none
    Hash all_first_hash, all_second_hash
    # sets as bits: no items, and numbers of items are weights in units
    Hash* bits                 # (words,)
    Hash* plane                # (n_planes, words): planes of the problem within the set
    Hash* side_plane           # (n_planes, words): scratch
    int* threshold             # (n_splits,)
    int* total                 # (n_classes + 1, n_thresholds): gains of each class below each threshold; the weight
    int* side_total            # the same: scratch
    long long* count           # (2 * n_thresholds,): scratch
    int* split_of_parent       # (splits of the set above,): the split that divides this set alike, or -1
    int all_total[MAX_CLASSES + 1]
    void* memory
    size_t capacity            # bytes

cdef size_t count_bytes(const PriceProblem* problem, Py_ssize_t n, Py_ssize_t n_active, Py_ssize_t n_splits) noexcept nogil
cdef void point_into(const PriceProblem* problem, PriceSet* rows, Py_ssize_t n, Py_ssize_t n_active,
                     Py_ssize_t n_splits) noexcept nogil
cdef Py_ssize_t count_splits(const PriceProblem* problem) noexcept nogil
cdef void fill_with_all_items(const PriceProblem* problem, PriceSet* rows) noexcept nogil
cdef void fill_with_split_side(const PriceProblem* problem, const PriceSet* parent, const unsigned char* is_in,
                               Py_ssize_t n, PriceSet* child) noexcept nogil
cdef void mark_split_side(const PriceSet* parent, Py_ssize_t place, int split, bint positive,
                          unsigned char* is_in) noexcept nogil


cdef inline Cost least_cost(const PriceProblem* problem, Cost base, Cost saved, Cost largest) noexcept nogil:
    """Return a lower bound on the best tree of a set: a leaf, or a node for each class but one that its leaves predict.

    A class that no leaf predicts costs its gain, and each leaf predicts one class. ``saved`` is the sum over the classes of
    what their gains are above the price of a node; it serves two classes and more.
    """
    return max(base - saved - min(problem.price, largest), min(base - largest, problem.price))


cdef inline Cost above_price(const PriceProblem* problem, Cost gain) noexcept nogil:
    """Return what a class saves if a leaf predicts it, after the price of a node."""
    return max(gain - problem.price, 0) if not problem.disabled & CLASS_BOUNDS else gain


cdef inline Py_ssize_t find_place(const PriceSet* rows, int split) noexcept nogil:
    """Return the place of the active feature that a split belongs to."""
    cdef Py_ssize_t place = 0
    while rows.first_split[place + 1] <= split:
        place += 1
    return place
