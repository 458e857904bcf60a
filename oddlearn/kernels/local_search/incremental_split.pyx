"""The best split of a node's problem, with the help of the problem solved at the same place before.

A search asks for the best split of a node again and again while little changes: a few samples come or leave, a few cost
more or less at a target. No split costs less than it did by more than the samples do, each at the target where its cost
decreased most. With the smallest value of any split along every feature, cached once, most features are thus ruled out.
"""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from oddlearn.kernels.local_search.best_split cimport (
    min_split_value, no_split, scan_bins, scan_feature, scan_features, scan_sorted,
)
from oddlearn.kernels.local_search.int16_bounds cimport int16_lower_bound, pack_int16_costs
from oddlearn.kernels.local_search.member_order cimport sort_members
from oddlearn.kernels.local_search.node_problem cimport fill_costs
from oddlearn.kernels.local_search.search_table cimport SPLIT_CACHE, TARGET_ELIMINATION, has_constraints
from oddlearn.kernels.local_search.target_selection cimport drop_targets, index_of
from oddlearn.kernels.local_search.workspace cimport CACHE_BITS, CachedNodeProblem, CachedSplit, NodeProblem, out_of_time

cdef enum:
    NO_SPLIT = -3              # feature of a split that was not found

# a problem with more features in question than this share is cached anew
cdef double REFRESH_SHARE = 0.25


cdef int closest_target(const NodeProblem* problem, const CachedNodeProblem* cached, int t) noexcept nogil:
    """Return the target of the cached problem where members cost least more than now at target t."""
    cdef int u, k, i, best = 0
    cdef Py_ssize_t n_cached = cached.n_targets, n_now = problem.n_targets
    cdef double total, least = INFINITY
    for u in range(cached.n_targets):
        total = 0.0
        for k in range(cached.n_members):
            i = problem.position[cached.members[k]]
            if i >= 0:
                total += max(0.0, cached.costs[k * n_cached + u] - problem.costs[i * n_now + t])
        if total < least:
            least = total
            best = u
    return best


cdef double max_decrease(Workspace* ws, const CachedNodeProblem* cached, double most) noexcept nogil:
    """Return an upper bound on what a split may cost less now than in the cached problem.

    Any number above `most` says that it is more than `most`.
    """
    cdef NodeProblem* problem = &ws.problem
    cdef int t, i, T = problem.n_targets
    cdef Py_ssize_t k
    cdef double drop, total = 0.0
    cdef const double* row
    cdef const double* now
    cdef int* match = ws.scratch.match
    for t in range(T):
        match[t] = index_of(problem.targets[t], cached.targets, cached.n_targets)
        if match[t] < 0:
            match[t] = closest_target(problem, cached, t)
        # a split has two targets
        total = max(total, 2.0 * (cached.target_price[match[t]] - problem.target_price[t]))
    for k in range(cached.n_members):
        row = cached.costs + k * cached.n_targets
        i = problem.position[cached.members[k]]
        drop = 0.0
        if i < 0:
            for t in range(cached.n_targets):
                drop = row[t] if row[t] > drop else drop
        else:
            now = problem.costs + i * <Py_ssize_t>T
            for t in range(T):
                drop = row[match[t]] - now[t] if row[match[t]] - now[t] > drop else drop
        total += drop
        if total > most:
            break
    return total


cdef void refresh_bounds(
    const SearchTable* table, Workspace* ws, CachedNodeProblem* cached, double open, NodeSplit* split
) noexcept nogil:
    """Try every feature and cache the problem with lower bounds of its features."""
    cdef NodeProblem* problem = &ws.problem
    cached.n_targets = 0
    if pack_int16_costs(table, ws):
        scan_by_int16_bounds(table, ws, cached, open, split)
    else:
        scan_with_bounds(table, ws, cached, open, split)
    if ws.clock.is_late:
        return
    cached.n_targets, cached.n_members = problem.n_targets, problem.n_members
    memcpy(cached.members, problem.members, problem.n_members * sizeof(int))
    memcpy(cached.targets, problem.targets, problem.n_targets * sizeof(int))
    memcpy(cached.target_price, problem.target_price, problem.n_targets * sizeof(double))
    memcpy(cached.costs, problem.costs, problem.n_members * <Py_ssize_t>problem.n_targets * sizeof(double))


cdef void scan_by_int16_bounds(
    const SearchTable* table, Workspace* ws, CachedNodeProblem* cached, double open, NodeSplit* split
) noexcept nogil:
    """Compute a lower bound for every feature, and try those where a split may be as good as the best, the lowest first."""
    cdef int feature, lowest = 0
    for feature in range(table.d):
        if ws.problem.n_members > 2000 and out_of_time(&ws.clock):
            return
        # a split of other members may leave all of these on one side
        cached.split_bounds[feature] = min(int16_lower_bound(table, ws, feature), open)
        if cached.split_bounds[feature] < cached.split_bounds[lowest]:
            lowest = feature
    if cached.split_bounds[lowest] <= split.value + table.tolerance:
        scan_feature(table, ws, split, lowest)
    for feature in range(table.d):
        if feature != lowest and cached.split_bounds[feature] <= split.value + table.tolerance:
            scan_feature(table, ws, split, feature)


cdef void scan_with_bounds(
    const SearchTable* table, Workspace* ws, CachedNodeProblem* cached, double open, NodeSplit* split
) noexcept nogil:
    """Try every feature, and note the smallest value of its splits."""
    cdef int feature
    cdef double least
    for feature in range(table.d):
        if ws.problem.n_members > 2000 and out_of_time(&ws.clock):
            return
        if table.bins.count[feature] > 0:
            least = scan_bins(table, ws, split, feature)
        else:
            sort_members(table, &ws.problem, &ws.scratch, feature)
            least = min_split_value(table, ws)
            if least <= split.value + table.tolerance:
                scan_sorted(table, ws, split, feature)
        cached.split_bounds[feature] = min(least, open)


cdef void search_with_cached_bounds(
    const SearchTable* table, const DiagramState* state, Workspace* ws, CachedNodeProblem* cached, double limit,
    NodeSplit* split
) noexcept nogil:
    """Find the best split if it costs no more than the limit; no split otherwise."""
    cdef int feature, in_question = table.d
    cdef bint is_packed
    cdef double highest = -INFINITY, open = split.value
    if split.value > limit:
        split.value, split.feature, split.ties = limit, NO_SPLIT, 0
    limit += 2.0 * table.tolerance
    if table.C > 2 and not table.disabled & TARGET_ELIMINATION:
        # with two classes nothing is gained: their terminals separate the members without a loss
        drop_targets(table, state, ws, limit)
    if ws.problem.n_targets == 0:
        return
    if table.costs.label != NULL:
        fill_costs(table, state, &ws.problem)
    if cached.n_targets > 0:
        for feature in range(table.d):
            highest = max(highest, cached.split_bounds[feature])
        limit += max_decrease(ws, cached, highest - limit)
        in_question = 0
        for feature in range(table.d):
            in_question += cached.split_bounds[feature] <= limit
    if in_question > REFRESH_SHARE * table.d:
        refresh_bounds(table, ws, cached, open, split)
        return
    is_packed = in_question > 2 and pack_int16_costs(table, ws)
    for feature in range(table.d):
        if ws.problem.n_members > 2000 and out_of_time(&ws.clock):
            return
        if cached.split_bounds[feature] > limit:
            continue
        if is_packed and int16_lower_bound(table, ws, feature) > split.value + table.tolerance:
            continue
        scan_feature(table, ws, split, feature)


cdef bint lookup_split(const SearchTable* table, Workspace* ws, double limit, NodeSplit* split) noexcept nogil:
    """Return whether the answer is cached; it is no split if none costs as little as the limit."""
    cdef NodeProblem* problem = &ws.problem
    cdef const CachedSplit* entry = ws.caches.splits + (problem.hash >> (64 - CACHE_BITS))
    # with constraints, what is best depends on all samples, not only on the members
    if entry.hash != problem.hash or has_constraints(table) or table.disabled & SPLIT_CACHE:
        return False
    if entry.split.feature == NO_SPLIT:
        split.feature = NO_SPLIT
        return limit <= entry.limit
    split[0] = entry.split
    split.negative = problem.targets[split.negative]
    split.positive = problem.targets[split.positive]
    return True


cdef void store_split(Workspace* ws, double limit, const NodeSplit* split) noexcept nogil:
    """Cache the answer, with targets by their positions in the list."""
    cdef NodeProblem* problem = &ws.problem
    cdef CachedSplit* entry = ws.caches.splits + (problem.hash >> (64 - CACHE_BITS))
    entry.hash = problem.hash
    entry.split = split[0]
    entry.limit = limit
    if split.feature != NO_SPLIT:
        entry.split.negative = index_of(split.negative, problem.all_targets, problem.n_all_targets)
        entry.split.positive = index_of(split.positive, problem.all_targets, problem.n_all_targets)


cdef bint find_best_split(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int cache_slot, double limit, NodeSplit* split
) noexcept nogil:
    """Find the best split along any feature; False if all cost more than the limit, or time is up.

    `cache_slot` is the node v, or N + arc for a node to be put on an arc. Whether a split is found that costs more
    than the limit is not defined.
    """
    cdef NodeProblem* problem = &ws.problem
    if not lookup_split(table, ws, limit, split):
        no_split(table, ws, split)
        problem.n_all_targets = problem.n_targets
        memcpy(problem.all_targets, problem.targets, problem.n_targets * sizeof(int))
        if ws.caches.node_problems == NULL or limit == INFINITY or problem.n_members == 0:
            if table.costs.label != NULL:
                fill_costs(table, state, problem)
            scan_features(table, ws, split)
        else:
            search_with_cached_bounds(table, state, ws, ws.caches.node_problems + cache_slot, limit, split)
        if ws.clock.is_late:
            return False
        store_split(ws, limit, split)
    return split.feature != NO_SPLIT and split.value <= limit + table.tolerance
