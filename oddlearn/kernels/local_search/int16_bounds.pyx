"""Lower bounds on the cuts along a feature, where costs are small whole numbers.

Costs are multiplied by as large a whole number as 16 bits allow, and so are charges, which are then rounded down: the sums
at all targets fit in one or two vectors. What comes out is not above the value of any cut, and below the least of them
by less than two units.
"""

from libc.math cimport floor
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from oddlearn.kernels.common.bits cimport lowest_bit
from oddlearn.kernels.local_search.best_split cimport mark_members
from oddlearn.kernels.local_search.workspace cimport Steps

cdef extern from "local_search/int16_scan.h" nogil:
    int ODDLEARN_MOST_LANES
    int ODDLEARN_ENDLESS
    int least_on_path(const int* path, const int* joined, long count, const short* steps, const short* begin, bint few)
    int least_in_bins(const unsigned char* bins, const int* samples, long count, int n_bins, int common,
                      const short* steps, const short* every, const short* begin, bint few)

# where members are fewer than this share of the samples, the path leads through members only
cdef double FEW_SHARE = 0.25


cdef bint new_steps(const Table* table, Desk* desk) noexcept nogil:
    """Memory for whole numbers; False where it is short."""
    cdef Steps* steps = <Steps*>calloc(1, sizeof(Steps))
    desk.steps = steps
    if steps == NULL:
        return False
    steps.cost = <short*>malloc(8 * <Py_ssize_t>table.n * sizeof(short))
    steps.joined = <int*>malloc(table.n * sizeof(int))
    return steps.cost != NULL and steps.joined != NULL


cdef void free_steps(Desk* desk) noexcept nogil:
    if desk.steps != NULL:
        free(desk.steps.cost)
        free(desk.steps.joined)
    free(desk.steps)


cdef bint lay_steps(const Table* table, Desk* desk) noexcept nogil:
    """Put the members' costs on the desk as small whole numbers; False where they are not."""
    cdef Steps* steps = desk.steps
    cdef int t, k, T = desk.T, after = 4 if T <= 4 else 8
    cdef double most = 1.0
    cdef short* cost
    cdef const double* row
    if steps == NULL or T > ODDLEARN_MOST_LANES:
        return False
    for t in range(T):
        most = max(most, desk.total[t] + 2.0 * desk.charge[t])
    steps.scale = floor(ODDLEARN_ENDLESS / most)
    if steps.scale < 1.0:
        return False
    steps.few = T <= 4
    memset(steps.cost, 0, 8 * <Py_ssize_t>table.n * sizeof(short))
    memset(steps.every, 0, 8 * sizeof(short))
    for k in range(desk.n_members):
        row = desk.rows + k * <Py_ssize_t>T
        cost = steps.cost + 8 * <Py_ssize_t>desk.members[k]
        for t in range(T):
            cost[t] = <short>(steps.scale * row[t])
            if steps.few:
                cost[4 + t] = -cost[t]
    for t in range(16):
        steps.begin[t] = ODDLEARN_ENDLESS
    for t in range(T):
        steps.every[t] = <short>(steps.scale * desk.total[t])
        if steps.few:
            steps.every[4 + t] = -steps.every[t]
        steps.begin[t] = <short>floor(steps.scale * desk.charge[t])
        steps.begin[after + t] = steps.begin[t] + steps.every[t]
    return True


cdef double least_whole(const Table* table, Desk* desk, int feature) noexcept nogil:
    """A lower bound on every cut of the members along the feature, whatever its margin, and on no cut at all."""
    cdef const Steps* steps = desk.steps
    cdef Py_ssize_t column = feature * <Py_ssize_t>table.n
    cdef int least
    if table.n_bins[feature] > 0:
        least = least_by_value(table, desk, feature)
    elif desk.n_members < FEW_SHARE * table.n:
        find_path(table, desk, feature)
        least = least_on_path(desk.run, steps.joined, desk.n_members, steps.cost, steps.begin, steps.few)
    else:
        least = least_on_path(table.order + column, table.joined + column, table.n, steps.cost, steps.begin, steps.few)
    return least / steps.scale - table.tolerance


cdef int least_by_value(const Table* table, const Desk* desk, int feature) noexcept nogil:
    """`least_whole`, in whole numbers, along a feature with bins."""
    cdef const Steps* steps = desk.steps
    cdef Py_ssize_t first = table.rare_first[feature], n_rare = table.rare_first[feature + 1] - first
    cdef int n_bins = table.n_bins[feature]
    cdef const unsigned char* bins = table.bins + feature * <Py_ssize_t>table.n
    if n_rare < desk.n_members:
        return least_in_bins(bins, table.rare + first, n_rare, n_bins, table.common[feature], steps.cost, steps.every,
                             steps.begin, steps.few)
    return least_in_bins(bins, desk.members, desk.n_members, n_bins, -1, steps.cost, steps.every, steps.begin, steps.few)


cdef void find_path(const Table* table, Desk* desk, int feature) noexcept nogil:
    """The members in the order of a feature, as samples, and which of them have the value of the next."""
    cdef Py_ssize_t n = table.n, p
    cdef int word, k = 0
    cdef double value = 0.0
    cdef unsigned long long left
    cdef int* joined = desk.steps.joined
    cdef const int* order = table.order + feature * n
    cdef const double* ordered = table.ordered + feature * n
    mark_members(table, desk, feature)
    for word in range(<int>((n + 63) >> 6)):
        left = desk.marks[word]
        desk.marks[word] = 0
        while left:
            p = 64 * <Py_ssize_t>word + lowest_bit(left)
            left &= left - 1
            if k > 0:
                joined[k - 1] = ODDLEARN_ENDLESS * (ordered[p] == value)
            value = ordered[p]
            desk.run[k] = order[p]
            joined[k] = 0
            k += 1


def least_of(const int[::1] path, const int[::1] joined, const short[:, ::1] cost, const short[::1] begin, bint few):
    """Return the least value of any cut after a sample of the path: the vector code, to be tried by itself."""
    return least_on_path(&path[0], &joined[0], path.shape[0], &cost[0, 0], &begin[0], few)


def least_of_bins(const unsigned char[::1] bins, const int[::1] samples, int n_bins, int common,
                  const short[:, ::1] cost, const short[::1] every, const short[::1] begin, bint few):
    """Return the least value of any cut after a bin, or of none at all."""
    return least_in_bins(&bins[0], &samples[0], samples.shape[0], n_bins, common, &cost[0, 0], &every[0], &begin[0], few)
