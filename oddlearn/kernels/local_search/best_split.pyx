"""Best cut of one node's samples along a key, with both targets chosen: prefix sums of the cost at every target.

For a key (a feature, or a direction) the samples are taken in increasing order; the cut between two samples costs the
cheapest target for those before plus the cheapest target for those after. Only gaps of at least the margin are cuts.
"""

from libc.math cimport INFINITY
from libc.string cimport memset

from oddlearn.kernels.common.bits cimport lowest_bit
from oddlearn.kernels.common.rng cimport below
from oddlearn.kernels.local_search.workspace cimport out_of_time
from oddlearn.kernels.local_search.constrained_split cimport open_ruled, scan_ruled
from oddlearn.kernels.local_search.diagram_state cimport EVERYTHING_POSITIVE, MOST_BINS, Table, is_ruled

cdef extern from "local_search/split_scan.h" nogil:
    ctypedef struct Scan:
        const int* run
        const double* keys
        const double* rows
        const double* reach
        const double* total
        const double* charge
        double* prefix
        long members
        double margin, tolerance, best, allowance, value
    long scan_on(Scan* scan, long k, bint resume, int targets)
    double least_cut(Scan* scan, double cap, int targets)
    void sum_bins(const double* rows, const int* members, long count, const unsigned char* bins, int targets,
                  double* sums, int* counts)
    void sum_rare(const double* rows, const int* place, const int* rare, long count, const unsigned char* bins, int targets,
                  double* sums, int* counts)

# where members are fewer than this share of the samples, their places in an order are looked up one by one
cdef double FEW_SHARE = 0.6

# along a feature where most samples have one value, only the others are summed up, if they are fewer than this share of
# the members
cdef double RARE_SHARE = 0.5


cdef void open_cut(const Table* table, Desk* desk, Cut* cut) noexcept nogil:
    """Start from no cut at all: every member to the cheapest target."""
    cdef int t, best = 0
    if is_ruled(table):
        open_ruled(table, desk, cut)
        return
    for t in range(desk.T):
        if desk.total[t] + desk.charge[t] < desk.total[best] + desk.charge[best]:
            best = t
    cut.value = desk.total[best] + desk.charge[best]
    cut.feature = EVERYTHING_POSITIVE
    cut.threshold = 0.0
    cut.negative = cut.positive = desk.targets[best]
    cut.ties = 1


cdef void take_cut(const Table* table, Desk* desk, Cut* cut, double value, int feature, int k) noexcept nogil:
    """Note a cut before position k of the run, unless it ties with as good a one and loses the draw."""
    cdef int t, before = 0, after = 0
    cdef double cost, least_before = INFINITY, least_after = INFINITY
    if value > cut.value - table.tolerance:
        cut.ties += 1
        if below(&desk.chance, <int>min(cut.ties, 1000000)) != 0:
            return
    else:
        cut.ties = 1
    for t in range(desk.T):
        cost = desk.prefix[t] + desk.charge[t]
        if cost < least_before:
            least_before = cost
            before = t
        cost = desk.total[t] - desk.prefix[t] + desk.charge[t]
        if cost < least_after:
            least_after = cost
            after = t
    if table.tree_only and before == after and desk.targets[before] < table.N:
        return
    cut.value = value
    cut.feature = feature
    cut.threshold = between(desk.keys[k - 1], desk.keys[k])
    cut.negative = desk.targets[before]
    cut.positive = desk.targets[after]


cdef void lay_out(const Table* table, const Desk* desk, Scan* scan) noexcept nogil:
    """What the innermost loop reads of the run that lies on the desk."""
    scan.run, scan.keys, scan.rows, scan.reach = desk.run, desk.keys, desk.rows, desk.reach
    scan.total, scan.charge, scan.prefix = desk.total, desk.charge, desk.prefix
    scan.members, scan.margin, scan.tolerance = desk.n_members, table.margin, table.tolerance
    scan.allowance = 0.0


cdef void scan(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil:
    """Try every cut of the run that lies on the desk (members in the order of their keys).

    One more member before the cut lowers its value by the member's reach at most, so after a cut that is worse than the
    best by some amount, the next ones are passed over until reaches make up for it.
    """
    cdef Scan state
    cdef long k = 0
    cdef bint resume = False
    lay_out(table, desk, &state)
    memset(desk.prefix, 0, desk.T * sizeof(double))
    if is_ruled(table):
        # a cut costs no less with constraints than without
        state.best = cut.value
        if scan_on(&state, 0, False, desk.T) < desk.n_members:
            scan_ruled(table, desk, cut, feature)
        return
    while True:
        state.best = cut.value
        k = scan_on(&state, k, resume, desk.T)
        if k >= desk.n_members:
            return
        take_cut(table, desk, cut, state.value, feature, <int>k)
        resume = True


cdef double least_along(const Table* table, Desk* desk, double cap) noexcept nogil:
    """The least value of any cut of the run on the desk, whatever its margin, or `cap` if that is less."""
    cdef Scan state
    lay_out(table, desk, &state)
    return least_cut(&state, cap, desk.T)


cdef void line_up(const Table* table, Desk* desk, int feature) noexcept nogil:
    """Put the members on the desk in the order of a feature."""
    cdef Py_ssize_t p, n = table.n
    cdef int k = 0, m = desk.n_members, place
    cdef const int* order = table.order + feature * n
    cdef const double* ordered = table.ordered + feature * n
    cdef int* run = desk.run
    cdef double* keys = desk.keys
    if m < FEW_SHARE * n:
        line_up_few(table, desk, feature)
        return
    for p in range(n):
        place = desk.place[order[p]]
        run[k] = place
        keys[k] = ordered[p]
        k += place >= 0
        if k == m:
            break


cdef void mark_members(const Table* table, Desk* desk, int feature) noexcept nogil:
    """Mark the places of the members in the order of a feature. Who reads the marks takes them away."""
    cdef Py_ssize_t p
    cdef int k
    cdef const int* rank = table.rank + feature * <Py_ssize_t>table.n
    for k in range(desk.n_members):
        p = rank[desk.members[k]]
        desk.marks[p >> 6] |= 1ULL << (p & 63)


cdef void line_up_few(const Table* table, Desk* desk, int feature) noexcept nogil:
    """`line_up` where members are few: their places in the order are marked, and only the marks are looked at."""
    cdef Py_ssize_t n = table.n, p
    cdef int word, k = 0
    cdef unsigned long long left
    cdef unsigned long long* marks = desk.marks
    cdef const int* order = table.order + feature * n
    cdef const double* ordered = table.ordered + feature * n
    mark_members(table, desk, feature)
    for word in range(<int>((n + 63) >> 6)):
        left = marks[word]
        marks[word] = 0
        while left:
            p = 64 * <Py_ssize_t>word + lowest_bit(left)
            left &= left - 1
            desk.run[k] = desk.place[order[p]]
            desk.keys[k] = ordered[p]
            k += 1


cdef void fill_bins(const Table* table, Desk* desk, int feature, double* sums, int* counts) noexcept nogil:
    """Add up what members cost at each target, and count them, by the value of a feature."""
    cdef int b, t, T = desk.T, common = table.common[feature]
    cdef Py_ssize_t first = table.rare_first[feature], n_rare = table.rare_first[feature + 1] - first
    cdef const unsigned char* bins = table.bins + feature * <Py_ssize_t>table.n
    if n_rare > RARE_SHARE * desk.n_members:
        sum_bins(desk.rows, desk.members, desk.n_members, bins, T, sums, counts)
        return
    sum_rare(desk.rows, desk.place, table.rare + first, n_rare, bins, T, sums, counts)
    counts[common] = desk.n_members
    for t in range(T):
        sums[common * T + t] = desk.total[t]
    for b in range(table.n_bins[feature]):
        if b != common and counts[b] > 0:
            counts[common] -= counts[b]
            for t in range(T):
                sums[common * T + t] -= sums[b * T + t]


cdef double scan_bins(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil:
    """`scan` along a feature with few distinct values: sums by value instead of an order of the members.

    Returns the least value of any cut, whatever its margin.
    """
    cdef int counts[MOST_BINS]
    cdef int b, t, T = desk.T, n_bins = table.n_bins[feature], before = -1
    cdef double cost, least_before, least_after, least = INFINITY
    cdef const double* values = table.bin_values + feature * MOST_BINS
    cdef double* sums = desk.sums
    cdef double* prefix = desk.prefix
    memset(sums, 0, n_bins * T * sizeof(double))
    memset(counts, 0, n_bins * sizeof(int))
    memset(prefix, 0, T * sizeof(double))
    fill_bins(table, desk, feature, sums, counts)
    for b in range(n_bins):
        if counts[b] == 0:
            continue
        if before >= 0:
            least_before = least_after = INFINITY
            for t in range(T):
                cost = prefix[t] + desk.charge[t]
                least_before = cost if cost < least_before else least_before
                cost = desk.total[t] - prefix[t] + desk.charge[t]
                least_after = cost if cost < least_after else least_after
            least = min(least, least_before + least_after)
            if least_before + least_after <= cut.value + table.tolerance and values[b] - values[before] >= table.margin:
                desk.keys[0], desk.keys[1] = values[before], values[b]
                take_cut(table, desk, cut, least_before + least_after, feature, 1)
        for t in range(T):
            prefix[t] += sums[b * T + t]
        before = b
    return least


cdef void scan_feature(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil:
    cdef Cut plain
    if table.n_bins[feature] > 0 and not is_ruled(table):
        scan_bins(table, desk, cut, feature)
        return
    if table.n_bins[feature] > 0:
        plain = cut[0]
        plain.ties = 0
        scan_bins(table, desk, &plain, feature)
        if plain.ties == 0:
            return
    line_up(table, desk, feature)
    if desk.keys[desk.n_members - 1] - desk.keys[0] >= table.margin:
        scan(table, desk, cut, feature)


cdef void scan_features(const Table* table, Desk* desk, Cut* cut) noexcept nogil:
    """Try every admissible cut along every feature; ends early when time is up."""
    cdef int feature
    if desk.n_members == 0:
        return
    for feature in range(table.d):
        if desk.n_members > 2000 and out_of_time(desk):
            return
        scan_feature(table, desk, cut, feature)
