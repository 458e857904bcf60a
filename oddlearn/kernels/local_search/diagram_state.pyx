"""One diagram and all that is derived from it: sides, values, routes, in-degrees."""

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from oddlearn.kernels.common.arena cimport take
from oddlearn.kernels.common.hashing cimport combine_hashes
from oddlearn.kernels.local_search.search_table cimport EVERYTHING_POSITIVE, HYPERPLANE, NARROW_LAYERS

cdef extern from "local_search/sample_passes.h" nogil:
    unsigned long long split_samples(const double* values, double threshold, long n, const unsigned long long* keys, char* side)
    void pass_node(const int* at, const char* side, long n, int node, int negative, int positive,
                   const unsigned long long* keys, int* next, unsigned long long* sums)

cdef enum:
    MAX_NARROW_LAYER = 8       # a layer with no more nodes is passed node by node


cdef void lay_out_state(DiagramState* state, const SearchTable* table, Arena* arena) noexcept nogil:
    """Take the arrays of a diagram; they are one block, so that `copy_state` need not know them."""
    cdef size_t N = table.N, n = table.n, start = arena.used
    state.memory = arena.first + start if arena.first != NULL else NULL
    state.graph.child = <int*>take(arena, 2 * N * sizeof(int))
    state.graph.feature = <int*>take(arena, N * sizeof(int))
    state.graph.threshold = <double*>take(arena, N * sizeof(double))
    state.graph.in_degree = <int*>take(arena, N * sizeof(int))
    if table.oblique:
        state.graph.weights = <double*>take(arena, N * table.d * sizeof(double))
    state.routing.side = <char*>take(arena, N * n * sizeof(char))
    state.routing.value = <double*>take(arena, N * n * sizeof(double))
    state.routing.at = <int*>take(arena, table.L * n * sizeof(int))
    state.hashes.side = <unsigned long long*>take(arena, N * sizeof(unsigned long long))
    state.hashes.value = <unsigned long long*>take(arena, N * sizeof(unsigned long long))
    state.hashes.arc = <unsigned long long*>take(arena, 2 * N * sizeof(unsigned long long))
    if table.constraints != NULL:
        state.rows.compact_slot = <int*>take(arena, N * sizeof(int))
        state.rows.activity = <double*>take(arena, table.constraints.R * sizeof(double))
        state.rows.arc_flow = <double*>take(arena, 2 * N * sizeof(double))
    if has_constraints(table):
        state.rows.leaf_class = <int*>take(arena, N * n * sizeof(int))
    state.size = arena.used - start


cdef void copy_state(DiagramState* target, const DiagramState* source) noexcept nogil:
    """Copy a diagram and all that is derived from it."""
    memcpy(target.memory, source.memory, source.size)
    target.totals = source.totals


cdef void count_in_degrees(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Count the arcs into every node that the root still reaches."""
    cdef int v, s, target
    memset(state.graph.in_degree, 0, table.N * sizeof(int))
    state.graph.in_degree[0] = 1
    state.totals.n_active = 0
    for v in range(table.N):
        if state.graph.in_degree[v] == 0:
            continue
        state.totals.n_active += 1
        for s in range(2):
            target = state.graph.child[2 * v + s]
            if target < table.N:
                state.graph.in_degree[target] += 1


cdef int count_orphans(const SearchTable* table, const DiagramState* state, int node, int* degree) noexcept nogil:
    """Return how many nodes become inactive with this one, itself included; `degree` is scratch, (N,)."""
    cdef int v, s, target, count = 0
    memcpy(degree, state.graph.in_degree, table.N * sizeof(int))
    degree[node] = 0
    for v in range(node, table.N):
        if state.graph.in_degree[v] == 0 or degree[v] > 0:
            continue
        count += 1
        for s in range(2):
            target = state.graph.child[2 * v + s]
            if target < table.N:
                degree[target] -= 1
    return count


cdef void project_samples(const SearchTable* table, const DiagramState* state, int node, double* key) noexcept nogil:
    """Compute the value that the node compares with its threshold, for every sample."""
    cdef Py_ssize_t i, j, n = table.n
    cdef double a
    cdef const double* column
    cdef const double* weights
    if state.graph.feature[node] >= 0:
        memcpy(key, table.columns.values + state.graph.feature[node] * n, n * sizeof(double))
        return
    memset(key, 0, n * sizeof(double))
    weights = state.graph.weights + <Py_ssize_t>node * table.d
    for j in range(table.d):
        a = weights[j]
        if a != 0.0:
            column = table.columns.values + j * n
            for i in range(n):
                key[i] += a * column[i]


cdef void set_sides(const SearchTable* table, DiagramState* state, int node, double* key) noexcept nogil:
    """Compute the side of every sample at the node; `key` is scratch, (n,), used for hyperplanes only."""
    cdef Py_ssize_t n = table.n
    cdef char* side = state.routing.side + node * n
    cdef const double* values
    if state.graph.feature[node] == EVERYTHING_POSITIVE:
        memset(side, 1, n)
        state.hashes.side[node] = 1
        return
    if state.graph.feature[node] == HYPERPLANE:
        project_samples(table, state, node, key)
        values = key
    else:
        values = table.columns.values + state.graph.feature[node] * n
    state.hashes.side[node] = combine_hashes(2, split_samples(values, state.graph.threshold[node], n, table.hashing.keys, side))


cdef void set_values(const SearchTable* table, DiagramState* state, int node) noexcept nogil:
    """Compute the cost of every sample from this node on, given the values of the nodes below."""
    cdef Py_ssize_t i, n = table.n
    cdef const char* side = state.routing.side + node * n
    # as bit patterns, so that the compiler can choose without a branch
    cdef const unsigned long long* negative = <unsigned long long*>value_row(table, state, state.graph.child[2 * node])
    cdef const unsigned long long* positive = <unsigned long long*>value_row(table, state, state.graph.child[2 * node + 1])
    cdef unsigned long long* value = <unsigned long long*>(state.routing.value + node * n)
    cdef unsigned long long mask
    for i in range(n):
        mask = -<unsigned long long>side[i]
        value[i] = (positive[i] & mask) | (negative[i] & ~mask)
    state.hashes.value[node] = combine_hashes(
        combine_hashes(state.hashes.side[node], target_hash(table, state, state.graph.child[2 * node])),
        target_hash(table, state, state.graph.child[2 * node + 1]),
    )


cdef void route_samples(const SearchTable* table, DiagramState* state, int from_layer) noexcept nogil:
    """Compute which node of each layer every sample passes, from the given layer downwards."""
    cdef int l
    if from_layer == 0:
        memset(state.routing.at, 0, table.n * sizeof(int))
    memset(state.hashes.arc + 2 * table.layers.first[from_layer], 0,
           2 * (table.N - table.layers.first[from_layer]) * sizeof(unsigned long long))
    for l in range(from_layer, table.L):
        if table.layers.first[l + 1] - table.layers.first[l] <= MAX_NARROW_LAYER and not table.disabled & NARROW_LAYERS:
            route_by_node(table, state, l)
        else:
            route_by_sample(table, state, l)


cdef void route_by_node(const SearchTable* table, DiagramState* state, int l) noexcept nogil:
    """Send the samples of a layer on, node by node: the faster way where there are few nodes."""
    cdef Py_ssize_t n = table.n
    cdef int v, negative, positive
    cdef int* here = state.routing.at + l * n
    cdef int* following = here + n if l + 1 < table.L else NULL
    if following != NULL:
        memset(following, -1, n * sizeof(int))
    for v in range(table.layers.first[l], table.layers.first[l + 1]):
        if state.graph.in_degree[v] > 0:
            negative, positive = state.graph.child[2 * v], state.graph.child[2 * v + 1]
            pass_node(here, state.routing.side + v * n, n, v, negative if negative < table.N else -1,
                      positive if positive < table.N else -1, table.hashing.keys, following, state.hashes.arc + 2 * v)


cdef void route_by_sample(const SearchTable* table, DiagramState* state, int l) noexcept nogil:
    """Send the samples of a layer on, one by one."""
    cdef Py_ssize_t i, n = table.n
    cdef int v, arc, target
    cdef int* here = state.routing.at + l * n
    for i in range(n):
        v = here[i]
        target = table.N
        if v >= 0:
            arc = 2 * v + state.routing.side[v * n + i]
            state.hashes.arc[arc] += table.hashing.keys[i]
            target = state.graph.child[arc]
        if l + 1 < table.L:
            here[n + i] = target if target < table.N else -1


cdef bint collapse_idle_nodes(const SearchTable* table, DiagramState* state) noexcept nogil:
    """Replace every node but the root whose two arcs end in one terminal by that terminal; return whether there was one."""
    cdef int v, u, target
    cdef bint found = False
    if table.constraints != NULL and table.constraints.keeps_idle_nodes:
        count_in_degrees(table, state)
        return False
    for v in range(table.N - 1, 0, -1):
        if state.graph.in_degree[v] == 0 or state.graph.child[2 * v] != state.graph.child[2 * v + 1]:
            continue
        target = state.graph.child[2 * v]
        if target < table.N:
            continue
        found = True
        for u in range(v):
            if state.graph.child[2 * u] == v:
                state.graph.child[2 * u] = target
            if state.graph.child[2 * u + 1] == v:
                state.graph.child[2 * u + 1] = target
    count_in_degrees(table, state)
    return found


cdef bint node_keeps_margin(
    const SearchTable* table, const DiagramState* state, int node, const int* members, int count, double* key
) noexcept nogil:
    """Return whether the members, samples that arrive at the node, stay a margin apart; `key` is scratch, (n,).

    Only hyperplanes have a margin: where all splits are univariate there is nothing to check.
    """
    cdef Py_ssize_t k, i, n = table.n
    cdef const char* side = state.routing.side + node * n
    cdef const double* values
    cdef double highest = -INFINITY, lowest = INFINITY
    if not table.oblique or state.graph.feature[node] == EVERYTHING_POSITIVE:
        return True
    if state.graph.feature[node] == HYPERPLANE:
        project_samples(table, state, node, key)
        values = key
    else:
        values = table.columns.values + state.graph.feature[node] * n
    for k in range(count):
        i = members[k]
        lowest = values[i] if side[i] and values[i] < lowest else lowest
        highest = values[i] if not side[i] and values[i] > highest else highest
    return lowest - highest >= table.margin
