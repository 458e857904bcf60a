"""Lower bounds on the splits along a feature, where costs are small integers.

Costs are multiplied by as large an integer as 16 bits allow, and so are prices, which are then rounded down: the sums at all
targets fit in one or two vectors. The result is not above the value of any split, and below the smallest of them by less than
two units.
"""

from libc.math cimport floor
from libc.string cimport memset

from oddlearn.kernels.common.bits cimport lowest_bit
from oddlearn.kernels.local_search.member_order cimport mark_members
from oddlearn.kernels.local_search.search_table cimport FEW_MEMBERS, FOUR_LANES, RARE_BINS
from oddlearn.kernels.local_search.workspace cimport Int16Workspace, count_work

cdef extern from "local_search/int16_scan.h" nogil:
    int ODDLEARN_MAX_LANES
    int ODDLEARN_INT16_INF
    int min_on_path(const int* path, const short* tied, long count, const short* costs, const short* initial, bint four)
    int min_in_bins(const unsigned char* bins, const int* samples, long count, int n_bins, int common,
                    const short* costs, const short* total, const short* initial, bint four)

# where members are fewer than this share of the samples, the path leads through members only
cdef double FEW_SHARE = 0.25

# no sum of 16-bit costs is larger
INT16_INF = ODDLEARN_INT16_INF


cdef bint pack_int16_costs(const SearchTable* table, Workspace* ws) noexcept nogil:
    """Write the members' costs as small integers; return False where that is not possible."""
    cdef NodeProblem* problem = &ws.problem
    cdef Int16Workspace* int16 = &ws.int16
    cdef int t, k, T = problem.n_targets, after = 8
    cdef double most = 1.0
    cdef short* cost
    cdef const double* row
    if int16.costs == NULL or T > ODDLEARN_MAX_LANES:
        return False
    for t in range(T):
        most = max(most, problem.total_costs[t] + 2.0 * problem.target_price[t])
    int16.scale = floor(ODDLEARN_INT16_INF / most)
    if int16.scale < 1.0:
        return False
    int16.fits_four_lanes = T <= 4 and not table.disabled & FOUR_LANES
    if int16.fits_four_lanes:
        after = 4
    memset(int16.costs, 0, 8 * <Py_ssize_t>table.n * sizeof(short))
    memset(int16.total, 0, 8 * sizeof(short))
    for k in range(problem.n_members):
        row = problem.costs + k * <Py_ssize_t>T
        cost = int16.costs + 8 * <Py_ssize_t>problem.members[k]
        for t in range(T):
            cost[t] = <short>(int16.scale * row[t])
            if int16.fits_four_lanes:
                cost[4 + t] = -cost[t]
    for t in range(16):
        int16.initial_sums[t] = ODDLEARN_INT16_INF
    for t in range(T):
        int16.total[t] = <short>(int16.scale * problem.total_costs[t])
        if int16.fits_four_lanes:
            int16.total[4 + t] = -int16.total[t]
        int16.initial_sums[t] = <short>floor(int16.scale * problem.target_price[t])
        int16.initial_sums[after + t] = int16.initial_sums[t] + int16.total[t]
    return True


cdef double int16_lower_bound(const SearchTable* table, Workspace* ws, int feature) noexcept nogil:
    """Return a lower bound on every split of the members along the feature, whatever its margin, and on no split at all."""
    cdef const Int16Workspace* int16 = &ws.int16
    cdef Py_ssize_t column = feature * <Py_ssize_t>table.n
    cdef int least
    count_work(ws, ws.problem.n_members, 0.5)
    if table.bins.count[feature] > 0:
        least = lower_bound_by_bin(table, ws, feature)
    elif ws.problem.n_members < FEW_SHARE * table.n and not table.disabled & FEW_MEMBERS:
        sort_member_samples(table, ws, feature)
        least = min_on_path(ws.scratch.sorted_members, int16.tied_with_next, ws.problem.n_members,
                            int16.costs, int16.initial_sums, int16.fits_four_lanes)
    else:
        least = min_on_path(table.columns.order + column, table.columns.tied_with_next + column, table.n,
                            int16.costs, int16.initial_sums, int16.fits_four_lanes)
    return least / int16.scale - table.tolerance


cdef int lower_bound_by_bin(const SearchTable* table, const Workspace* ws, int feature) noexcept nogil:
    """Return the bound, as an integer, along a feature with bins."""
    cdef const Int16Workspace* int16 = &ws.int16
    cdef Py_ssize_t first = table.bins.rare_start[feature], n_rare = table.bins.rare_start[feature + 1] - first
    cdef int n_bins = table.bins.count[feature]
    cdef const unsigned char* bins = table.bins.of_sample + feature * <Py_ssize_t>table.n
    if n_rare < ws.problem.n_members and not table.disabled & RARE_BINS:
        return min_in_bins(bins, table.bins.rare + first, n_rare, n_bins, table.bins.common[feature],
                           int16.costs, int16.total, int16.initial_sums, int16.fits_four_lanes)
    return min_in_bins(bins, ws.problem.members, ws.problem.n_members, n_bins, -1,
                       int16.costs, int16.total, int16.initial_sums, int16.fits_four_lanes)


cdef void sort_member_samples(const SearchTable* table, Workspace* ws, int feature) noexcept nogil:
    """List the members in the order of a feature, as samples, and which of them have the value of the next."""
    cdef Py_ssize_t n = table.n, p
    cdef int word, k = 0
    cdef double value = 0.0
    cdef unsigned long long left
    cdef short* tied = ws.int16.tied_with_next
    cdef const int* order = table.columns.order + feature * n
    cdef const double* column = table.columns.values + feature * n
    mark_members(table, &ws.problem, &ws.scratch, feature)
    for word in range(<int>((n + 63) >> 6)):
        left = ws.scratch.marks[word]
        ws.scratch.marks[word] = 0
        while left:
            p = 64 * <Py_ssize_t>word + lowest_bit(left)
            left &= left - 1
            if k > 0:
                tied[k - 1] = ODDLEARN_INT16_INF * (column[order[p]] == value)
            value = column[order[p]]
            ws.scratch.sorted_members[k] = order[p]
            tied[k] = 0
            k += 1


def min_of_path(const int[::1] path, const short[::1] tied, const short[:, ::1] costs, const short[::1] initial_sums,
                bint fits_four_lanes):
    """Return the smallest value of any split after a sample of the path: the vector code by itself, for tests."""
    return min_on_path(&path[0], &tied[0], path.shape[0], &costs[0, 0], &initial_sums[0], fits_four_lanes)


def min_of_bins(const unsigned char[::1] bins, const int[::1] samples, int n_bins, int common,
                const short[:, ::1] costs, const short[::1] total, const short[::1] initial_sums, bint fits_four_lanes):
    """Return the smallest value of any split after a bin, or of none at all: the vector code by itself, for tests."""
    return min_in_bins(&bins[0], &samples[0], samples.shape[0], n_bins, common, &costs[0, 0], &total[0], &initial_sums[0],
                       fits_four_lanes)
