"""Moves of the search: re-optimise a node, or grow one on an arc."""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from oddlearn.kernels.common.hashing cimport combine_hashes, hash_number
from oddlearn.kernels.common.rng cimport draw_below
from oddlearn.kernels.local_search.constrained_split cimport class_penalty
from oddlearn.kernels.local_search.constraint_activity cimport allows_node
from oddlearn.kernels.local_search.diagram_state cimport (
    copy_state, count_in_degrees, no_row_violated, node_keeps_margin, set_sides, set_values, target_hash,
)
from oddlearn.kernels.local_search.incremental_split cimport find_best_split
from oddlearn.kernels.local_search.node_problem cimport (
    compute_target_costs, cost_at_target, hash_targets, list_targets, load_arc_samples, load_node_samples, present_target_price,
)
from oddlearn.kernels.local_search.node_removal cimport accept_or_undo
from oddlearn.kernels.local_search.oblique_split cimport refine_split
from oddlearn.kernels.local_search.recompute cimport recompute
from oddlearn.kernels.local_search.search_table cimport HYPERPLANE, TRIED_HYPERPLANES, has_constraints
from oddlearn.kernels.local_search.workspace cimport NodeProblem, count_work, is_known_useless, record_useless


cdef void apply_split(
    const SearchTable* table, DiagramState* state, Workspace* ws, int node, const NodeSplit* split
) noexcept nogil:
    """Give the node a split and its targets."""
    if split.feature == HYPERPLANE:
        memcpy(state.graph.weights + <Py_ssize_t>node * table.d, ws.oblique.best_normal, table.d * sizeof(double))
    state.graph.feature[node] = split.feature
    state.graph.threshold[node] = split.threshold
    state.graph.child[2 * node] = split.negative
    state.graph.child[2 * node + 1] = split.positive
    set_sides(table, state, node, ws.scratch.projection)


cdef bint is_plain_univariate(const SearchTable* table) noexcept nogil:
    """Return whether a move is judged by the best split along a feature alone."""
    return not table.oblique and not has_constraints(table)


cdef double row_penalty(const SearchTable* table, const DiagramState* state) noexcept nogil:
    """Return the penalty of the rows on classes at present, with which a move is judged."""
    return class_penalty(table, state) if has_constraints(table) else 0.0


cdef bint worth_refining(const SearchTable* table, Workspace* ws, int node, bint accepts_ties) noexcept nogil:
    """Return whether to look for hyperplanes: not again for the problem tried last, but for one time in four."""
    if table.disabled & TRIED_HYPERPLANES:
        return True
    return ws.oblique.tried_hash[node] != ws.problem.hash or (accepts_ties and draw_below(&ws.rng, 4) == 0)


cdef bint improve_node(
    const SearchTable* table, DiagramState* state, Workspace* ws, int node, bint accepts_ties
) noexcept nogil:
    """Give the node its best split and arcs, all else fixed; return whether it changed.

    With `accepts_ties` an equally good split may replace the present one. A split that has lost its margin is replaced
    whatever it costs.
    """
    cdef NodeProblem* problem = &ws.problem
    cdef NodeSplit split
    cdef double bound, present, limit, search_limit
    cdef bint valid, found
    cdef unsigned long long hash
    set_values(table, state, node)
    list_targets(table, state, ws, node, table.layers.of_node[node])
    hash = combine_hashes(combine_hashes(1, state.hashes.arc[2 * node]), state.hashes.arc[2 * node + 1])
    hash = combine_hashes(hash_number(hash, state.graph.threshold[node]), state.hashes.value[node])
    hash = hash_targets(table, state, problem, hash)
    if no_row_violated(table, state) and is_known_useless(&ws.caches, hash):
        if not (accepts_ties and draw_below(&ws.rng, 4) == 0):
            return False
    load_node_samples(table, state, problem, node)
    count_work(ws, table.n, 0.5)
    count_work(ws, problem.n_members, problem.n_targets)
    if problem.n_members == 0:
        return False
    bound = compute_target_costs(table, state, ws)
    present = cost_at_target(table, state, problem, node) + present_target_price(state, problem, node)
    present += row_penalty(table, state)
    valid = node_keeps_margin(table, state, node, problem.members, problem.n_members, ws.scratch.projection)
    if valid and not accepts_ties and present <= bound + table.tolerance:
        record_useless(&ws.caches, hash)
        return False
    limit = present if accepts_ties else present - 2.0 * table.tolerance
    # a hyperplane may be found from a worse split, and a lost margin is restored at any price
    search_limit = limit if valid and is_plain_univariate(table) else INFINITY
    found = find_best_split(table, state, ws, node, search_limit, &split)
    if table.oblique and not ws.clock.is_late and worth_refining(table, ws, node, accepts_ties):
        refine_split(table, state, ws, node, &split)
        ws.oblique.tried_hash[node] = problem.hash
    if ws.clock.is_late:
        return False
    if not found or (valid and split.value > limit + table.tolerance):
        if not has_constraints(table):
            record_useless(&ws.caches, hash)
        return False
    if has_constraints(table):
        return improve_constrained(table, state, ws, node, &split, valid, accepts_ties)
    apply_split(table, state, ws, node, &split)
    set_values(table, state, node)
    count_in_degrees(table, state)
    return True


cdef bint improve_constrained(
    const SearchTable* table, DiagramState* state, Workspace* ws, int node, const NodeSplit* split, bint valid,
    bint accepts_ties
) noexcept nogil:
    """Give the node the split if the whole diagram, repaired, is then better, or with `accepts_ties` as good."""
    cdef double allowed = state.totals.objective + (table.tolerance if accepts_ties else -table.tolerance)
    if not valid:
        allowed = INFINITY
    copy_state(&ws.copies.undo, state)
    apply_split(table, state, ws, node, split)
    return accept_or_undo(table, state, ws, allowed)


cdef int free_slot(const SearchTable* table, const DiagramState* state, int layer) noexcept nogil:
    """Return an inactive slot of the layer, or -1."""
    cdef int u
    if layer >= table.L or not allows_node(table, state, layer):
        return -1
    for u in range(table.layers.first[layer], table.layers.first[layer + 1]):
        if state.graph.in_degree[u] == 0:
            return u
    return -1


cdef bint grow_arc(const SearchTable* table, DiagramState* state, Workspace* ws, int node, int side) noexcept nogil:
    """Put a new node on the arc if it pays; return whether it did."""
    cdef NodeSplit split
    cdef int target = state.graph.child[2 * node + side], layer = table.layers.of_node[node] + 1
    cdef int slot = free_slot(table, state, layer)
    cdef double present, limit, search_limit
    cdef bint found
    cdef unsigned long long hash
    if slot < 0 or (target < table.N and (table.tree_only or state.graph.in_degree[target] == 1)):
        return False
    list_targets(table, state, ws, -1, layer)
    hash = combine_hashes(combine_hashes(2, state.hashes.arc[2 * node + side]), target_hash(table, state, target))
    hash = hash_targets(table, state, &ws.problem, hash)
    if no_row_violated(table, state) and is_known_useless(&ws.caches, hash):
        return False
    load_arc_samples(table, state, &ws.problem, node, side)
    count_work(ws, table.n, 0.5)
    count_work(ws, ws.problem.n_members, ws.problem.n_targets)
    if ws.problem.n_members < 2:
        return False
    present = cost_at_target(table, state, &ws.problem, target) - table.node_price + row_penalty(table, state)
    if compute_target_costs(table, state, ws) >= present - table.tolerance:
        if no_row_violated(table, state):
            record_useless(&ws.caches, hash)
        return False
    if has_constraints(table) and state.rows.arc_flow[2 * node + side] < table.constraints.min_flow[layer]:
        return False
    limit = present - 2.0 * table.tolerance
    search_limit = limit if is_plain_univariate(table) else INFINITY
    found = find_best_split(table, state, ws, table.N + 2 * node + side, search_limit, &split)
    if table.oblique and not ws.clock.is_late and worth_refining(table, ws, slot, False):
        refine_split(table, state, ws, -1, &split)
        ws.oblique.tried_hash[slot] = ws.problem.hash
    if ws.clock.is_late:
        return False
    if not found or split.value > limit + table.tolerance:
        if not has_constraints(table):
            record_useless(&ws.caches, hash)
        return False
    if has_constraints(table):
        copy_state(&ws.copies.undo, state)
    apply_split(table, state, ws, slot, &split)
    state.graph.child[2 * node + side] = slot
    if has_constraints(table):
        return accept_or_undo(table, state, ws, ws.copies.undo.totals.objective - table.tolerance)
    recompute(table, state)
    return True
