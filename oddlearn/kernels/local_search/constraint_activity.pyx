"""What the constraint rows come to on a diagram: activities, penalty, room for nodes, flows that are too light."""

from libc.math cimport fmax, fmin
from libc.string cimport memset

from oddlearn.kernels.local_search.constraint_arrays cimport Rules
from oddlearn.kernels.local_search.diagram_state cimport State, Table

# a row outside its limits by less than this is kept: below what `evaluate` allows, whose sums round differently
cdef double KEPT = 5e-10

# rounding of sums of sample weights, as a share of the limit
cdef double ROUNDING = 1e-9

# after each descent the weights of hard rows go up where they are broken and down where they are kept
cdef double UP = 1.1, DOWN = 0.97
cdef double MOST = 1e4, LEAST = 0.2


cdef void set_ends(const Table* table, State* state, int node) noexcept nogil:
    """The class that every sample ends in from this node on, given true ends below."""
    cdef Py_ssize_t i, n = table.n
    cdef const char* side = state.side + node * n
    cdef int target
    cdef int* ends = state.ends + node * n
    for i in range(n):
        target = state.child[2 * node + side[i]]
        ends[i] = target - table.N if target >= table.N else state.ends[target * n + i]


cdef inline void add(const Rules* rules, double* activity, Py_ssize_t column) noexcept nogil:
    cdef int k
    for k in range(rules.start[column], rules.start[column + 1]):
        activity[rules.row[k]] += rules.coefficient[k]


cdef void observe(const Table* table, State* state) noexcept nogil:
    """Activities, flows, penalty and largest excess of a diagram whose places and ends are true."""
    cdef const Rules* rules = table.rules
    cdef Py_ssize_t i, n = table.n, N = table.N
    cdef Py_ssize_t reached = n * table.C, positive = reached + n * N, used = positive + n * N
    cdef int l, v, s, on_positive = 0
    memset(state.activity, 0, rules.R * sizeof(double))
    memset(state.flow, 0, 2 * N * sizeof(double))
    rank_slots(table, state)
    for v in range(table.N):
        if state.indegree[v] > 0:
            add(rules, state.activity, used + state.rank[v])
    # rows on nothing but numbers of nodes need no samples
    for i in range(0 if rules.counts_only else n):
        add(rules, state.activity, i * table.C + state.ends[i])
        for l in range(table.L):
            v = state.at[l * n + i]
            if v < 0:
                break
            s = 1 if state.child[2 * v] == state.child[2 * v + 1] else state.side[v * n + i]
            state.flow[2 * v + s] += rules.flow_weight[i]
            on_positive += s if l == 0 else 0
            if rules.by_path:
                add(rules, state.activity, reached + i * N + state.rank[v])
                if s:
                    add(rules, state.activity, positive + i * N + state.rank[v])
    state.parted = 0 < on_positive < n
    if state.parted:
        add(rules, state.activity, used + N)
    price_penalty(table, state)


cdef void rank_slots(const Table* table, State* state) noexcept nogil:
    """The slot of each active node when the free slots of its layer come last."""
    cdef int l, v, following
    for l in range(table.L):
        following = table.first[l]
        for v in range(table.first[l], table.first[l + 1]):
            state.rank[v] = following
            following += state.indegree[v] > 0


cdef double broken(const Table* table, int row, double activity) noexcept nogil:
    """How far a row with this activity is outside its limits."""
    cdef double excess = fmax(table.rules.lower[row] - activity, activity - table.rules.upper[row])
    return excess if excess > KEPT else 0.0


cdef void price_penalty(const Table* table, State* state) noexcept nogil:
    """The penalty of the activities at the present weights, and the largest excess of a hard row."""
    cdef int r
    cdef double excess, penalty = 0.0
    state.excess = 0.0
    for r in range(table.rules.R):
        excess = broken(table, r, state.activity[r])
        if excess > 0.0:
            penalty += table.rules.weight[r] * excess
            if table.rules.hard[r]:
                state.excess = fmax(state.excess, excess)
    state.penalty = penalty
    state.objective = state.plain + penalty


cdef bint fits(const Table* table, const State* state, int layer) noexcept nogil:
    """Whether the active nodes, and one more of the layer (none if it is -1), are within the limits."""
    cdef const Rules* rules = table.rules
    cdef int k, v
    cdef double taken
    for k in range(rules.n_caps):
        taken = (1 - rules.guests) * rules.cap[k * table.L + layer] if layer >= 0 else 0.0
        for v in range(table.N):
            if state.indegree[v] > 0:
                taken += rules.cap[k * table.L + table.layer[v]]
        if taken > rules.room[k] + KEPT:
            return False
    return True


cdef bint has_room(const Table* table, const State* state, int layer) noexcept nogil:
    """Whether one more node of the layer is within the limits on numbers of nodes."""
    return table.rules == NULL or fits(table, state, layer)


cdef bint is_crowded(const Table* table, const State* state) noexcept nogil:
    """Whether there are more nodes than the limits allow."""
    return not fits(table, state, -1)


cdef int lightest(const Table* table, const State* state) noexcept nogil:
    """The node that is farthest below its least flow, or whose side is, or -1; the lowest where they tie."""
    cdef const Rules* rules = table.rules
    cdef int v, l, worst = -1
    cdef double side, share, least = 1.0 - ROUNDING
    for v in range(table.N - 1, -1, -1):
        if state.indegree[v] == 0:
            continue
        l = table.layer[v]
        share = 1.0
        if rules.least_flow[l] > 0.0:
            share = (state.flow[2 * v] + state.flow[2 * v + 1]) / rules.least_flow[l]
        side = fmin(state.flow[2 * v], state.flow[2 * v + 1])
        # the root of the constant diagram has no sides
        if rules.least_side[l] > 0.0 and (v > 0 or state.parted or state.n_active > 1):
            share = fmin(share, side / rules.least_side[l])
        if share < least:
            least = share
            worst = v
    return worst


cdef void learn_weights(const Table* table, const State* state) noexcept nogil:
    """Weigh hard rows that the diagram breaks more, others less: the search is to visit both sides of a limit."""
    cdef Rules* rules = <Rules*>table.rules
    cdef int r
    cdef double weight
    for r in range(rules.R):
        if rules.hard[r]:
            weight = rules.weight[r] * (UP if broken(table, r, state.activity[r]) > 0.0 else DOWN)
            rules.weight[r] = fmin(fmax(weight, LEAST * rules.base_weight[r]), MOST * rules.base_weight[r])
