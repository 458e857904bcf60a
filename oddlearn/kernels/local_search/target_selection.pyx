"""Targets of a node's problem that no good split has: found by the cost of members that choose freely between two."""

from oddlearn.kernels.local_search.diagram_state cimport value_row
from oddlearn.kernels.local_search.workspace cimport NodeProblem

cdef extern from "local_search/split_scan.h" nogil:
    void sum_pairs(const double* costs, long count, int targets, double* sums)


cdef int index_of(int target, const int* targets, int T) noexcept nogil:
    """Return the position of a target in a list, or -1."""
    cdef int t
    for t in range(T):
        if targets[t] == target:
            return t
    return -1


cdef int useful_targets(
    const SearchTable* table, const DiagramState* state, Workspace* ws, double limit, int* kept
) noexcept nogil:
    """List the targets that a split within the limit may have, by the cost of members that choose freely between two."""
    cdef NodeProblem* problem = &ws.problem
    cdef int t, u, T = problem.n_targets, count = 0
    cdef double* sums = ws.scratch.pair_costs
    for t in range(T):
        kept[t] = 0
    if table.costs.label != NULL:
        sum_pairs_by_class(table, state, problem, sums)
    else:
        sum_pairs(problem.costs, problem.n_members, T, sums)
    for t in range(1, T):
        for u in range(t):
            if sums[t * T + u] + problem.target_price[t] + problem.target_price[u] <= limit:
                kept[t] = kept[u] = 1
    for t in range(T):
        if kept[t]:
            kept[count] = t
            count += 1
    return count


cdef void sum_pairs_by_class(
    const SearchTable* table, const DiagramState* state, const NodeProblem* problem, double* sums
) noexcept nogil:
    """Sum the costs of members that choose between two targets, where a member costs nothing at its class."""
    cdef int t, u, k, i, T = problem.n_targets, C = table.C, nodes = T - C
    cdef double total
    cdef const double* one
    cdef const double* other
    for t in range(1, nodes):
        one = value_row(table, state, problem.targets[t])
        for u in range(t):
            other = value_row(table, state, problem.targets[u])
            total = 0.0
            for k in range(problem.n_members):
                i = problem.members[k]
                total += one[i] if one[i] < other[i] else other[i]
            sums[t * T + u] = total
    for t in range(nodes, T):
        for u in range(nodes):
            sums[t * T + u] = problem.total_costs[u] - problem.class_costs[u * C + t - nodes]
        for u in range(nodes, t):
            sums[t * T + u] = problem.total_costs[u] - problem.class_costs[nodes * C + t - nodes]


cdef void drop_targets(const SearchTable* table, const DiagramState* state, Workspace* ws, double limit) noexcept nogil:
    """Drop the targets that no split within the limit has."""
    cdef NodeProblem* problem = &ws.problem
    cdef int t, T = problem.n_targets, count = useful_targets(table, state, ws, limit, ws.scratch.match)
    cdef const int* kept = ws.scratch.match
    cdef Py_ssize_t k
    cdef double* old = problem.costs
    cdef double* new = problem.costs
    problem.n_targets = count
    for t in range(count):
        problem.targets[t] = problem.targets[kept[t]]
        problem.target_price[t] = problem.target_price[kept[t]]
        problem.total_costs[t] = problem.total_costs[kept[t]]
    if count == T or table.costs.label != NULL:
        return
    for k in range(problem.n_members):
        for t in range(count):
            new[t] = old[kept[t]]
        old += T
        new += count
