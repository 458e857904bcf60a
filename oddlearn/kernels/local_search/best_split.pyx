"""Best split of one node's samples along a key, with both targets chosen: prefix sums of the cost at every target.

For a key (a feature, or a direction) the samples are taken in increasing order; the split between two samples costs the
cheapest target for those before plus the cheapest target for those after. Only gaps of at least the margin are splits.
"""

from libc.math cimport INFINITY
from libc.string cimport memset

from oddlearn.kernels.common.rng cimport draw_below
from oddlearn.kernels.local_search.constrained_split cimport no_constrained_split, scan_constrained
from oddlearn.kernels.local_search.member_order cimport sort_members
from oddlearn.kernels.local_search.search_table cimport EVERYTHING_POSITIVE, MAX_BINS, RARE_BINS, has_constraints
from oddlearn.kernels.local_search.workspace cimport between, count_work, out_of_time

cdef extern from "local_search/split_scan.h" nogil:
    ctypedef struct Scan:
        const int* order
        const double* keys
        const double* costs
        const double* total
        const double* price
        double* prefix
        long members
        double margin, tolerance, best, value
    long next_split(Scan* scan, long k, bint resume, int targets)
    double min_split(Scan* scan, int targets)
    void sum_bins(const double* costs, const int* members, long count, const unsigned char* bins, int targets,
                  double* sums, int* counts)
    void sum_rare(const double* costs, const int* position, const int* rare, long count, const unsigned char* bins, int targets,
                  double* sums, int* counts)

# along a feature where most samples have one value, only the others are summed up, if they are fewer than this share of
# the members
cdef double RARE_SHARE = 0.5


cdef void no_split(const SearchTable* table, Workspace* ws, NodeSplit* split) noexcept nogil:
    """Start from no split at all: every member to the cheapest target."""
    cdef NodeProblem* problem = &ws.problem
    cdef int t, best = 0
    if has_constraints(table):
        no_constrained_split(table, ws, split)
        return
    for t in range(problem.n_targets):
        if problem.total_costs[t] + problem.target_price[t] < problem.total_costs[best] + problem.target_price[best]:
            best = t
    split.value = problem.total_costs[best] + problem.target_price[best]
    split.feature = EVERYTHING_POSITIVE
    split.threshold = 0.0
    split.negative = split.positive = problem.targets[best]
    split.ties = 1


cdef void accept_split(
    const SearchTable* table, Workspace* ws, NodeSplit* split, double value, int feature, int k
) noexcept nogil:
    """Keep a split before place k of the sorted members, unless it ties with the best and loses the draw."""
    cdef NodeProblem* problem = &ws.problem
    cdef SplitScratch* scratch = &ws.scratch
    cdef int t, before = 0, after = 0
    cdef double cost, least_before = INFINITY, least_after = INFINITY
    if value > split.value - table.tolerance:
        split.ties += 1
        if draw_below(&ws.rng, <int>min(split.ties, 1000000)) != 0:
            return
    else:
        split.ties = 1
    for t in range(problem.n_targets):
        cost = scratch.prefix[t] + problem.target_price[t]
        if cost < least_before:
            least_before = cost
            before = t
        cost = problem.total_costs[t] - scratch.prefix[t] + problem.target_price[t]
        if cost < least_after:
            least_after = cost
            after = t
    if table.tree_only and before == after and problem.targets[before] < table.N:
        return
    split.value = value
    split.feature = feature
    split.threshold = between(scratch.keys[k - 1], scratch.keys[k])
    split.negative = problem.targets[before]
    split.positive = problem.targets[after]


cdef void fill_scan(const SearchTable* table, const Workspace* ws, Scan* scan) noexcept nogil:
    """Fill in what the innermost loop reads."""
    cdef const NodeProblem* problem = &ws.problem
    scan.order, scan.keys, scan.prefix = ws.scratch.sorted_members, ws.scratch.keys, ws.scratch.prefix
    scan.costs = problem.costs
    scan.total, scan.price = problem.total_costs, problem.target_price
    scan.members, scan.margin, scan.tolerance = problem.n_members, table.margin, table.tolerance


cdef void scan_sorted(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil:
    """Try every split of the sorted members."""
    cdef NodeProblem* problem = &ws.problem
    cdef Scan scan
    cdef long k = 0
    cdef bint resume = False
    fill_scan(table, ws, &scan)
    count_work(ws, problem.n_members, 3.0 + 0.25 * problem.n_targets)
    memset(ws.scratch.prefix, 0, problem.n_targets * sizeof(double))
    if has_constraints(table):
        # a split costs no less with constraints than without
        scan.best = split.value
        if next_split(&scan, 0, False, problem.n_targets) < problem.n_members:
            scan_constrained(table, ws, split, feature)
        return
    while True:
        scan.best = split.value
        k = next_split(&scan, k, resume, problem.n_targets)
        if k >= problem.n_members:
            return
        accept_split(table, ws, split, scan.value, feature, <int>k)
        resume = True


cdef double min_split_value(const SearchTable* table, Workspace* ws) noexcept nogil:
    """Return the smallest value of any split of the sorted members, whatever its margin; inf if there is none."""
    cdef Scan scan
    fill_scan(table, ws, &scan)
    count_work(ws, ws.problem.n_members, 3.0 + 0.25 * ws.problem.n_targets)
    return min_split(&scan, ws.problem.n_targets)


cdef void fill_bins(const SearchTable* table, Workspace* ws, int feature, double* sums, int* counts) noexcept nogil:
    """Sum what members cost at each target, and count them, by the value of a feature."""
    cdef NodeProblem* problem = &ws.problem
    cdef int b, t, T = problem.n_targets, common = table.bins.common[feature]
    cdef Py_ssize_t first = table.bins.rare_start[feature], n_rare = table.bins.rare_start[feature + 1] - first
    cdef const unsigned char* bins = table.bins.of_sample + feature * <Py_ssize_t>table.n
    if n_rare > RARE_SHARE * problem.n_members or table.disabled & RARE_BINS:
        sum_bins(problem.costs, problem.members, problem.n_members, bins, T, sums, counts)
        return
    sum_rare(problem.costs, problem.position, table.bins.rare + first, n_rare, bins, T, sums, counts)
    counts[common] = problem.n_members
    for t in range(T):
        sums[common * T + t] = problem.total_costs[t]
    for b in range(table.bins.count[feature]):
        if b != common and counts[b] > 0:
            counts[common] -= counts[b]
            for t in range(T):
                sums[common * T + t] -= sums[b * T + t]


cdef double scan_bins(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil:
    """Try every split along a feature with few distinct values: sums by value instead of sorted members.

    Returns the smallest value of any split, whatever its margin.
    """
    cdef NodeProblem* problem = &ws.problem
    cdef SplitScratch* scratch = &ws.scratch
    cdef int counts[MAX_BINS]
    cdef int b, t, T = problem.n_targets, n_bins = table.bins.count[feature], before = -1
    cdef double cost, least_before, least_after, least = INFINITY
    cdef const double* values = table.bins.values + feature * MAX_BINS
    cdef double* sums = scratch.bin_sums
    cdef double* prefix = scratch.prefix
    memset(sums, 0, n_bins * T * sizeof(double))
    memset(counts, 0, n_bins * sizeof(int))
    memset(prefix, 0, T * sizeof(double))
    count_work(ws, problem.n_members, 1.0 + 0.25 * T)
    fill_bins(table, ws, feature, sums, counts)
    for b in range(n_bins):
        if counts[b] == 0:
            continue
        if before >= 0:
            least_before = least_after = INFINITY
            for t in range(T):
                cost = prefix[t] + problem.target_price[t]
                least_before = cost if cost < least_before else least_before
                cost = problem.total_costs[t] - prefix[t] + problem.target_price[t]
                least_after = cost if cost < least_after else least_after
            least = min(least, least_before + least_after)
            if least_before + least_after <= split.value + table.tolerance and values[b] - values[before] >= table.margin:
                scratch.keys[0], scratch.keys[1] = values[before], values[b]
                accept_split(table, ws, split, least_before + least_after, feature, 1)
        for t in range(T):
            prefix[t] += sums[b * T + t]
        before = b
    return least


cdef void scan_feature(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil:
    """Try every split along a feature."""
    cdef NodeSplit plain
    if table.bins.count[feature] > 0 and not has_constraints(table):
        scan_bins(table, ws, split, feature)
        return
    if table.bins.count[feature] > 0:
        plain = split[0]
        plain.ties = 0
        scan_bins(table, ws, &plain, feature)
        if plain.ties == 0:
            return
    sort_members(table, &ws.problem, &ws.scratch, feature)
    if ws.scratch.keys[ws.problem.n_members - 1] - ws.scratch.keys[0] >= table.margin:
        scan_sorted(table, ws, split, feature)


cdef void scan_features(const SearchTable* table, Workspace* ws, NodeSplit* split) noexcept nogil:
    """Try every split along every feature; ends early when time is up."""
    cdef int feature
    if ws.problem.n_members == 0:
        return
    for feature in range(table.d):
        if ws.problem.n_members > 2000 and out_of_time(&ws.clock):
            return
        scan_feature(table, ws, split, feature)
