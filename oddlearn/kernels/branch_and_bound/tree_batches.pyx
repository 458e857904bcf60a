"""Trees of two levels: splits with stumps on their sides, in batches of as many as vectors have lanes.

A batch costs O(rows x active features) for 16, 8 or 4 splits. The sides of two scored splits bound all splits of the
feature in between, and a split that is worse than the best rules out its neighbours until rows worth the difference
have changed sides.
"""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES, MAX_LANES
from oddlearn.kernels.branch_and_bound.row_sets cimport (
    NEIGHBOUR_BOUNDS, RANGE_BOUNDS, SHARED_BATCHES, ItemArrays, RowSet, negative_leaf, positive_leaf,
)
from oddlearn.kernels.branch_and_bound.split_lists cimport (
    drop_costly_splits, drop_dominated_splits, first_open_after, last_open_before, list_splits,
)
from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitRange, TreeStructure, count_work, is_late, record_split

cdef extern from "paired_stumps.h" nogil:
    ctypedef struct SortedRows:
        const int* item
        const unsigned char* is_candidate
        const int* active
        const int* largest_tie
        long n_active, n, stride
    void find_paired_stumps(int kind, int n_classes, const SortedRows* rows, const void* signed_gain, const void* gain,
                            const int* label, const int** rank, const int* split, void* side, const double* total,
                            const double* total_negative, double* gain_negative, double* gain_positive)

cdef enum:
    # per feature: with more, bounds along each feature save more than batches that features share. Where one side
    # must be a leaf, few splits are left of many, and bounds save less
    FEW_SPLITS = 3
    FEW_SPLITS_WITH_LEAF = 12

# Splits that are scored together, one per vector lane.
cdef struct SplitBatch:
    int n
    int split[MAX_LANES]               # place in the list of splits, if all are of one feature
    int range[MAX_LANES]               # the range it was chosen from
    int feature[MAX_LANES]
    int rank[MAX_LANES]
    double base[MAX_LANES]             # of the negative side
    double total[MAX_LANES * MAX_CLASSES]
    double negative_leaf[MAX_LANES]
    double positive_leaf[MAX_LANES]
    # results: costs of the sides, and the value
    double negative[MAX_LANES]
    double positive[MAX_LANES]
    double value[MAX_LANES]


cdef double search_two_levels(TreeSolver* solver, int level, Py_ssize_t feature, double* best,
                              SplitBound* kept) noexcept nogil:
    """Bound the listed splits of a feature where stumps lie below, batch by batch until none is open."""
    cdef SplitRange* old = solver.ranges[0]
    cdef SplitRange* new = solver.ranges[1]
    cdef SplitRange* swap
    cdef SplitBatch batch
    cdef double out = INFINITY
    cdef int n_old = 1, n_new, j, k, before
    old[0].first, old[0].last, old[0].negative, old[0].positive = 0, <int>solver.rows[level].n_splits - 1, 0, 0
    while n_old:
        select_batch(old, n_old, solver.lanes.n_lanes, &batch)
        for k in range(batch.n):
            load_lane(solver, level, feature, batch.split[k], k, &batch)
        score_batch(solver, level, &batch)
        out = min(out, accept_batch(solver, level, &batch, best, kept))
        n_new = k = 0
        for j in range(n_old):
            before = -1
            while k < batch.n and batch.range[k] == j:
                n_new += shrink_range(solver, level, &batch, old + j, before, k, best[0], &out, new + n_new)
                before = k
                k += 1
            n_new += shrink_range(solver, level, &batch, old + j, before, -1, best[0], &out, new + n_new)
        n_old = n_new
        swap = old
        old = new
        new = swap
    return out


cdef void select_batch(const SplitRange* ranges, int n, int n_lanes, SplitBatch* batch) noexcept nogil:
    """Select the splits of a batch, spread evenly over all that are open."""
    cdef Py_ssize_t n_open = 0, passed = 0, place
    cdef int j, k
    for j in range(n):
        n_open += ranges[j].last - ranges[j].first + 1
    batch.n = <int>min(n_open, n_lanes)
    j = 0
    for k in range(batch.n):
        place = (2 * k + 1) * n_open // (2 * batch.n)
        while place >= passed + ranges[j].last - ranges[j].first + 1:
            passed += ranges[j].last - ranges[j].first + 1
            j += 1
        batch.split[k] = <int>(ranges[j].first + place - passed)
        batch.range[k] = j


cdef void load_lane(TreeSolver* solver, int level, Py_ssize_t feature, Py_ssize_t split, int lane,
                    SplitBatch* batch) noexcept nogil:
    """Load a listed split of a feature into a lane."""
    cdef const ItemArrays* items = &solver.items
    cdef const RowSet* rows = &solver.rows[level]
    batch.feature[lane] = <int>feature
    batch.rank[lane] = rows.split_rank[split]
    batch.base[lane] = rows.split_base[split]
    batch.negative_leaf[lane] = negative_leaf(items, rows, split)
    batch.positive_leaf[lane] = positive_leaf(items, rows, split)
    memcpy(batch.total + lane * items.n_classes, rows.split_total + split * items.n_classes,
           items.n_classes * sizeof(double))


cdef void score_batch(TreeSolver* solver, int level, SplitBatch* batch) noexcept nogil:
    """Compute the best stumps on both sides of the splits of a batch, and the splits' values."""
    cdef const RowSet* rows = &solver.rows[level]
    cdef double price = solver.structure.price[level], lower_price = solver.structure.price[level + 1]
    cdef double gain_negative[MAX_LANES]
    cdef double gain_positive[MAX_LANES]
    cdef int k
    run_lanes(solver, rows, batch, gain_negative, gain_positive)
    solver.sweeps += 1
    count_work(solver, rows, 2.0)
    for k in range(batch.n):
        batch.negative[k] = min(batch.negative_leaf[k], lower_price + batch.base[k] - gain_negative[k])
        batch.positive[k] = min(batch.positive_leaf[k], lower_price + rows.base - batch.base[k] - gain_positive[k])
        batch.value[k] = price + sum_sides(solver, level, batch, k)


cdef void run_lanes(TreeSolver* solver, const RowSet* rows, SplitBatch* batch, double* gain_negative,
                    double* gain_positive) noexcept nogil:
    """Call the vector code; lanes without a split repeat the first one."""
    cdef const ItemArrays* items = &solver.items
    cdef const int* ranks[MAX_LANES]
    cdef SortedRows sorted_rows
    cdef int k
    for k in range(batch.n, solver.lanes.n_lanes):
        batch.feature[k], batch.rank[k] = batch.feature[0], batch.rank[0]
        memcpy(batch.total + k * items.n_classes, batch.total, items.n_classes * sizeof(double))
    for k in range(solver.lanes.n_lanes):
        ranks[k] = items.rank + batch.feature[k] * items.n
    sorted_rows.item, sorted_rows.is_candidate = rows.item, rows.is_candidate
    sorted_rows.active, sorted_rows.n_active = rows.active, rows.n_active
    sorted_rows.largest_tie, sorted_rows.n, sorted_rows.stride = rows.largest_tie, rows.n, items.n
    find_paired_stumps(solver.lanes.kind, items.n_classes, &sorted_rows, solver.lanes.signed_gain, solver.lanes.gain,
                       items.label, ranks, batch.rank, solver.lanes.side, rows.total, batch.total, gain_negative,
                       gain_positive)


cdef double sum_sides(TreeSolver* solver, int level, const SplitBatch* batch, int k) noexcept nogil:
    """Return the cost of both sides of a split, one of which must be a leaf if the level below has one child."""
    if solver.structure.max_one_child[level + 1]:
        return min(batch.negative[k] + batch.positive_leaf[k], batch.negative_leaf[k] + batch.positive[k])
    return batch.negative[k] + batch.positive[k]


cdef double accept_batch(TreeSolver* solver, int level, const SplitBatch* batch, double* best,
                         SplitBound* kept) noexcept nogil:
    """Record the splits of a batch that are better than the best; return the least value."""
    cdef double out = INFINITY
    cdef SplitBound split
    cdef int k
    for k in range(batch.n):
        out = min(out, batch.value[k])
        if batch.value[k] < best[0] - solver.tolerance:
            split.value, split.feature, split.rank = batch.value[k], batch.feature[k], batch.rank[k]
            split.negative, split.positive = batch.negative[k], batch.positive[k]
            record_split(solver, level, &split, best, kept)
    return out


cdef int shrink_range(TreeSolver* solver, int level, const SplitBatch* batch, const SplitRange* old, int before,
                      int after, double best, double* out, SplitRange* kept) noexcept nogil:
    """Shrink the range between two scored splits (-1: an end of the old range); return 1 if any split is left."""
    cdef const RowSet* rows = &solver.rows[level]
    cdef int first = old.first if before < 0 else batch.split[before] + 1
    cdef int last = old.last if after < 0 else batch.split[after] - 1
    cdef double negative = old.negative, positive = old.positive, bound, cutoff = best - solver.tolerance
    if first > last:
        return 0
    if before >= 0 and not solver.items.disabled & RANGE_BOUNDS:
        negative = max(negative, batch.negative[before])
    if after >= 0 and not solver.items.disabled & RANGE_BOUNDS:
        positive = max(positive, batch.positive[after])
    if solver.structure.max_one_child[level + 1]:
        bound = min(negative + positive_leaf(&solver.items, rows, last),
                    negative_leaf(&solver.items, rows, first) + positive)
    else:
        bound = negative + positive
    bound += solver.structure.price[level]
    if bound >= cutoff:
        out[0] = min(out[0], bound)
        return 0
    if before >= 0 and not solver.items.disabled & NEIGHBOUR_BOUNDS:
        first = first_open_after(rows, batch.split[before], last, batch.value[before], cutoff, out)
    if after >= 0 and not solver.items.disabled & NEIGHBOUR_BOUNDS:
        last = last_open_before(rows, batch.split[after], first, batch.value[after], cutoff, out)
    kept.first, kept.last, kept.negative, kept.positive = first, last, negative, positive
    return first <= last


cdef double list_open_splits(TreeSolver* solver, int level, Py_ssize_t feature, double cutoff) noexcept nogil:
    """List the splits of a feature that may be below the cutoff; return the least bound of those that are dropped."""
    cdef RowSet* rows = &solver.rows[level]
    cdef const TreeStructure* structure = &solver.structure
    cdef bint max_one_child = structure.max_one_child[level + 1]
    cdef double limit = cutoff - structure.price[level], out
    list_splits(&solver.items, rows, feature)
    out = drop_dominated_splits(&solver.items, rows, max_one_child, limit)
    out = min(out, drop_costly_splits(&solver.items, rows, structure.n_leaves[level + 1],
                                      structure.least_price[level + 1], max_one_child, limit - solver.tolerance))
    return structure.price[level] + out


cdef bint has_few_splits(TreeSolver* solver, int level, double cutoff) noexcept nogil:
    """Return True if there are so few splits that features had better share their batches."""
    cdef RowSet* rows = &solver.rows[level]
    cdef bint max_one_child = solver.structure.max_one_child[level + 1]
    cdef int few = FEW_SPLITS_WITH_LEAF if max_one_child else FEW_SPLITS
    cdef Py_ssize_t a, n = 0
    if solver.items.disabled & SHARED_BATCHES:
        return False
    for a in range(rows.n_active):
        list_open_splits(solver, level, rows.active[a], cutoff)
        n += rows.n_splits
        if n > few * rows.n_active:
            return False
    return True


cdef double search_few_splits(TreeSolver* solver, int level, double* best, SplitBound* kept) noexcept nogil:
    """Bound all splits where stumps lie below, several features in a batch."""
    cdef RowSet* rows = &solver.rows[level]
    cdef SplitBatch batch
    cdef double price = solver.structure.price[level], out = INFINITY, cutoff = best[0]
    cdef Py_ssize_t a, q
    batch.n = 0
    for a in range(rows.n_active):
        out = min(out, list_open_splits(solver, level, rows.active[a], cutoff))
        for q in range(rows.n_splits):
            load_lane(solver, level, rows.active[a], q, batch.n, &batch)
            batch.n += 1
            if batch.n == solver.lanes.n_lanes:
                score_batch(solver, level, &batch)
                out = min(out, accept_batch(solver, level, &batch, best, kept))
                batch.n = 0
                if is_late(solver):
                    return min(out, price)
    if batch.n:
        score_batch(solver, level, &batch)
        out = min(out, accept_batch(solver, level, &batch, best, kept))
    return out
