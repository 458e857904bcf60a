"""Remove a node, and repair a diagram that has too many of them or too little flow."""

from libc.math cimport INFINITY

from oddlearn.kernels.common.hashing cimport combine_hashes, hash_number
from oddlearn.kernels.local_search.constraint_activity cimport exceeds_node_limits, find_min_flow_violation
from oddlearn.kernels.local_search.diagram_state cimport collapse_idle_nodes, copy_state, count_orphans, no_row_violated
from oddlearn.kernels.local_search.incumbent cimport update_incumbent
from oddlearn.kernels.local_search.node_problem cimport cost_at_target, load_arc_samples
from oddlearn.kernels.local_search.recompute cimport make_constant, recompute
from oddlearn.kernels.local_search.search_table cimport has_constraints
from oddlearn.kernels.local_search.workspace cimport is_known_useless, record_useless


cdef int best_replacement(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int node, double* cost
) noexcept nogil:
    """Return the cheapest target for the members in place of the node: one of its layer (not in a tree) or a terminal."""
    cdef int target, best = table.N, layer = table.layers.of_node[node]
    cdef double total
    cost[0] = INFINITY
    for target in range(table.layers.first[layer], table.N + table.C):
        if target == node or table.layers.first[layer + 1] <= target < table.N:
            continue
        if target < table.N and (table.tree_only or state.graph.in_degree[target] == 0):
            continue
        total = cost_at_target(table, state, &ws.problem, target)
        if total < cost[0]:
            cost[0] = total
            best = target
    return best


cdef unsigned long long hash_removal(
    const SearchTable* table, const DiagramState* state, int node, double saved
) noexcept nogil:
    """Return a hash of the arcs into a node and of the targets they may get instead."""
    cdef int v, arc, layer = table.layers.of_node[node]
    cdef unsigned long long hash = combine_hashes(hash_number(3, saved), state.hashes.value[node])
    for v in range(table.layers.first[layer], table.layers.first[layer + 1]):
        hash = combine_hashes(hash, state.hashes.value[v] if state.graph.in_degree[v] > 0 and not table.tree_only else 0)
    for arc in range(2 * table.layers.first[layer - 1], 2 * table.layers.first[layer]):
        if state.graph.in_degree[arc >> 1] > 0 and state.graph.child[arc] == node:
            hash = combine_hashes(hash, state.hashes.arc[arc])
    return hash


cdef bint remove_node(const SearchTable* table, DiagramState* state, Workspace* ws, int node, bint must) noexcept nogil:
    """Send every arc into the node to its best other target if that pays, or in any case; return whether it was done."""
    cdef int arc, layer = table.layers.of_node[node]
    cdef int first_arc = 2 * table.layers.first[layer - 1], last_arc = 2 * table.layers.first[layer]
    cdef double change = -table.node_price * count_orphans(table, state, node, ws.moves.in_degree)
    cdef double cost
    cdef unsigned long long hash = hash_removal(table, state, node, change)
    if not must and no_row_violated(table, state) and is_known_useless(&ws.caches, hash):
        return False
    for arc in range(first_arc, last_arc):
        ws.moves.redirected[arc] = -1
        if state.graph.in_degree[arc >> 1] == 0 or state.graph.child[arc] != node:
            continue
        load_arc_samples(table, state, &ws.problem, arc >> 1, arc & 1)
        ws.moves.redirected[arc] = best_replacement(table, state, ws, node, &cost)
        change += cost - cost_at_target(table, state, &ws.problem, node)
    # with a violated row, a diagram that costs more may still be better
    if not must and change >= -table.tolerance and no_row_violated(table, state):
        record_useless(&ws.caches, hash)
        return False
    if not must and has_constraints(table):
        copy_state(&ws.copies.undo, state)
    for arc in range(first_arc, last_arc):
        if ws.moves.redirected[arc] >= 0:
            state.graph.child[arc] = ws.moves.redirected[arc]
    collapse_idle_nodes(table, state)
    if not must and has_constraints(table):
        return accept_or_undo(table, state, ws, ws.copies.undo.totals.objective - table.tolerance)
    recompute(table, state)
    return True


cdef bint accept_or_undo(const SearchTable* table, DiagramState* state, Workspace* ws, double allowed) noexcept nogil:
    """Repair the diagram after a move under constraints, and undo both unless the objective is as allowed."""
    recompute(table, state)
    repair(table, state, ws)
    if state.totals.objective <= allowed:
        update_incumbent(table, state, ws)
        return True
    copy_state(state, &ws.copies.undo)
    return False


cdef void repair(const SearchTable* table, DiagramState* state, Workspace* ws) noexcept nogil:
    """Remove nodes until there are none too many and none below its minimum flow. It ends: the root carries every sample."""
    cdef int node
    while exceeds_node_limits(table, state) and state.totals.n_active > 1:
        remove_node(table, state, ws, cheapest_removal(table, state, ws), True)
    node = find_min_flow_violation(table, state)
    while node > 0:
        remove_node(table, state, ws, node, True)
        node = find_min_flow_violation(table, state)
    if node == 0:
        make_constant(table, state)


cdef int cheapest_removal(const SearchTable* table, DiagramState* state, Workspace* ws) noexcept nogil:
    """Return the node below the root without which the diagram is best."""
    cdef int v, best = -1
    cdef double least = INFINITY
    copy_state(&ws.copies.spare, state)
    for v in range(table.N - 1, 0, -1):
        if state.graph.in_degree[v] == 0:
            continue
        remove_node(table, state, ws, v, True)
        if state.totals.objective < least or best < 0:
            least = state.totals.objective
            best = v
        copy_state(state, &ws.copies.spare)
    return best
