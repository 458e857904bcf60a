"""Constraint rows of a diagram: activities, penalty, limits on nodes, minimum flows, penalty updates."""

from libc.math cimport fmax, fmin
from libc.string cimport memset

from oddlearn.kernels.local_search.search_table cimport ROW_TOLERANCE, WEIGHT_ROUNDING, ConstraintArrays, add_observable, row_violation

# after each descent the penalties of hard rows go up where they are violated and down where they are satisfied; as shares of
# the penalty at the start
cdef double PENALTY_INCREASE = 1.1, PENALTY_DECREASE = 0.97
cdef double MAX_PENALTY = 1e4, MIN_PENALTY = 0.2


cdef void set_leaf_classes(const SearchTable* table, DiagramState* state, int node) noexcept nogil:
    """Compute the class that every sample ends in from this node on, given those of the nodes below."""
    cdef Py_ssize_t i, n = table.n
    cdef const char* side = state.routing.side + node * n
    cdef int target
    cdef int* leaf_class = state.rows.leaf_class + node * n
    for i in range(n):
        target = state.graph.child[2 * node + side[i]]
        leaf_class[i] = target - table.N if target >= table.N else state.rows.leaf_class[target * n + i]


cdef void compute_activities(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Compute activities, flows, penalty and largest violation of a diagram whose routing is up to date."""
    cdef const ConstraintArrays* constraints = table.constraints
    cdef Py_ssize_t i, n = table.n, N = table.N
    cdef Py_ssize_t reached = n * table.C, positive = reached + n * N, used = positive + n * N
    cdef int l, v, s, on_positive = 0
    memset(state.rows.activity, 0, constraints.R * sizeof(double))
    memset(state.rows.arc_flow, 0, 2 * N * sizeof(double))
    rank_slots(table, state)
    for v in range(table.N):
        if state.graph.in_degree[v] > 0:
            add_observable(constraints, state.rows.activity, used + state.rows.compact_slot[v], 1.0)
    # rows on nothing but numbers of nodes need no samples
    for i in range(0 if constraints.node_limits_only else n):
        add_observable(constraints, state.rows.activity, i * table.C + state.rows.leaf_class[i], 1.0)
        for l in range(table.L):
            v = state.routing.at[l * n + i]
            if v < 0:
                break
            s = 1 if state.graph.child[2 * v] == state.graph.child[2 * v + 1] else state.routing.side[v * n + i]
            state.rows.arc_flow[2 * v + s] += constraints.flow_weight[i]
            on_positive += s if l == 0 else 0
            if constraints.uses_paths:
                add_observable(constraints, state.rows.activity, reached + i * N + state.rows.compact_slot[v], 1.0)
                if s:
                    add_observable(constraints, state.rows.activity, positive + i * N + state.rows.compact_slot[v], 1.0)
    state.totals.root_splits = 0 < on_positive < n
    if state.totals.root_splits:
        add_observable(constraints, state.rows.activity, used + N, 1.0)
    compute_penalty(table, state)


cdef void rank_slots(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Compute the slot of each active node when the free slots of its layer come last."""
    cdef int l, v, following
    for l in range(table.L):
        following = table.layers.first[l]
        for v in range(table.layers.first[l], table.layers.first[l + 1]):
            state.rows.compact_slot[v] = following
            following += state.graph.in_degree[v] > 0


cdef void compute_penalty(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Compute the penalty of the activities, the objective with it, and the largest violation of a hard row."""
    cdef const ConstraintArrays* constraints = table.constraints
    cdef int r
    cdef double violation, penalty = 0.0
    state.totals.violation = 0.0
    for r in range(constraints.R):
        violation = row_violation(constraints, r, state.rows.activity[r])
        if violation > 0.0:
            penalty += constraints.penalty[r] * violation
            if constraints.is_hard[r]:
                state.totals.violation = fmax(state.totals.violation, violation)
    state.totals.penalty = penalty
    state.totals.objective = state.totals.unpenalised + penalty


cdef bint within_node_limits(const SearchTable* table, const DiagramState* state, int layer) noexcept nogil:
    """Return whether the active nodes, and one more of the layer (none if it is -1), are within the limits."""
    cdef const ConstraintArrays* constraints = table.constraints
    cdef int k, v
    cdef double taken
    for k in range(constraints.n_node_limits):
        taken = (1 - constraints.extra_nodes) * constraints.node_limit_coefficient[k * table.L + layer] if layer >= 0 else 0.0
        for v in range(table.N):
            if state.graph.in_degree[v] > 0:
                taken += constraints.node_limit_coefficient[k * table.L + table.layers.of_node[v]]
        if taken > constraints.node_limit[k] + ROW_TOLERANCE:
            return False
    return True


cdef bint allows_node(const SearchTable* table, const DiagramState* state, int layer) noexcept nogil:
    """Return whether one more node of the layer is within the limits on numbers of nodes."""
    return table.constraints == NULL or within_node_limits(table, state, layer)


cdef bint exceeds_node_limits(const SearchTable* table, const DiagramState* state) noexcept nogil:
    """Return whether there are more nodes than the limits allow."""
    return not within_node_limits(table, state, -1)


cdef int find_min_flow_violation(const SearchTable* table, const DiagramState* state) noexcept nogil:
    """Return the node that is farthest below a minimum flow, its own or a side's, or -1; the lowest where they tie."""
    cdef const ConstraintArrays* constraints = table.constraints
    cdef int v, l, worst = -1
    cdef double side, share, least = 1.0 - WEIGHT_ROUNDING
    for v in range(table.N - 1, -1, -1):
        if state.graph.in_degree[v] == 0:
            continue
        l = table.layers.of_node[v]
        share = 1.0
        if constraints.min_flow[l] > 0.0:
            share = (state.rows.arc_flow[2 * v] + state.rows.arc_flow[2 * v + 1]) / constraints.min_flow[l]
        side = fmin(state.rows.arc_flow[2 * v], state.rows.arc_flow[2 * v + 1])
        # the root of the constant diagram has no sides
        if constraints.min_side_flow[l] > 0.0 and (v > 0 or state.totals.root_splits or state.totals.n_active > 1):
            share = fmin(share, side / constraints.min_side_flow[l])
        if share < least:
            least = share
            worst = v
    return worst


cdef void update_penalties(const SearchTable* table, const DiagramState* state) noexcept nogil:
    """Raise the penalties of hard rows that the diagram violates, lower the others.

    The search is to visit both sides of a limit.
    """
    cdef ConstraintArrays* constraints = table.constraints
    cdef int r
    cdef bint is_violated
    cdef double penalty
    for r in range(constraints.R):
        if constraints.is_hard[r]:
            is_violated = row_violation(constraints, r, state.rows.activity[r]) > 0.0
            penalty = constraints.penalty[r] * (PENALTY_INCREASE if is_violated else PENALTY_DECREASE)
            penalty = fmax(penalty, MIN_PENALTY * constraints.base_penalty[r])
            constraints.penalty[r] = fmin(penalty, MAX_PENALTY * constraints.base_penalty[r])
