"""Sets of rows as bits, where columns have few values: each threshold is a set of bits, too.

The gains of a class are planes of bits: plane by plane, the items of a set at or below a threshold are counted 64 at a
time. So all splits of a set, and the stumps on both sides of a split, take O(thresholds x planes x rows / 64), and
nothing is sorted or copied. Weights are in units here: n and position are weights, not numbers of items.
"""

from libc.string cimport memcpy, memset

from oddlearn.kernels.branch_and_bound.price_sets cimport BitTable, above_price, least_cost
from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES

cdef extern from "packed_scan.h" nogil:
    void sum_below(const BitTable* table, const Hash* plane, long long* count, int* total)
    void best_stumps(const BitTable* table, const int* both, const int* stump, const int* split, const int* all,
                     int* largest, int* best)


cdef double count_packed_work(const PriceProblem* problem) noexcept nogil:
    """Return the work of summing up all thresholds once, and of what else a split needs."""
    return <double>(600 + problem.table.n_thresholds * (problem.n_planes * problem.words + 4 * problem.n_classes))


cdef void fill_with_all_bits(const PriceProblem* problem, PriceSet* rows) noexcept nogil:
    """Fill the set with all items."""
    cdef Py_ssize_t i
    memset(rows.bits, 0, problem.words * sizeof(Hash))
    memset(rows.all_total, 0, sizeof(rows.all_total))
    memcpy(rows.plane, problem.plane, problem.n_planes * problem.words * sizeof(Hash))
    for i in range(problem.n):
        rows.bits[i >> 6] |= <Hash>1 << (i & 63)
        rows.all_total[problem.label[i]] += <int>(problem.gain[i] // problem.unit)
        rows.all_total[problem.n_classes] += <int>(problem.base[i] // problem.unit)
    list_packed_splits(problem, rows, problem.counting, problem.first_threshold, problem.counting, problem.d)


cdef void take_side_bits(const PriceProblem* problem, const PriceSet* rows, int split, bint positive,
                         Hash* bits) noexcept nogil:
    """Set the bits to those of one side of a split."""
    cdef const Hash* below = problem.below + rows.threshold[split] * problem.words
    cdef Hash flip = <Hash>0 - <Hash>positive
    cdef Py_ssize_t w
    for w in range(problem.words):
        bits[w] = rows.bits[w] & (below[w] ^ flip)


cdef void fill_with_side_bits(const PriceProblem* problem, const PriceSet* parent, int split, bint positive,
                              PriceSet* child) noexcept nogil:
    """Fill the child with one side of a split of the parent."""
    cdef Py_ssize_t p, w, words = problem.words
    cdef int c, below
    take_side_bits(problem, parent, split, positive, child.bits)
    for p in range(problem.n_planes):
        for w in range(words):
            child.plane[p * words + w] = parent.plane[p * words + w] & child.bits[w]
    for c in range(problem.n_classes + 1):
        below = parent.total[c * problem.table.n_thresholds + parent.threshold[split]]
        child.all_total[c] = parent.all_total[c] - below if positive else below
    list_packed_splits(problem, child, parent.threshold, parent.first_split, parent.active, parent.n_active)


cdef void list_packed_splits(const PriceProblem* problem, PriceSet* rows, const int* threshold, const int* first,
                             const int* active, Py_ssize_t n_active) noexcept nogil:
    """List the splits among some thresholds, those that divide the set differently, and sum up the set."""
    cdef Py_ssize_t a, s, n_splits = 0
    cdef const int* weights = rows.total + problem.n_classes * problem.table.n_thresholds
    cdef int weight, last, all_weight = rows.all_total[problem.n_classes]
    sum_below(&problem.table, rows.plane, rows.count, rows.total)
    rows.n_active = 0
    for a in range(n_active):
        rows.first_split[rows.n_active] = <int>n_splits
        last = 0
        for s in range(first[a], first[a + 1]):
            weight = weights[threshold[s]]
            if weight == 0 or weight == all_weight:
                rows.split_of_parent[s] = -1
                continue
            if weight > last:
                rows.threshold[n_splits], rows.position[n_splits] = threshold[s], weight
                n_splits += 1
            rows.split_of_parent[s] = <int>n_splits - 1
            last = weight
        if last:
            rows.active[rows.n_active], rows.parent_place[rows.n_active] = active[a], <int>a
            rows.n_active += 1
    rows.n_splits, rows.first_split[rows.n_active] = n_splits, <int>n_splits
    cost_packed_leaves(problem, rows)


cdef void cost_packed_leaves(const PriceProblem* problem, PriceSet* rows) noexcept nogil:
    """Compute leaves, first bounds, weights and the best stump of a set from its totals."""
    cdef Py_ssize_t s, n_thresholds = problem.table.n_thresholds
    cdef const int* total
    cdef const int* all_total = rows.all_total
    cdef int negative, positive = 0, below, c
    cdef Cost unit = problem.unit, cost
    cdef Cost saved[2]
    rows.n = all_total[problem.n_classes]
    for c in range(problem.n_classes):
        positive = max(positive, all_total[c])
    rows.base = rows.n * unit
    rows.leaf_cost = rows.base - positive * unit
    rows.stump, rows.stump_cost = -1, rows.leaf_cost
    for s in range(rows.n_splits):
        total = rows.total + rows.threshold[s]
        negative = positive = 0
        saved[0] = saved[1] = 0
        for c in range(problem.n_classes):
            below = total[c * n_thresholds]
            negative = max(negative, below)
            positive = max(positive, all_total[c] - below)
            saved[0] += above_price(problem, below * unit)
            saved[1] += above_price(problem, (all_total[c] - below) * unit)
        rows.weight[s] = rows.position[s] * unit
        rows.leaf[0][s] = (rows.position[s] - negative) * unit
        rows.leaf[1][s] = (rows.n - rows.position[s] - positive) * unit
        rows.lower[0][s] = least_cost(problem, rows.weight[s], saved[0], negative * unit)
        rows.lower[1][s] = least_cost(problem, rows.base - rows.weight[s], saved[1], positive * unit)
        cost = rows.leaf[0][s] + rows.leaf[1][s]
        if rows.stump < 0 or cost < rows.stump_cost:
            rows.stump, rows.stump_cost = <int>s, cost


cdef void hash_side(const PriceProblem* problem, const PriceSet* rows, int split, bint positive,
                    Hash* hashes) noexcept nogil:
    """Compute both hashes of one side of a split: four items at a time."""
    cdef const Hash* below = problem.below + rows.threshold[split] * problem.words
    cdef const Hash* table = problem.hash_table
    cdef Hash flip = <Hash>0 - <Hash>positive, word, first = 0, second = 0
    cdef Py_ssize_t w, k, place
    for w in range(problem.words):
        word = rows.bits[w] & (below[w] ^ flip)
        k = 16 * w
        while word:
            place = 2 * (16 * k + <Py_ssize_t>(word & 15))
            first ^= table[place]
            second ^= table[place + 1]
            word >>= 4
            k += 1
    hashes[0], hashes[1] = first, second


cdef void raise_packed_bounds(const PriceProblem* problem, const PriceSet* superset, PriceSet* rows) noexcept nogil:
    """Raise bounds by those of the set above: see `raise_by_superset`; Q is the difference of two totals."""
    cdef Py_ssize_t s, n_thresholds = problem.table.n_thresholds, place
    cdef int split, c, difference, negative, positive, all_weight, weight
    all_weight = superset.all_total[problem.n_classes] - rows.all_total[problem.n_classes]
    for s in range(superset.n_splits):
        split = rows.split_of_parent[s]
        if split < 0:
            continue
        negative = positive = 0
        place = superset.threshold[s]
        for c in range(problem.n_classes):
            difference = superset.total[place] - rows.total[place]
            negative = max(negative, difference)
            positive = max(positive, superset.all_total[c] - rows.all_total[c] - difference)
            place += n_thresholds
        weight = superset.position[s] - rows.position[split]
        rows.lower[0][split] = max(rows.lower[0][split], superset.lower[0][s] - add_rows(problem, weight, negative))
        rows.lower[1][split] = max(rows.lower[1][split], superset.lower[1][s]
                                   - add_rows(problem, all_weight - weight, positive))


cdef inline Cost add_rows(const PriceProblem* problem, int weight, int largest) noexcept nogil:
    """Return what rows add to the cost of a tree at most: their weight, or a node and a leaf for them."""
    return min(weight * problem.unit, problem.price + (weight - largest) * problem.unit)


cdef void find_packed_stumps(const PriceProblem* problem, PriceSet* rows, int split, Cost* least) noexcept nogil:
    """Lower ``least`` to the cost of the best stump of each side of a split, if that is less."""
    cdef Py_ssize_t p, w, words = problem.words
    cdef const Hash* below = problem.below + rows.threshold[split] * words
    cdef int total[MAX_CLASSES]
    cdef int best[2]
    cdef int c
    for p in range(problem.n_planes):
        for w in range(words):
            rows.side_plane[p * words + w] = rows.plane[p * words + w] & below[w]
    for c in range(problem.n_classes):
        total[c] = rows.total[c * problem.table.n_thresholds + rows.threshold[split]]
    sum_below(&problem.table, rows.side_plane, rows.count, rows.side_total)
    best_stumps(&problem.table, rows.side_total, rows.total, total, rows.all_total, <int*>rows.count, best)
    least[0] = min(least[0], (rows.position[split] - best[0]) * problem.unit)
    least[1] = min(least[1], (rows.n - rows.position[split] - best[1]) * problem.unit)
