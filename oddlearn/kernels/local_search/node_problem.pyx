"""The problem of one node: its members, the targets they may be sent to, and what that costs."""

from libc.string cimport memset

from oddlearn.kernels.common.hashing cimport combine_hashes, hash_number
from oddlearn.kernels.local_search.constrained_split cimport load_row_activities
from oddlearn.kernels.local_search.diagram_state cimport count_orphans, target_hash, value_row
from oddlearn.kernels.local_search.search_table cimport WEIGHT_ROUNDING, has_constraints


cdef void load_node_samples(
    const SearchTable* table, const DiagramState* state, NodeProblem* problem, int node
) noexcept nogil:
    """Take the samples that arrive at the node as members."""
    cdef Py_ssize_t i, n = table.n
    cdef int m = 0
    cdef bint present
    cdef const int* at = state.routing.at + table.layers.of_node[node] * n
    cdef int* members = problem.members
    for i in range(n):
        present = at[i] == node
        problem.position[i] = m if present else -1
        members[m] = i
        m += present
    problem.n_members = m


cdef void load_arc_samples(
    const SearchTable* table, const DiagramState* state, NodeProblem* problem, int node, int side
) noexcept nogil:
    """Take the samples on one arc of the node as members."""
    cdef Py_ssize_t i, n = table.n
    cdef int m = 0
    cdef bint present
    cdef const int* at = state.routing.at + table.layers.of_node[node] * n
    cdef const char* sides = state.routing.side + node * n
    cdef int* members = problem.members
    for i in range(n):
        present = (at[i] == node) & (sides[i] == side)
        problem.position[i] = m if present else -1
        members[m] = i
        m += present
    problem.n_members = m


cdef void list_targets(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int node, int layer
) noexcept nogil:
    """List where a node of this layer may send samples: active nodes below and the terminals.

    `node` is -1 for a node that does not exist yet. A target that only this node uses is charged the price of the nodes that
    it keeps active; in a tree the children of other nodes are not listed.
    """
    cdef NodeProblem* problem = &ws.problem
    cdef int u, c, own, T = 0
    if table.constraints != NULL:
        ws.constrained.min_side_flow = (1.0 - WEIGHT_ROUNDING) * table.constraints.min_side_flow[layer]
    if layer + 1 < table.L:
        for u in range(table.layers.first[layer + 1], table.layers.first[layer + 2]):
            if state.graph.in_degree[u] == 0:
                continue
            own = 0
            if node >= 0:
                own = (state.graph.child[2 * node] == u) + (state.graph.child[2 * node + 1] == u)
            if table.tree_only and own == 0:
                continue
            problem.targets[T] = u
            problem.target_price[T] = 0.0
            if own == state.graph.in_degree[u]:
                problem.target_price[T] = table.node_price * count_orphans(table, state, u, ws.moves.in_degree)
            T += 1
    for c in range(table.C):
        problem.targets[T] = table.N + c
        problem.target_price[T] = 0.0
        T += 1
    problem.n_targets = T


cdef double compute_target_costs(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil:
    """Compute what the members cost at each target; return the sum of their cheapest costs, or 0.

    Where costs are those of labels, `fill_costs` is left for later.
    """
    if table.costs.label != NULL:
        sum_class_costs(table, state, &ws.problem)
        return 0.0
    return compute_member_costs(table, state, ws)


cdef double compute_member_costs(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil:
    """Compute the cost of every member at every target; return the sum of the members' cheapest costs."""
    cdef NodeProblem* problem = &ws.problem
    cdef Py_ssize_t k, m = problem.n_members, T = problem.n_targets
    cdef int t
    cdef double least, hash_weight, bound = 0.0, present = 0.0
    cdef double* trace = ws.scratch.prefix
    cdef const double* row
    fill_costs(table, state, problem)
    memset(problem.total_costs, 0, T * sizeof(double))
    memset(trace, 0, T * sizeof(double))
    for k in range(m):
        row = problem.costs + k * T
        least = row[0]
        hash_weight = table.hashing.weights[problem.members[k]]
        present += hash_weight
        for t in range(T):
            problem.total_costs[t] += row[t]
            trace[t] += hash_weight * row[t]
            least = row[t] if row[t] < least else least
        bound += least
    problem.hash = hash_number(T, present)
    for t in range(T):
        problem.hash = hash_number(hash_number(problem.hash, trace[t]), problem.target_price[t])
    if has_constraints(table):
        load_row_activities(table, state, ws)
    return bound


cdef void fill_costs(const SearchTable* table, const DiagramState* state, NodeProblem* problem) noexcept nogil:
    """Compute the cost of every member at every target."""
    cdef Py_ssize_t k, m = problem.n_members, T = problem.n_targets
    cdef int t
    cdef const double* value
    cdef double* row
    cdef const int* members = problem.members
    for t in range(T):
        value = value_row(table, state, problem.targets[t])
        row = problem.costs + t
        for k in range(m):
            row[k * T] = value[members[k]]


cdef void sum_class_costs(const SearchTable* table, const DiagramState* state, NodeProblem* problem) noexcept nogil:
    """Sum what the members cost at each target, in all and class by class, where costs are those of labels.

    The terminals, last among the targets, share one row of class costs: what the members of each class cost at any other.
    """
    cdef Py_ssize_t n = table.n
    cdef int t, c, i, k, C = table.C, nodes = problem.n_targets - table.C
    cdef double trace, total, present = 0.0
    cdef double* shares = problem.class_costs + nodes * C
    cdef const double* value
    cdef const int* label = table.costs.label
    memset(problem.class_costs, 0, (nodes + 1) * C * sizeof(double))
    for k in range(problem.n_members):
        i = problem.members[k]
        present += table.hashing.weights[i]
        shares[label[i]] += table.costs.cost[(label[i] == 0) * n + i]
    total = 0.0
    for c in range(C):
        total += shares[c]
    for c in range(C):
        problem.total_costs[nodes + c] = total - shares[c]
    problem.hash = combine_hashes(hash_number(problem.n_targets, present), table.hashing.salt)
    for t in range(nodes):
        value = value_row(table, state, problem.targets[t])
        shares = problem.class_costs + t * C
        trace = 0.0
        for k in range(problem.n_members):
            i = problem.members[k]
            trace += table.hashing.weights[i] * value[i]
            shares[label[i]] += value[i]
        problem.total_costs[t] = 0.0
        for c in range(C):
            problem.total_costs[t] += shares[c]
        problem.hash = hash_number(hash_number(problem.hash, trace), problem.target_price[t])


cdef double cost_at_target(
    const SearchTable* table, const DiagramState* state, const NodeProblem* problem, int target
) noexcept nogil:
    """Return the cost of the members if they all continued at the target."""
    cdef int k
    cdef double total = 0.0
    cdef const double* value = value_row(table, state, target)
    for k in range(problem.n_members):
        total += value[problem.members[k]]
    return total


cdef double present_target_price(const DiagramState* state, const NodeProblem* problem, int node) noexcept nogil:
    """Return the price of the node's present targets."""
    cdef int t
    cdef double total = 0.0
    for t in range(problem.n_targets):
        if state.graph.child[2 * node] == problem.targets[t] or state.graph.child[2 * node + 1] == problem.targets[t]:
            total += problem.target_price[t]
    return total


cdef unsigned long long hash_targets(
    const SearchTable* table, const DiagramState* state, const NodeProblem* problem, unsigned long long hash
) noexcept nogil:
    """Return the hash combined with the targets and their prices."""
    cdef int t
    for t in range(problem.n_targets):
        hash = hash_number(combine_hashes(hash, target_hash(table, state, problem.targets[t])), problem.target_price[t])
    return hash
