"""The best diagram so far."""

from oddlearn.kernels.local_search.diagram_state cimport copy_state, node_keeps_margin
from oddlearn.kernels.local_search.node_problem cimport load_node_samples


cdef bint update_incumbent(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil:
    """Keep the diagram if it is the best so far and keeps every margin and hard row; return whether it is."""
    if table.constraints != NULL and state.totals.violation > 0.0:
        return False
    if state.totals.objective >= ws.copies.best.totals.objective - table.tolerance or not keeps_margins(table, state, ws):
        return False
    copy_state(&ws.copies.best, state)
    return True


cdef bint keeps_margins(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil:
    """Return whether every active node keeps its margin."""
    cdef int v
    if not table.oblique:
        return True
    for v in range(table.N):
        if state.graph.in_degree[v] == 0:
            continue
        load_node_samples(table, state, &ws.problem, v)
        if not node_keeps_margin(table, state, v, ws.problem.members, ws.problem.n_members, ws.scratch.projection):
            return False
    return True
