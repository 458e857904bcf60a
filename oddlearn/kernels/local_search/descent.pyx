"""Descent: moves until nothing helps."""

from libc.string cimport memset

from oddlearn.kernels.common.rng cimport draw_unit
from oddlearn.kernels.local_search.diagram_state cimport collapse_idle_nodes, count_in_degrees
from oddlearn.kernels.local_search.incumbent cimport update_incumbent
from oddlearn.kernels.local_search.moves cimport grow_arc, improve_node
from oddlearn.kernels.local_search.node_removal cimport remove_node, repair
from oddlearn.kernels.local_search.recompute cimport recompute
from oddlearn.kernels.local_search.workspace cimport count_work, out_of_time

# a descent is given up when as many more rounds like the last would not bring it down to its target
cdef double MAX_ROUNDS_LEFT = 2.0


cdef void sweep_nodes(const SearchTable* table, DiagramState* state, Workspace* ws, bint accepts_ties) noexcept nogil:
    """Improve the nodes once, from the lowest layer to the root."""
    cdef int v
    cdef bint changed = False
    for v in range(table.N - 1, -1, -1):
        if out_of_time(&ws.clock):
            break
        if state.graph.in_degree[v] > 0 and not ws.moves.is_frozen[v]:
            changed |= improve_node(table, state, ws, v, accepts_ties)
    count_work(ws, table.n, table.L)
    count_in_degrees(table, state)
    changed |= collapse_idle_nodes(table, state)
    if changed:
        recompute(table, state)


cdef void improve_all_nodes(
    const SearchTable* table, DiagramState* state, Workspace* ws, bint accepts_ties, bint prunes
) noexcept nogil:
    """Improve all nodes once, grow where it pays, and with `prunes` remove nodes that do not pay."""
    cdef int v, s
    sweep_nodes(table, state, ws, accepts_ties)
    for v in range(table.N):
        for s in range(2):
            if state.graph.in_degree[v] > 0 and not out_of_time(&ws.clock):
                grow_arc(table, state, ws, v, s)
    for v in range(table.N - 1, 0, -1):
        if prunes and state.graph.in_degree[v] > 0 and not ws.moves.is_frozen[v]:
            remove_node(table, state, ws, v, False)


cdef void descend(const SearchTable* table, DiagramState* state, Workspace* ws, double objective_target) noexcept nogil:
    """Improve, grow and remove nodes until nothing helps, or the objective falls too slowly to reach its target."""
    cdef double before
    cdef bint accepts_ties = draw_unit(&ws.rng) < 0.7, first = True
    # measured to help with univariate splits only: with hyperplanes pruning never waits
    cdef bint prunes = table.oblique or draw_unit(&ws.rng) < 0.7
    if table.constraints != NULL:
        repair(table, state, ws)
        update_incumbent(table, state, ws)
    while not out_of_time(&ws.clock):
        before = state.totals.objective
        improve_all_nodes(table, state, ws, accepts_ties, prunes)
        update_incumbent(table, state, ws)
        memset(ws.moves.is_frozen, 0, table.N)
        if not first and state.totals.objective >= before - table.tolerance:
            break
        if not first and state.totals.objective - MAX_ROUNDS_LEFT * (before - state.totals.objective) > objective_target:
            break
        accepts_ties = first = False
