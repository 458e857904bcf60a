"""Everything that is derived from a diagram's splits and arcs, computed from scratch."""

from libc.math cimport INFINITY

from oddlearn.kernels.local_search.constraint_activity cimport compute_activities, set_leaf_classes
from oddlearn.kernels.local_search.diagram_state cimport count_in_degrees, route_samples, set_sides, set_values
from oddlearn.kernels.local_search.search_table cimport EVERYTHING_POSITIVE, has_constraints


cdef void recompute(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Compute everything that is derived from splits and arcs: in-degrees, values, routes, objective."""
    cdef int v
    cdef Py_ssize_t i
    cdef double loss = 0.0
    count_in_degrees(table, state)
    for v in range(table.N - 1, -1, -1):
        if state.graph.in_degree[v] > 0:
            set_values(table, state, v)
            if has_constraints(table):
                set_leaf_classes(table, state, v)
    route_samples(table, state, 0)
    for i in range(table.n):
        loss += state.routing.value[i]
    state.totals.objective = state.totals.unpenalised = loss + table.node_price * (state.totals.n_active - 1)
    if table.constraints != NULL:
        compute_activities(table, state)


cdef void make_constant(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Make the diagram of the root alone: every sample to the cheapest class, of those that violate the rows least."""
    cdef int c, best = 0
    cdef Py_ssize_t i
    cdef double total, least = INFINITY, violation = INFINITY
    if table.constraints != NULL:
        for c in range(table.C):
            send_all_to_class(table, state, c)
            if state.totals.violation < violation or (state.totals.violation == violation and state.totals.objective < least):
                violation, least, best = state.totals.violation, state.totals.objective, c
        send_all_to_class(table, state, best)
        return
    for c in range(table.C):
        total = 0.0
        for i in range(table.n):
            total += table.costs.cost[c * <Py_ssize_t>table.n + i]
        if total < least:
            least = total
            best = c
    send_all_to_class(table, state, best)


cdef void send_all_to_class(const SearchTable* table, DiagramState* state, int c) noexcept nogil:
    """Make the diagram of the root alone, every sample to one class."""
    state.graph.feature[0] = EVERYTHING_POSITIVE
    state.graph.child[0] = state.graph.child[1] = table.N + c
    set_sides(table, state, 0, NULL)
    recompute(table, state)
