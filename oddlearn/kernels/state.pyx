# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Keeping a diagram's derived arrays true: sides, values, places, in-degrees, objective."""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from oddlearn.kernels.activity cimport observe, set_ends

cdef enum:
    NARROW = 8                 # a layer with no more nodes is passed node by node

cdef extern from "passes.h" nogil:
    unsigned long long part_samples(const double* values, double threshold, long n, const unsigned long long* tags, char* side)
    void pass_node(const int* at, const char* side, long n, int node, int negative, int positive,
                   const unsigned long long* tags, int* next, unsigned long long* sums)


cdef State* new_state(const Table* table) noexcept nogil:
    """Arrays for one diagram, or NULL where memory is short."""
    cdef State* state = <State*>calloc(1, sizeof(State))
    cdef Py_ssize_t N = table.N, n = table.n
    if state == NULL:
        return NULL
    state.child = <int*>calloc(2 * N, sizeof(int))
    state.feature = <int*>calloc(N, sizeof(int))
    state.threshold = <double*>calloc(N, sizeof(double))
    state.side = <char*>calloc(N * n, sizeof(char))
    state.value = <double*>malloc(N * n * sizeof(double))
    state.at = <int*>malloc(table.L * n * sizeof(int))
    state.indegree = <int*>calloc(N, sizeof(int))
    state.side_print = <unsigned long long*>calloc(N, sizeof(unsigned long long))
    state.value_print = <unsigned long long*>calloc(N, sizeof(unsigned long long))
    state.arc_print = <unsigned long long*>calloc(2 * N, sizeof(unsigned long long))
    if table.oblique:
        state.weights = <double*>calloc(N * table.d, sizeof(double))
    if table.rules != NULL:
        state.ends = <int*>calloc(N * n, sizeof(int))
        state.rank = <int*>calloc(N, sizeof(int))
        state.activity = <double*>calloc(table.rules.R, sizeof(double))
        state.flow = <double*>calloc(2 * N, sizeof(double))
    if (
        state.child == NULL or state.feature == NULL or state.threshold == NULL or state.side == NULL
        or state.value == NULL or state.at == NULL or state.indegree == NULL
        or state.side_print == NULL or state.value_print == NULL or state.arc_print == NULL
        or (table.oblique and state.weights == NULL)
        or (table.rules != NULL and (state.ends == NULL or state.rank == NULL))
        or (table.rules != NULL and (state.activity == NULL or state.flow == NULL))
    ):
        free_state(state)
        return NULL
    return state


cdef void free_state(State* state) noexcept nogil:
    if state == NULL:
        return
    free(state.child)
    free(state.feature)
    free(state.threshold)
    free(state.weights)
    free(state.side)
    free(state.value)
    free(state.at)
    free(state.indegree)
    free(state.side_print)
    free(state.value_print)
    free(state.arc_print)
    free(state.ends)
    free(state.rank)
    free(state.activity)
    free(state.flow)
    free(state)


cdef void copy_state(const Table* table, State* target, const State* source) noexcept nogil:
    """Copy a diagram and all that is derived from it."""
    cdef Py_ssize_t N = table.N, n = table.n
    memcpy(target.child, source.child, 2 * N * sizeof(int))
    memcpy(target.feature, source.feature, N * sizeof(int))
    memcpy(target.threshold, source.threshold, N * sizeof(double))
    memcpy(target.side, source.side, N * n * sizeof(char))
    memcpy(target.value, source.value, N * n * sizeof(double))
    memcpy(target.at, source.at, table.L * n * sizeof(int))
    memcpy(target.value_print, source.value_print, N * sizeof(unsigned long long))
    memcpy(target.arc_print, source.arc_print, 2 * N * sizeof(unsigned long long))
    memcpy(target.side_print, source.side_print, N * sizeof(unsigned long long))
    memcpy(target.indegree, source.indegree, N * sizeof(int))
    if table.oblique:
        memcpy(target.weights, source.weights, N * table.d * sizeof(double))
    target.n_active = source.n_active
    target.objective = source.objective
    if table.rules != NULL:
        copy_observed(table, target, source)


cdef void copy_observed(const Table* table, State* target, const State* source) noexcept nogil:
    """Copy what only problems with constraints have."""
    cdef Py_ssize_t N = table.N
    if is_ruled(table):
        memcpy(target.ends, source.ends, N * table.n * sizeof(int))
    memcpy(target.rank, source.rank, N * sizeof(int))
    memcpy(target.activity, source.activity, table.rules.R * sizeof(double))
    memcpy(target.flow, source.flow, 2 * N * sizeof(double))
    target.plain, target.penalty, target.excess = source.plain, source.penalty, source.excess
    target.parted = source.parted


cdef void make_constant(const Table* table, State* state) noexcept nogil:
    """The root alone, every sample to the cheapest class, of those that break the rows least."""
    cdef int c, best = 0
    cdef Py_ssize_t i
    cdef double total, least = INFINITY, excess = INFINITY
    if table.rules != NULL:
        for c in range(table.C):
            send_all(table, state, c)
            if state.excess < excess or (state.excess == excess and state.objective < least):
                excess, least, best = state.excess, state.objective, c
        send_all(table, state, best)
        return
    for c in range(table.C):
        total = 0.0
        for i in range(table.n):
            total += table.cost[c * <Py_ssize_t>table.n + i]
        if total < least:
            least = total
            best = c
    send_all(table, state, best)


cdef void send_all(const Table* table, State* state, int c) noexcept nogil:
    """The root alone, every sample to one class."""
    state.feature[0] = EVERYTHING_POSITIVE
    state.child[0] = state.child[1] = table.N + c
    set_sides(table, state, 0, NULL)
    settle(table, state)


cdef void activate(const Table* table, State* state) noexcept nogil:
    """Count the arcs into every node that the root still reaches."""
    cdef int v, s, target
    memset(state.indegree, 0, table.N * sizeof(int))
    state.indegree[0] = 1
    state.n_active = 0
    for v in range(table.N):
        if state.indegree[v] == 0:
            continue
        state.n_active += 1
        for s in range(2):
            target = state.child[2 * v + s]
            if target < table.N:
                state.indegree[target] += 1


cdef int orphans(const Table* table, const State* state, int node, int* degree) noexcept nogil:
    """How many nodes become inactive with this one, itself included. `degree` is scratch for the in-degrees."""
    cdef int v, s, target, count = 0
    memcpy(degree, state.indegree, table.N * sizeof(int))
    degree[node] = 0
    for v in range(node, table.N):
        if state.indegree[v] == 0 or degree[v] > 0:
            continue
        count += 1
        for s in range(2):
            target = state.child[2 * v + s]
            if target < table.N:
                degree[target] -= 1
    return count


cdef void project(const Table* table, const State* state, int node, double* key) noexcept nogil:
    """The value that the node compares with its threshold, for every sample."""
    cdef Py_ssize_t i, j, n = table.n
    cdef double a
    cdef const double* column
    cdef const double* weights
    if state.feature[node] >= 0:
        memcpy(key, table.columns + state.feature[node] * n, n * sizeof(double))
        return
    memset(key, 0, n * sizeof(double))
    weights = state.weights + <Py_ssize_t>node * table.d
    for j in range(table.d):
        a = weights[j]
        if a != 0.0:
            column = table.columns + j * n
            for i in range(n):
                key[i] += a * column[i]


cdef void set_sides(const Table* table, State* state, int node, double* key) noexcept nogil:
    """Side of every sample at the node. `key` is scratch of length n, needed for hyperplanes only."""
    cdef Py_ssize_t n = table.n
    cdef char* side = state.side + node * n
    cdef const double* values
    if state.feature[node] == EVERYTHING_POSITIVE:
        memset(side, 1, n)
        state.side_print[node] = 1
        return
    if state.feature[node] == HYPERPLANE:
        project(table, state, node, key)
        values = key
    else:
        values = table.columns + state.feature[node] * n
    state.side_print[node] = mix_print(2, part_samples(values, state.threshold[node], n, table.tags, side))


cdef void set_values(const Table* table, State* state, int node) noexcept nogil:
    """Cost of every sample from this node on, given true values below."""
    cdef Py_ssize_t i, n = table.n
    cdef const char* side = state.side + node * n
    # as bit patterns, so that the compiler can choose without a branch
    cdef const unsigned long long* negative = <unsigned long long*>value_row(table, state, state.child[2 * node])
    cdef const unsigned long long* positive = <unsigned long long*>value_row(table, state, state.child[2 * node + 1])
    cdef unsigned long long* value = <unsigned long long*>(state.value + node * n)
    cdef unsigned long long mask
    for i in range(n):
        mask = -<unsigned long long>side[i]
        value[i] = (positive[i] & mask) | (negative[i] & ~mask)
    state.value_print[node] = mix_print(
        mix_print(state.side_print[node], print_of(table, state, state.child[2 * node])),
        print_of(table, state, state.child[2 * node + 1]),
    )


cdef void locate(const Table* table, State* state, int from_layer) noexcept nogil:
    """Which node of each layer every sample passes, from the given layer downwards."""
    cdef int l
    if from_layer == 0:
        memset(state.at, 0, table.n * sizeof(int))
    memset(state.arc_print + 2 * table.first[from_layer], 0,
           2 * (table.N - table.first[from_layer]) * sizeof(unsigned long long))
    for l in range(from_layer, table.L):
        if table.first[l + 1] - table.first[l] <= NARROW:
            pass_by_node(table, state, l)
        else:
            pass_by_sample(table, state, l)


cdef void pass_by_node(const Table* table, State* state, int l) noexcept nogil:
    """Send the samples of a layer on, all those of one node at a time: the faster way where there are few nodes."""
    cdef Py_ssize_t n = table.n
    cdef int v, negative, positive
    cdef int* here = state.at + l * n
    cdef int* following = here + n if l + 1 < table.L else NULL
    if following != NULL:
        memset(following, -1, n * sizeof(int))
    for v in range(table.first[l], table.first[l + 1]):
        if state.indegree[v] > 0:
            negative, positive = state.child[2 * v], state.child[2 * v + 1]
            pass_node(here, state.side + v * n, n, v, negative if negative < table.N else -1,
                      positive if positive < table.N else -1, table.tags, following, state.arc_print + 2 * v)


cdef void pass_by_sample(const Table* table, State* state, int l) noexcept nogil:
    """Send the samples of a layer on, one by one."""
    cdef Py_ssize_t i, n = table.n
    cdef int v, arc, target
    cdef int* here = state.at + l * n
    for i in range(n):
        v = here[i]
        target = table.N
        if v >= 0:
            arc = 2 * v + state.side[v * n + i]
            state.arc_print[arc] += table.tags[i]
            target = state.child[arc]
        if l + 1 < table.L:
            here[n + i] = target if target < table.N else -1


cdef void settle(const Table* table, State* state) noexcept nogil:
    """Make everything derived true again: in-degrees, values, places, objective."""
    cdef int v
    cdef Py_ssize_t i
    cdef double loss = 0.0
    activate(table, state)
    for v in range(table.N - 1, -1, -1):
        if state.indegree[v] > 0:
            set_values(table, state, v)
            if is_ruled(table):
                set_ends(table, state, v)
    locate(table, state, 0)
    for i in range(table.n):
        loss += state.value[i]
    state.objective = state.plain = loss + table.price * (state.n_active - 1)
    if table.rules != NULL:
        observe(table, state)


cdef bint collapse(const Table* table, State* state) noexcept nogil:
    """Replace every node but the root whose two arcs end in one terminal by that terminal; True if there was one."""
    cdef int v, u, target
    cdef bint found = False
    if table.rules != NULL and table.rules.keeps_idle:
        activate(table, state)
        return False
    for v in range(table.N - 1, 0, -1):
        if state.indegree[v] == 0 or state.child[2 * v] != state.child[2 * v + 1]:
            continue
        target = state.child[2 * v]
        if target < table.N:
            continue
        found = True
        for u in range(v):
            if state.child[2 * u] == v:
                state.child[2 * u] = target
            if state.child[2 * u + 1] == v:
                state.child[2 * u + 1] = target
    activate(table, state)
    return found


cdef bint keeps_margin(const Table* table, const State* state, int node, const int* members, int count, double* key) noexcept nogil:
    """Whether the members, samples that arrive at the node, stay a margin apart. `key` is scratch of length n.

    Only hyperplanes have a margin: where all splits are univariate there is nothing to keep.
    """
    cdef Py_ssize_t k, i, n = table.n
    cdef const char* side = state.side + node * n
    cdef const double* values
    cdef double highest = -INFINITY, lowest = INFINITY
    if not table.oblique or state.feature[node] == EVERYTHING_POSITIVE:
        return True
    if state.feature[node] == HYPERPLANE:
        project(table, state, node, key)
        values = key
    else:
        values = table.columns + state.feature[node] * n
    for k in range(count):
        i = members[k]
        lowest = values[i] if side[i] and values[i] < lowest else lowest
        highest = values[i] if not side[i] and values[i] > highest else highest
    return lowest - highest >= table.margin
