"""The cut with the largest information gain, over a random choice of features."""

from libc.math cimport INFINITY, log2
from libc.string cimport memset

from oddlearn.kernels.common.rng cimport below
from oddlearn.kernels.local_search.best_split cimport between, line_up
from oddlearn.kernels.local_search.workspace cimport Cut, Desk, out_of_time
from oddlearn.kernels.local_search.diagram_state cimport EVERYTHING_POSITIVE, Table


cdef inline double entropy_mass(const double* weights, int C) noexcept nogil:
    """Total weight times the entropy of its classes."""
    cdef int c
    cdef double total = 0.0, mass = 0.0
    for c in range(C):
        if weights[c] > 0.0:
            total += weights[c]
            mass -= weights[c] * log2(weights[c])
    return mass + (total * log2(total) if total > 0.0 else 0.0)


cdef double scan_gain(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil:
    """Lower `cut.value`, the entropy left after the cut, along the run on the desk."""
    cdef Py_ssize_t k, n = table.n
    cdef int c, i, C = table.C, m = desk.n_members
    cdef double left, weight = 0.0
    cdef double* before = desk.weights
    cdef double* after = desk.weights + C
    cdef const double* every = desk.weights + 2 * C
    for c in range(C):
        before[c] = 0.0
        after[c] = every[c]
    for k in range(m):
        if (
            k > 0 and desk.keys[k] - desk.keys[k - 1] >= table.margin
            and (desk.least_cut == 0.0 or desk.least_cut <= min(weight, desk.tally.weight - weight))
        ):
            left = entropy_mass(before, C) + entropy_mass(after, C)
            if left < cut.value:
                cut.value = left
                cut.feature = feature
                cut.threshold = between(desk.keys[k - 1], desk.keys[k])
        i = desk.members[desk.run[k]]
        if desk.least_cut > 0.0:
            weight += table.rules.flow_weight[i]
        for c in range(C):
            before[c] += table.weight[c * n + i]
            after[c] -= table.weight[c * n + i]
    return cut.value


cdef int cheapest(const Table* table, const Desk* desk, const Cut* cut, bint positive) noexcept nogil:
    """The terminal that costs least for the members on one side of the cut."""
    cdef Py_ssize_t n = table.n
    cdef int c, k, i, best = 0
    cdef double total, least = INFINITY
    cdef const double* column = table.columns + cut.feature * n
    for c in range(table.C):
        total = 0.0
        for k in range(desk.n_members):
            i = desk.members[k]
            if (column[i] >= cut.threshold) == positive:
                total += table.cost[c * n + i]
        if total < least:
            least = total
            best = c
    return table.N + best


cdef bint gain_cut(const Table* table, Desk* desk, int n_tried, Cut* cut) noexcept nogil:
    """Find the members' cut of least entropy over `n_tried` random features; False where there is none.

    Both targets are the cheapest terminals.
    """
    cdef Py_ssize_t n = table.n
    cdef int c, j, k, swap
    cdef double* every = desk.weights + 2 * table.C
    cut.value = INFINITY
    cut.feature = EVERYTHING_POSITIVE
    memset(every, 0, table.C * sizeof(double))
    for k in range(desk.n_members):
        for c in range(table.C):
            every[c] += table.weight[c * n + desk.members[k]]
    for j in range(table.d):
        desk.shuffled[j] = j
    for j in range(min(n_tried, table.d)):
        if desk.n_members > 2000 and out_of_time(desk):
            break
        k = j + below(&desk.chance, table.d - j)
        swap = desk.shuffled[j]
        desk.shuffled[j] = desk.shuffled[k]
        desk.shuffled[k] = swap
        line_up(table, desk, desk.shuffled[j])
        scan_gain(table, desk, cut, desk.shuffled[j])
    if cut.feature < 0:
        return False
    cut.negative = cheapest(table, desk, cut, False)
    cut.positive = cheapest(table, desk, cut, True)
    return True
