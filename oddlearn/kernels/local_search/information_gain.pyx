"""The split with the largest information gain, over a random choice of features."""

from libc.math cimport INFINITY, log2
from libc.string cimport memset

from oddlearn.kernels.common.rng cimport draw_below
from oddlearn.kernels.local_search.member_order cimport sort_members
from oddlearn.kernels.local_search.search_table cimport EVERYTHING_POSITIVE
from oddlearn.kernels.local_search.workspace cimport between, out_of_time


cdef inline double entropy_mass(const double* weights, int C) noexcept nogil:
    """Return the total weight times the entropy of its classes."""
    cdef int c
    cdef double total = 0.0, mass = 0.0
    for c in range(C):
        if weights[c] > 0.0:
            total += weights[c]
            mass -= weights[c] * log2(weights[c])
    return mass + (total * log2(total) if total > 0.0 else 0.0)


cdef double scan_gain(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil:
    """Lower `split.value`, the entropy left after the split, along the sorted members."""
    cdef SplitScratch* scratch = &ws.scratch
    cdef Py_ssize_t k, n = table.n
    cdef int c, i, C = table.C, m = ws.problem.n_members
    cdef double left, weight = 0.0
    cdef double* before = ws.gain.class_weights
    cdef double* after = ws.gain.class_weights + C
    cdef const double* total = ws.gain.class_weights + 2 * C
    for c in range(C):
        before[c] = 0.0
        after[c] = total[c]
    for k in range(m):
        if (
            k > 0 and scratch.keys[k] - scratch.keys[k - 1] >= table.margin
            and (ws.gain.min_side_weight == 0.0 or ws.gain.min_side_weight <= min(weight, ws.constrained.flow - weight))
        ):
            left = entropy_mass(before, C) + entropy_mass(after, C)
            if left < split.value:
                split.value = left
                split.feature = feature
                split.threshold = between(scratch.keys[k - 1], scratch.keys[k])
        i = ws.problem.members[scratch.sorted_members[k]]
        if ws.gain.min_side_weight > 0.0:
            weight += table.constraints.flow_weight[i]
        for c in range(C):
            before[c] += table.costs.class_weight[c * n + i]
            after[c] -= table.costs.class_weight[c * n + i]
    return split.value


cdef int cheapest_terminal(
    const SearchTable* table, const Workspace* ws, const NodeSplit* split, bint positive
) noexcept nogil:
    """Return the terminal that costs least for the members on one side of the split."""
    cdef Py_ssize_t n = table.n
    cdef int c, k, i, best = 0
    cdef double total, least = INFINITY
    cdef const double* column = table.columns.values + split.feature * n
    for c in range(table.C):
        total = 0.0
        for k in range(ws.problem.n_members):
            i = ws.problem.members[k]
            if (column[i] >= split.threshold) == positive:
                total += table.costs.cost[c * n + i]
        if total < least:
            least = total
            best = c
    return table.N + best


cdef bint max_gain_split(const SearchTable* table, Workspace* ws, int n_tried, NodeSplit* split) noexcept nogil:
    """Find the members' split of least entropy over `n_tried` random features; False where there is none.

    Both targets are the cheapest terminals.
    """
    cdef Py_ssize_t n = table.n
    cdef int c, j, k, swap
    cdef double* total = ws.gain.class_weights + 2 * table.C
    split.value = INFINITY
    split.feature = EVERYTHING_POSITIVE
    memset(total, 0, table.C * sizeof(double))
    for k in range(ws.problem.n_members):
        for c in range(table.C):
            total[c] += table.costs.class_weight[c * n + ws.problem.members[k]]
    for j in range(table.d):
        ws.gain.features[j] = j
    for j in range(min(n_tried, table.d)):
        if ws.problem.n_members > 2000 and out_of_time(&ws.clock):
            break
        k = j + draw_below(&ws.rng, table.d - j)
        swap = ws.gain.features[j]
        ws.gain.features[j] = ws.gain.features[k]
        ws.gain.features[k] = swap
        sort_members(table, &ws.problem, &ws.scratch, ws.gain.features[j])
        scan_gain(table, ws, split, ws.gain.features[j])
    if split.feature < 0:
        return False
    split.negative = cheapest_terminal(table, ws, split, False)
    split.positive = cheapest_terminal(table, ws, split, True)
    return True
