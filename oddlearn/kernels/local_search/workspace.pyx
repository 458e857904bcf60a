"""The desk of a search: its scratch memory and its time; a node's samples, where they may go, and what that costs."""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from oddlearn.kernels.common.rng cimport Chance
from oddlearn.kernels.common.clock cimport monotonic
from oddlearn.kernels.local_search.constrained_split cimport ROUNDING, free_tally, new_tally, tally_rows
from oddlearn.kernels.local_search.diagram_state cimport MOST_BINS, State, Table, is_ruled, mix, mix_print, orphans, value_row
from oddlearn.kernels.local_search.int16_bounds cimport free_steps, new_steps


cdef Desk* new_desk(const Table* table, Chance seed) noexcept nogil:
    """Scratch memory for one thread, or NULL where memory is short."""
    cdef Desk* desk = <Desk*>calloc(1, sizeof(Desk))
    cdef Py_ssize_t n = table.n, T = table.N + table.C, widest = table.C
    cdef int l
    if desk == NULL:
        return NULL
    for l in range(table.L):
        widest = max(widest, table.first[l + 1] - table.first[l] + table.C)
    desk.members = <int*>malloc(n * sizeof(int))
    desk.place = <int*>malloc(n * sizeof(int))
    desk.targets = <int*>malloc(T * sizeof(int))
    desk.charge = <double*>malloc(T * sizeof(double))
    desk.rows = <double*>malloc(n * widest * sizeof(double))
    desk.reach = <double*>malloc(n * sizeof(double))
    desk.total = <double*>malloc(T * sizeof(double))
    desk.prefix = <double*>malloc(T * sizeof(double))
    desk.run = <int*>malloc(n * sizeof(int))
    desk.marks = <unsigned long long*>calloc((n + 63) // 64, sizeof(unsigned long long))
    desk.keys = <double*>malloc(n * sizeof(double))
    desk.key = <double*>malloc(n * sizeof(double))
    desk.sums = <double*>malloc(MOST_BINS * widest * sizeof(double))
    desk.weights = <double*>malloc(3 * table.C * sizeof(double))
    desk.degree = <int*>malloc(table.N * sizeof(int))
    desk.shuffled = <int*>malloc(table.d * sizeof(int))
    desk.redirected = <int*>malloc(2 * table.N * sizeof(int))
    desk.match = <int*>malloc(T * sizeof(int))
    desk.offered = <int*>malloc(T * sizeof(int))
    desk.shares = <double*>malloc(widest * table.C * sizeof(double))
    desk.pairs = <double*>malloc(widest * widest * sizeof(double))
    desk.held = <char*>calloc(table.N, sizeof(char))
    desk.settled = <unsigned long long*>calloc(1 << MEMORY_BITS, sizeof(unsigned long long))
    desk.memory = <Memory*>calloc(1 << MEMORY_BITS, sizeof(Memory))
    desk.chance = seed
    desk.deadline = INFINITY
    if (
        desk.members == NULL or desk.place == NULL or desk.targets == NULL or desk.charge == NULL
        or desk.rows == NULL or desk.reach == NULL or desk.total == NULL or desk.prefix == NULL or desk.run == NULL
        or desk.marks == NULL or desk.keys == NULL or desk.key == NULL or desk.sums == NULL or desk.weights == NULL
        or desk.degree == NULL or desk.shuffled == NULL or desk.redirected == NULL or desk.match == NULL or desk.offered == NULL
        or desk.shares == NULL or desk.pairs == NULL or desk.held == NULL or desk.settled == NULL or desk.memory == NULL
    ):
        free_desk(desk)
        return NULL
    if table.joined != NULL and not new_steps(table, desk):
        free_desk(desk)
        return NULL
    if table.rules != NULL and not new_tally(table, desk, widest):
        free_desk(desk)
        return NULL
    return desk


cdef void free_desk(Desk* desk) noexcept nogil:
    if desk == NULL:
        return
    free(desk.members)
    free(desk.place)
    free(desk.targets)
    free(desk.charge)
    free(desk.rows)
    free(desk.reach)
    free(desk.total)
    free(desk.prefix)
    free(desk.run)
    free(desk.marks)
    free(desk.keys)
    free(desk.key)
    free(desk.sums)
    free(desk.weights)
    free(desk.degree)
    free(desk.shuffled)
    free(desk.redirected)
    free(desk.match)
    free(desk.offered)
    free(desk.shares)
    free(desk.pairs)
    free(desk.held)
    free(desk.settled)
    free(desk.memory)
    free_steps(desk)
    free_tally(desk)
    free(desk)


cdef bint out_of_time(Desk* desk) noexcept nogil:
    """Whether the work must end now; once true it stays true."""
    if desk.late:
        return True
    desk.late = monotonic() >= desk.deadline or (desk.stop != NULL and desk.stop[0] != 0)
    return desk.late


cdef void seat_node(const Table* table, const State* state, Desk* desk, int node) noexcept nogil:
    """Take the samples that arrive at the node as members."""
    cdef Py_ssize_t i, n = table.n
    cdef int m = 0
    cdef bint present
    cdef const int* at = state.at + table.layer[node] * n
    cdef int* members = desk.members
    for i in range(n):
        present = at[i] == node
        desk.place[i] = m if present else -1
        members[m] = i
        m += present
    desk.n_members = m


cdef void seat_arc(const Table* table, const State* state, Desk* desk, int node, int side) noexcept nogil:
    """Take the samples on one arc of the node as members."""
    cdef Py_ssize_t i, n = table.n
    cdef int m = 0
    cdef bint present
    cdef const int* at = state.at + table.layer[node] * n
    cdef const char* sides = state.side + node * n
    cdef int* members = desk.members
    for i in range(n):
        present = (at[i] == node) & (sides[i] == side)
        desk.place[i] = m if present else -1
        members[m] = i
        m += present
    desk.n_members = m


cdef void offer_targets(const Table* table, const State* state, Desk* desk, int node, int layer) noexcept nogil:
    """List where a node of this layer may send samples: active nodes below and the terminals.

    `node` is -1 for a node that is not there yet. A target that only this node uses is charged what it keeps alive; in a
    tree nobody else's children are on offer.
    """
    cdef int u, c, own, T = 0
    if table.rules != NULL:
        desk.tally.least_side = (1.0 - ROUNDING) * table.rules.least_side[layer]
    if layer + 1 < table.L:
        for u in range(table.first[layer + 1], table.first[layer + 2]):
            if state.indegree[u] == 0:
                continue
            own = 0
            if node >= 0:
                own = (state.child[2 * node] == u) + (state.child[2 * node + 1] == u)
            if table.tree_only and own == 0:
                continue
            desk.targets[T] = u
            desk.charge[T] = 0.0
            if own == state.indegree[u]:
                desk.charge[T] = table.price * orphans(table, state, u, desk.degree)
            T += 1
    for c in range(table.C):
        desk.targets[T] = table.N + c
        desk.charge[T] = 0.0
        T += 1
    desk.T = T


cdef double price_targets(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """Find what the members cost at each target; return the sum of their cheapest costs.

    Where costs are those of labels, the rows are still to be filled.
    """
    if table.label != NULL:
        sum_classes(table, state, desk)
        return 0.0
    return price_rows(table, state, desk)


cdef double price_rows(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """Fill the cost of every member at every target; return the sum of the members' cheapest costs."""
    cdef Py_ssize_t k, m = desk.n_members, T = desk.T
    cdef int t
    cdef double least, chalk, bound = 0.0, present = 0.0
    cdef double* trace = desk.prefix
    cdef const double* row
    fill_rows(table, state, desk)
    memset(desk.total, 0, T * sizeof(double))
    memset(trace, 0, T * sizeof(double))
    for k in range(m):
        row = desk.rows + k * T
        least = row[0]
        chalk = table.chalk[desk.members[k]]
        present += chalk
        for t in range(T):
            desk.total[t] += row[t]
            trace[t] += chalk * row[t]
            least = row[t] if row[t] < least else least
        bound += least
    desk.print = mix(T, present)
    for t in range(T):
        desk.print = mix(mix(desk.print, trace[t]), desk.charge[t])
    if is_ruled(table):
        tally_rows(table, state, desk)
    return bound


cdef void fill_rows(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """The cost of every member at every target, and its reach."""
    cdef Py_ssize_t k, m = desk.n_members, T = desk.T
    cdef int t
    cdef double least, most
    cdef const double* value
    cdef double* row
    cdef const int* members = desk.members
    for t in range(T):
        value = value_row(table, state, desk.targets[t])
        row = desk.rows + t
        for k in range(m):
            row[k * T] = value[members[k]]
    for k in range(m):
        row = desk.rows + k * T
        least = most = row[0]
        for t in range(1, T):
            least = row[t] if row[t] < least else least
            most = row[t] if row[t] > most else most
        desk.reach[k] = most - least


cdef void sum_classes(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """Where costs are those of labels: what the members cost at each target, in all and class by class.

    The terminals, last among the targets, share one row of shares: what the members of each class cost at any other.
    """
    cdef Py_ssize_t n = table.n
    cdef int t, c, i, k, C = table.C, nodes = desk.T - table.C
    cdef double trace, total, present = 0.0
    cdef double* shares = desk.shares + nodes * C
    cdef const double* value
    cdef const int* label = table.label
    memset(desk.shares, 0, (nodes + 1) * C * sizeof(double))
    for k in range(desk.n_members):
        i = desk.members[k]
        present += table.chalk[i]
        shares[label[i]] += table.cost[(label[i] == 0) * n + i]
    total = 0.0
    for c in range(C):
        total += shares[c]
    for c in range(C):
        desk.total[nodes + c] = total - shares[c]
    desk.print = mix_print(mix(desk.T, present), table.salt)
    for t in range(nodes):
        value = value_row(table, state, desk.targets[t])
        shares = desk.shares + t * C
        trace = 0.0
        for k in range(desk.n_members):
            i = desk.members[k]
            trace += table.chalk[i] * value[i]
            shares[label[i]] += value[i]
        desk.total[t] = 0.0
        for c in range(C):
            desk.total[t] += shares[c]
        desk.print = mix(mix(desk.print, trace), desk.charge[t])


cdef bint is_settled(const Desk* desk, unsigned long long print) noexcept nogil:
    """Whether the move with this fingerprint is known to be of no use."""
    return desk.settled[print >> (64 - MEMORY_BITS)] == print


cdef void mark_settled(Desk* desk, unsigned long long print) noexcept nogil:
    desk.settled[print >> (64 - MEMORY_BITS)] = print
