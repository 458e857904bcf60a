"""The optimal tree with a price per level: branch and bound over the splits, level by level.

A set of rows at a level costs at least what a subset costs there, and at most the largest costs of the added rows more. So,
along the splits of one feature, the sides of two splits bound all splits in between, and a split that is worse than the
best rules out its neighbours until rows worth the difference have changed sides. The last two levels are scored for many
splits at once by vector code (tree_batches).

A node may also pass its whole set on to the next level. With room for two nodes on every level below, that gains nothing:
a split with the same tree on both sides does no worse. Where a node may have one child only, it may.
"""

from libc.math cimport INFINITY, ldexp

from oddlearn.kernels.branch_and_bound.row_sets cimport (
    NEIGHBOUR_BOUNDS, PAIRED_STUMPS, RANGE_BOUNDS, SIMILARITY_CACHE, TRANSPOSITION_TABLE, WHOLE_TWO_LEVELS,
    Hash, RowSet, fill_with_side, leaf_cost, mark_side, negative_leaf, positive_leaf,
)
from oddlearn.kernels.branch_and_bound.similarity_cache cimport bound_by_similar, store_similar
from oddlearn.kernels.branch_and_bound.split_lists cimport (
    bound_negative_side, bound_positive_side, first_open_after, has_class_bounds, last_open_before,
)
from oddlearn.kernels.branch_and_bound.stump cimport Stump, find_best_stump
from oddlearn.kernels.branch_and_bound.transposition_table cimport TableEntry, lookup, store
from oddlearn.kernels.branch_and_bound.tree_batches cimport (
    has_few_splits, list_open_splits, search_few_splits, search_two_levels,
)
from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitRange, count_work, find_block, is_late, record_split


cdef double solve_tree(TreeSolver* solver, int level, double cutoff, SplitBound* best, int* exact) noexcept nogil:
    """Bound the best tree of the rows of a level: its cost if exact, else at least the cutoff unless stopped.

    The best split has feature -1 for a leaf, or if the set is passed on.
    """
    cdef const RowSet* rows = &solver.rows[level]
    cdef double leaf = leaf_cost(&solver.items, rows), price = solver.structure.price[level]
    cdef const TableEntry* entry
    cdef Stump stump
    best.feature = -1
    best.rank = 0
    exact[0] = 1
    if rows.n_active == 0 or leaf <= price:
        return leaf
    entry = lookup(&solver.table, rows.first_hash, rows.second_hash, solver.structure.code[level])
    if entry != NULL and (entry.exact or entry.bound >= cutoff):
        exact[0] = entry.exact
        best.feature = entry.feature
        best.rank = entry.rank
        return entry.bound
    if price >= cutoff:
        exact[0] = 0
        return price
    if level < solver.structure.levels - 1:
        return search_tree(solver, level, leaf, cutoff, best, exact)
    stump = find_best_stump(&solver.items, rows)
    count_work(solver, rows, 1.0)
    if price + stump.cost >= leaf:
        return leaf
    best.feature, best.rank = stump.feature, stump.rank
    return price + stump.cost


cdef double search_tree(TreeSolver* solver, int level, double leaf, double cutoff, SplitBound* best,
                        int* exact) noexcept nogil:
    """Do the same if nothing simpler answers: try all splits, and store what was proved."""
    cdef double limit = min(leaf, cutoff), bound, passed = INFINITY
    cdef int passed_exact = 0
    if solver.structure.may_pass_through[level] and (level or solver.part == 0):
        passed = pass_through(solver, level, limit, &passed_exact)
        if passed_exact:
            limit = min(limit, passed)
    bound = min(passed, search_splits(solver, level, limit, best))
    if solver.stopped:
        exact[0] = 0
        return min(leaf, bound)
    if best.feature >= 0:
        bound = best.value
    elif limit < min(leaf, cutoff):
        bound = limit
    elif leaf <= cutoff:
        bound = leaf
    else:
        exact[0] = 0
        bound = min(leaf, bound)
    if level or solver.n_parts == 1:
        store_result(solver, level, bound, exact[0], best)
    return bound


cdef void store_result(TreeSolver* solver, int level, double bound, int exact, const SplitBound* best) noexcept nogil:
    """Store the bound of the rows of a level in both caches."""
    cdef const RowSet* rows = &solver.rows[level]
    cdef TableEntry result
    result.first_hash, result.second_hash = rows.first_hash, rows.second_hash
    result.bound, result.structure, result.exact = bound, solver.structure.code[level], exact
    result.feature, result.rank = best.feature, best.rank
    if not solver.items.disabled & TRANSPOSITION_TABLE:
        store(&solver.table, &result)
    if not solver.items.disabled & SIMILARITY_CACHE:
        store_similar(&solver.caches[solver.structure.levels - level - 1], rows, solver.structure.code[level], bound)


cdef double pass_through(TreeSolver* solver, int level, double cutoff, int* exact) noexcept nogil:
    """Bound the rows of a level if all of them go on to the next level."""
    cdef const RowSet* rows = &solver.rows[level]
    cdef double price = solver.structure.price[level]
    cdef SplitBound unused
    # all ranks are above -1
    fill_with_side(&solver.items, rows, rows.active[0], -1, True, &solver.rows[level + 1])
    return price + solve_tree(solver, level + 1, cutoff - price, &unused, exact)


cdef double search_splits(TreeSolver* solver, int level, double cutoff, SplitBound* best) noexcept nogil:
    """Bound all ways to split the rows of a level; the best split below the cutoff, if any, with its value."""
    cdef RowSet* rows = &solver.rows[level]
    cdef bint max_one_child = solver.structure.max_one_child[level + 1]
    cdef bint has_stumps_below = level == solver.structure.levels - 2 and not solver.items.disabled & PAIRED_STUMPS
    cdef double price = solver.structure.price[level], value = cutoff, out = INFINITY
    cdef SplitRange range_
    cdef int n_blocks = 1 if level else solver.n_parts
    cdef Py_ssize_t a, feature
    best.feature = -1
    count_work(solver, rows, 2.0)
    if has_stumps_below and has_few_splits(solver, level, cutoff):
        return search_few_splits(solver, level, &value, best)
    for a in range(rows.n_active):
        if is_late(solver):
            return min(out, price)
        feature = rows.active[a]
        out = min(out, list_open_splits(solver, level, feature, value))
        range_ = find_block(rows, n_blocks, 0 if n_blocks == 1 else <int>((solver.part + feature) % n_blocks))
        if range_.first > range_.last:
            continue
        if has_stumps_below:
            out = min(out, search_two_levels(solver, level, feature, &value, best))
        elif max_one_child:
            out = min(out, search_range(solver, level, feature, NEGATIVE_LEAF, range_, &value, best))
            out = min(out, search_range(solver, level, feature, POSITIVE_LEAF, range_, &value, best))
        else:
            out = min(out, search_range(solver, level, feature, NO_LEAF, range_, &value, best))
    return out


cdef double search_range(TreeSolver* solver, int level, Py_ssize_t feature, int leaf_side, SplitRange range_,
                         double* best, SplitBound* kept) noexcept nogil:
    """Bound the splits of a range: solve the middle one, rule out its neighbours, go on with both ends."""
    cdef const RowSet* rows = &solver.rows[level]
    cdef double price = solver.structure.price[level], least_price = solver.structure.least_price[level + 1], out
    cdef int n_leaves = solver.structure.n_leaves[level + 1]
    cdef SplitRange rest
    cdef SplitBound split
    cdef int q, first, last
    cdef bint exact
    if range_.first > range_.last:
        return INFINITY
    if leaf_side == NEGATIVE_LEAF:
        range_.negative = negative_leaf(&solver.items, rows, range_.first)
    elif leaf_side == POSITIVE_LEAF:
        range_.positive = positive_leaf(&solver.items, rows, range_.last)
    out = price + range_.negative + range_.positive
    if out >= best[0] - solver.tolerance or is_late(solver):
        return out
    q = find_middle(rows, &range_)
    split.negative, split.positive = range_.negative, range_.positive
    if has_class_bounds(&solver.items, n_leaves, least_price):
        split.negative = max(split.negative, bound_negative_side(&solver.items, rows, q, n_leaves, least_price))
        split.positive = max(split.positive, bound_positive_side(&solver.items, rows, q, n_leaves, least_price))
    exact = bound_both_sides(solver, level, feature, q, leaf_side, best[0], &split)
    if solver.stopped:
        return out
    split.value, split.feature, split.rank = price + split.negative + split.positive, <int>feature, rows.split_rank[q]
    out = split.value
    if exact and split.value < best[0] - solver.tolerance:
        record_with_leaf(solver, level, leaf_side, split, best, kept)
    first, last = q - 1, q + 1
    if not solver.items.disabled & NEIGHBOUR_BOUNDS:
        first = last_open_before(rows, q, range_.first, split.value, best[0] - solver.tolerance, &out)
        last = first_open_after(rows, q, range_.last, split.value, best[0] - solver.tolerance, &out)
    if solver.items.disabled & RANGE_BOUNDS:
        split.negative = split.positive = 0
    rest.first, rest.last, rest.negative, rest.positive = range_.first, first, range_.negative, split.positive
    out = min(out, search_range(solver, level, feature, leaf_side, rest, best, kept))
    rest.first, rest.last, rest.negative, rest.positive = last, range_.last, split.negative, range_.positive
    return min(out, search_range(solver, level, feature, leaf_side, rest, best, kept))


cdef int find_middle(const RowSet* rows, const SplitRange* range_) noexcept nogil:
    """Return the split of a range that is in the middle by the largest costs of the rows."""
    cdef int first = range_.first, last = range_.last, middle
    while first < last:
        middle = (first + last) // 2
        if 2 * rows.split_base[middle] < rows.split_base[range_.first] + rows.split_base[range_.last]:
            first = middle + 1
        else:
            last = middle
    return first


cdef bint bound_both_sides(TreeSolver* solver, int level, Py_ssize_t feature, int q, int leaf_side, double best,
                           SplitBound* split) noexcept nogil:
    """Raise the bounds of a split's sides until their sum reaches the best or both are exact; True if both are."""
    cdef const RowSet* rows = &solver.rows[level]
    cdef double price = solver.structure.price[level], limit = best - solver.tolerance
    cdef int negative_exact = 0, positive_exact = 0
    if leaf_side == NEGATIVE_LEAF:
        split.negative, negative_exact = negative_leaf(&solver.items, rows, q), 1
    elif leaf_side == POSITIVE_LEAF:
        split.positive, positive_exact = positive_leaf(&solver.items, rows, q), 1
    # the larger side first: its bound may do
    if leaf_side == POSITIVE_LEAF or (leaf_side == NO_LEAF and 2 * rows.split_base[q] > rows.base):
        if price + split.negative + split.positive < limit:
            split.negative = max(split.negative, bound_side(
                solver, level, feature, q, False, best - price - split.positive, &negative_exact
            ))
    if leaf_side != POSITIVE_LEAF and price + split.negative + split.positive < limit:
        split.positive = max(split.positive, bound_side(
            solver, level, feature, q, True, best - price - split.negative, &positive_exact
        ))
    if leaf_side == NO_LEAF and not negative_exact and price + split.negative + split.positive < limit:
        split.negative = max(split.negative, bound_side(
            solver, level, feature, q, False, best - price - split.positive, &negative_exact
        ))
    return negative_exact and positive_exact


cdef void record_with_leaf(TreeSolver* solver, int level, int leaf_side, SplitBound split, double* best,
                           SplitBound* kept) noexcept nogil:
    """Record a split; a side that must be a leaf cannot go on, so that a list holds each way to go on once."""
    if leaf_side == NEGATIVE_LEAF:
        split.negative = INFINITY
    elif leaf_side == POSITIVE_LEAF:
        split.positive = INFINITY
    record_split(solver, level, &split, best, kept)


cdef double bound_side(TreeSolver* solver, int level, Py_ssize_t feature, Py_ssize_t q, bint positive, double cutoff,
                       int* exact) noexcept nogil:
    """Bound one side of a split, from the transposition table or by a similar set if that will do."""
    cdef const RowSet* rows = &solver.rows[level]
    cdef RowSet* child = &solver.rows[level + 1]
    cdef Hash first = rows.split_first_hash[q], second = rows.split_second_hash[q]
    cdef int code = solver.structure.code[level + 1], left = solver.structure.levels - level - 2
    cdef const TableEntry* entry
    cdef SplitBound unused
    cdef double bound
    if positive:
        first ^= rows.first_hash
        second ^= rows.second_hash
    entry = lookup(&solver.table, first, second, code)
    if entry != NULL and (entry.exact or entry.bound >= cutoff):
        exact[0] = entry.exact
        return entry.bound
    if left > 0 and not solver.items.disabled & SIMILARITY_CACHE:
        mark_side(&solver.items, rows, feature, rows.split_rank[q], positive, child)
        child.base = rows.base - rows.split_base[q] if positive else rows.split_base[q]
        bound = bound_by_similar(&solver.caches[left], &solver.items, child, code, cutoff)
        if bound > 0:
            exact[0] = 0
            return bound
    fill_with_side(&solver.items, rows, feature, rows.split_rank[q], positive, child)
    count_work(solver, rows, 1.0)
    return solve_tree(solver, level + 1, cutoff + extra_cutoff(solver, level), &unused, exact)


cdef double extra_cutoff(TreeSolver* solver, int level) noexcept nogil:
    """Return how much more than needed is proved of a side below a level, so that similar sets are bounded too.

    Two levels are cheap and solved to the end; the more levels there are, the more it costs. Where both sides go on it
    pays in trees, which have prices, but not without prices: there are too few similar sets.
    """
    cdef int left = solver.structure.levels - level - 1
    if left == 2 and not solver.items.disabled & WHOLE_TWO_LEVELS:
        return INFINITY
    if solver.structure.max_one_child[level + 1] or solver.structure.price[level + 1] > 0:
        return ldexp(solver.side_slack, 3 - left)
    return 0
