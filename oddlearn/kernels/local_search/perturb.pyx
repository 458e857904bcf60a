"""Random changes of a diagram, to leave a local optimum."""

from libc.math cimport fabs
from libc.string cimport memcpy

from oddlearn.kernels.common.rng cimport draw_below, draw_unit
from oddlearn.kernels.local_search.diagram_state cimport copy_state, count_in_degrees, route_samples, set_sides
from oddlearn.kernels.local_search.information_gain cimport max_gain_split
from oddlearn.kernels.local_search.moves cimport apply_split, free_slot
from oddlearn.kernels.local_search.node_problem cimport list_targets, load_node_samples
from oddlearn.kernels.local_search.node_removal cimport remove_node
from oddlearn.kernels.local_search.recompute cimport recompute
from oddlearn.kernels.local_search.search_table cimport EVERYTHING_POSITIVE, HYPERPLANE, has_constraints
from oddlearn.kernels.local_search.workspace cimport NodeProblem, NodeSplit


cdef int draw_node(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil:
    """Draw an active node, all with equal chance."""
    cdef int v, k = draw_below(&ws.rng, state.totals.n_active)
    for v in range(table.N):
        if state.graph.in_degree[v] > 0:
            if k == 0:
                return v
            k -= 1
    return 0


cdef void set_min_side_weight(const SearchTable* table, Workspace* ws, int layer) noexcept nogil:
    """Set the minimum weight of each side of a new split: a side's minimum flow, and every other time a node's on it too."""
    cdef int k
    cdef double least = table.constraints.min_side_flow[layer]
    if layer + 1 < table.L and draw_below(&ws.rng, 2) == 0:
        least = max(least, table.constraints.min_flow[layer + 1])
    ws.gain.min_side_weight = least
    ws.constrained.flow = 0.0
    for k in range(ws.problem.n_members):
        ws.constrained.flow += table.constraints.flow_weight[ws.problem.members[k]]


cdef void rebuild_subtree(
    const SearchTable* table, DiagramState* state, Workspace* ws, int node, double bushiness
) noexcept nogil:
    """Rebuild everything below a node by information gain over a few random features."""
    cdef NodeSplit split
    cdef int s, slot, layer = table.layers.of_node[node], tried = 1 + draw_below(&ws.rng, max(1, (2 * table.d) // 3))
    cdef int slots[2]
    load_node_samples(table, state, &ws.problem, node)
    if has_constraints(table):
        set_min_side_weight(table, ws, layer)
    if ws.problem.n_members < 2:
        return
    if not max_gain_split(table, ws, min(tried, 1 + 200000 // ws.problem.n_members), &split):
        return
    apply_split(table, state, ws, node, &split)
    count_in_degrees(table, state)
    for s in range(2):
        slots[s] = -1
        if draw_unit(&ws.rng) < bushiness:
            slot = free_slot(table, state, layer + 1)
            if slot >= 0:
                slots[s] = slot
                state.graph.feature[slot] = EVERYTHING_POSITIVE
                state.graph.child[2 * slot] = state.graph.child[2 * slot + 1] = state.graph.child[2 * node + s]
                state.graph.child[2 * node + s] = slot
                set_sides(table, state, slot, ws.scratch.projection)
                count_in_degrees(table, state)
    route_samples(table, state, layer)
    for s in range(2):
        if slots[s] >= 0:
            rebuild_subtree(table, state, ws, slots[s], bushiness)


cdef void perturb_hyperplane(const SearchTable* table, DiagramState* state, Workspace* ws, int node) noexcept nogil:
    """Turn the node's hyperplane at random about its threshold; arcs as they are."""
    cdef int j
    cdef double norm = 0.0, size = draw_unit(&ws.rng)
    cdef double* weights = state.graph.weights + <Py_ssize_t>node * table.d
    for j in range(table.d):
        if table.max_terms and weights[j] == 0.0:
            continue  # another term
        weights[j] += size * (2.0 * draw_unit(&ws.rng) - 1.0) * (fabs(weights[j]) + 0.3 / table.d)
        norm += fabs(weights[j])
    for j in range(table.d):
        weights[j] /= norm
    ws.moves.is_frozen[node] = 1
    set_sides(table, state, node, ws.scratch.projection)


cdef void draw_split(const SearchTable* table, DiagramState* state, Workspace* ws, int node) noexcept nogil:
    """Draw a feature and a threshold for the node, arcs as they are."""
    cdef NodeProblem* problem = &ws.problem
    cdef int feature = draw_below(&ws.rng, table.d), i, j
    cdef const double* column = table.columns.values + <Py_ssize_t>feature * table.n
    load_node_samples(table, state, problem, node)
    if problem.n_members < 2:
        return
    i = problem.members[draw_below(&ws.rng, problem.n_members)]
    j = problem.members[draw_below(&ws.rng, problem.n_members)]
    if column[i] == column[j]:
        return
    state.graph.feature[node] = feature
    state.graph.threshold[node] = 0.5 * (column[i] + column[j])
    ws.moves.is_frozen[node] = 1
    set_sides(table, state, node, ws.scratch.projection)


cdef void redirect_arc(const SearchTable* table, DiagramState* state, Workspace* ws, int node) noexcept nogil:
    """Draw a target for one arc of the node."""
    cdef int target
    list_targets(table, state, ws, node, table.layers.of_node[node])
    target = draw_below(&ws.rng, ws.problem.n_targets)
    state.graph.child[2 * node + draw_below(&ws.rng, 2)] = ws.problem.targets[target]


cdef void add_random_node(const SearchTable* table, DiagramState* state, Workspace* ws, int node) noexcept nogil:
    """Put a new node on one arc, split by information gain, whether it pays or not."""
    cdef int side = draw_below(&ws.rng, 2), slot = free_slot(table, state, table.layers.of_node[node] + 1)
    if slot < 0 or (table.tree_only and state.graph.child[2 * node + side] < table.N):
        return
    state.graph.feature[slot] = EVERYTHING_POSITIVE
    state.graph.child[2 * slot] = state.graph.child[2 * slot + 1] = state.graph.child[2 * node + side]
    if state.graph.child[2 * slot] < table.N:
        state.graph.child[2 * slot] = state.graph.child[2 * slot + 1] = table.N
    state.graph.child[2 * node + side] = slot
    set_sides(table, state, slot, ws.scratch.projection)
    recompute(table, state)
    rebuild_subtree(table, state, ws, slot, 0.0)


cdef void copy_subtree(
    const SearchTable* table, const DiagramState* source, int root, DiagramState* state, int slot
) noexcept nogil:
    """Copy a node and what hangs below it into a slot, as far as there are free slots below."""
    cdef int s, target, free
    cdef Py_ssize_t n = table.n, d = table.d
    state.graph.feature[slot], state.graph.threshold[slot] = source.graph.feature[root], source.graph.threshold[root]
    state.hashes.side[slot] = source.hashes.side[root]
    memcpy(state.routing.side + slot * n, source.routing.side + root * n, n)
    if table.oblique:
        memcpy(state.graph.weights + slot * d, source.graph.weights + root * d, d * sizeof(double))
    state.graph.in_degree[slot] = 1
    for s in range(2):
        target = source.graph.child[2 * root + s]
        state.graph.child[2 * slot + s] = target if target >= table.N else table.N
        free = free_slot(table, state, table.layers.of_node[slot] + 1) if target < table.N else -1
        if free >= 0:
            state.graph.child[2 * slot + s] = free
            copy_subtree(table, source, target, state, free)


cdef void lift_child(const SearchTable* table, DiagramState* state, Workspace* ws, int node) noexcept nogil:
    """Put a child and what hangs below it in the node's place, in a tree."""
    cdef int child = state.graph.child[2 * node + draw_below(&ws.rng, 2)]
    if child >= table.N:
        return
    copy_state(&ws.copies.spare, state)
    state.graph.child[2 * node] = state.graph.child[2 * node + 1] = table.N
    count_in_degrees(table, state)
    copy_subtree(table, &ws.copies.spare, child, state, node)


cdef void push_down(const SearchTable* table, DiagramState* state, Workspace* ws, int node) noexcept nogil:
    """Put a new split, by information gain, above the node and what hangs below it, in a tree."""
    cdef NodeSplit split
    cdef int slot
    load_node_samples(table, state, &ws.problem, node)
    if table.layers.of_node[node] + 1 >= table.L or ws.problem.n_members < 2:
        return
    ws.gain.min_side_weight = 0.0
    if not max_gain_split(table, ws, 1 + draw_below(&ws.rng, table.d), &split):
        return
    copy_state(&ws.copies.spare, state)
    apply_split(table, state, ws, node, &split)
    count_in_degrees(table, state)
    slot = free_slot(table, state, table.layers.of_node[node] + 1)
    if slot >= 0:
        state.graph.child[2 * node + draw_below(&ws.rng, 2)] = slot
        copy_subtree(table, &ws.copies.spare, node, state, slot)


cdef void perturb(const SearchTable* table, DiagramState* state, Workspace* ws) noexcept nogil:
    """Change one or two things at random."""
    cdef int kind, node, times = 1 + draw_below(&ws.rng, 2)
    if table.constraints != NULL:
        table.constraints.extra_nodes = draw_below(&ws.rng, 2)
    for _ in range(times):
        node = draw_node(table, state, ws)
        kind = draw_below(&ws.rng, 10)
        if kind < 2 and state.graph.feature[node] == HYPERPLANE:
            perturb_hyperplane(table, state, ws, node)
        elif kind < 1 and table.tree_only:
            lift_child(table, state, ws, node)
        elif kind < 2 and table.tree_only:
            push_down(table, state, ws, node)
        elif kind < 4:
            draw_split(table, state, ws, node)
        elif kind < 7:
            rebuild_subtree(table, state, ws, node, 0.5 if table.oblique else 0.3 + 0.7 * draw_unit(&ws.rng))
        elif kind < 8:
            redirect_arc(table, state, ws, node)
        elif kind < 9:
            add_random_node(table, state, ws, node)
        elif node > 0:
            remove_node(table, state, ws, node, True)
        if table.tree_only:
            remove_double_arcs(table, state)
        recompute(table, state)
    if table.constraints != NULL:
        table.constraints.extra_nodes = 0


cdef void remove_double_arcs(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Keep only the positive half of arc pairs that end in one node, in a tree."""
    cdef int v
    for v in range(table.N):
        if state.graph.child[2 * v] == state.graph.child[2 * v + 1] and state.graph.child[2 * v] < table.N:
            state.graph.child[2 * v] = table.N
    count_in_degrees(table, state)
