# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Moves of the search: re-optimise a node, grow one, remove one; a descent made of them; and shakes to leave a valley."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

from oddlearn.kernels.activity cimport has_room, is_crowded, lightest
from oddlearn.kernels.chance cimport below, unit
from oddlearn.kernels.desk cimport (
    MOST_FINDS, Cut, Desk, Find, is_settled, mark_settled, monotonic, offer_targets, out_of_time, price_targets, seat_arc, seat_node,
)
from oddlearn.kernels.gain cimport gain_cut
from oddlearn.kernels.nearby cimport best_cut
from oddlearn.kernels.oblique cimport refine_cut
from oddlearn.kernels.ruled_cut cimport class_penalty
from oddlearn.kernels.state cimport (
    HYPERPLANE, State, Table, activate, collapse, copy_state, is_ruled, keeps_margin, locate, make_constant, mix, mix_print, orphans, print_of, set_sides, set_values, settle, value_row,
)

# a descent is given up when as many more rounds like the last would not bring it down to what is hoped for
cdef double SLOWEST = 2.0


cdef void apply_cut(const Table* table, State* state, Desk* desk, int node, const Cut* cut) noexcept nogil:
    if cut.feature == HYPERPLANE:
        memcpy(state.weights + <Py_ssize_t>node * table.d, desk.loom.best_plane, table.d * sizeof(double))
    state.feature[node] = cut.feature
    state.threshold[node] = cut.threshold
    state.child[2 * node] = cut.negative
    state.child[2 * node + 1] = cut.positive
    set_sides(table, state, node, desk.key)


cdef double members_cost(const Table* table, const State* state, const Desk* desk, int target) noexcept nogil:
    """Cost of the members if they all continued at the target."""
    cdef int k
    cdef double total = 0.0
    cdef const double* value = value_row(table, state, target)
    for k in range(desk.n_members):
        total += value[desk.members[k]]
    return total


cdef double charged(const State* state, const Desk* desk, int node) noexcept nogil:
    """What the node's present targets are charged."""
    cdef int t
    cdef double total = 0.0
    for t in range(desk.T):
        if state.child[2 * node] == desk.targets[t] or state.child[2 * node + 1] == desk.targets[t]:
            total += desk.charge[t]
    return total


cdef unsigned long long offer_print(const Table* table, const State* state, Desk* desk, unsigned long long print) noexcept nogil:
    """The fingerprint with the targets on offer in it."""
    cdef int t
    for t in range(desk.T):
        print = mix(mix_print(print, print_of(table, state, desk.targets[t])), desk.charge[t])
    return print


cdef bint is_free(const Table* table, const State* state) noexcept nogil:
    """Whether no row is broken, so that what is of no use without constraints is of no use with them."""
    return not is_ruled(table) or state.penalty == 0.0


cdef bint is_simple(const Table* table) noexcept nogil:
    """Whether a move is judged by the best cut along a feature alone."""
    return not table.oblique and not is_ruled(table)


cdef double row_penalty(const Table* table, const State* state) noexcept nogil:
    """What rows on classes cost at present; a move is judged with it."""
    return class_penalty(table, state) if is_ruled(table) else 0.0


cdef bint is_kept(const Table* table, State* state, Desk* desk, double allowed) noexcept nogil:
    """Under constraints: repair the diagram after a move, and take both back unless its objective is as allowed."""
    settle(table, state)
    repair(table, state, desk)
    if state.objective <= allowed:
        note_best(table, state, desk)
        return True
    copy_state(table, state, desk.undo)
    return False


cdef void repair(const Table* table, State* state, Desk* desk) noexcept nogil:
    """Remove nodes until there are none too many and none too light. It ends: the root carries every sample."""
    cdef int node
    while is_crowded(table, state) and state.n_active > 1:
        remove_node(table, state, desk, cheapest_removal(table, state, desk), True)
    node = lightest(table, state)
    while node > 0:
        remove_node(table, state, desk, node, True)
        node = lightest(table, state)
    if node == 0:
        make_constant(table, state)


cdef int cheapest_removal(const Table* table, State* state, Desk* desk) noexcept nogil:
    """The node below the root without which the diagram is best."""
    cdef int v, best = -1
    cdef double least = INFINITY
    copy_state(table, desk.spare, state)
    for v in range(table.N - 1, 0, -1):
        if state.indegree[v] == 0:
            continue
        remove_node(table, state, desk, v, True)
        if state.objective < least or best < 0:
            least = state.objective
            best = v
        copy_state(table, state, desk.spare)
    return best


cdef bint worth_refining(Desk* desk, int node, bint explore) noexcept nogil:
    """Whether hyperplanes are to be looked for: not again for the problem just tried, but for one time in four."""
    return desk.loom.tried[node] != desk.print or (explore and below(&desk.chance, 4) == 0)


cdef bint improve_node(const Table* table, State* state, Desk* desk, int node, bint explore) noexcept nogil:
    """Give the node its best split and arcs, all else fixed; True if it changed.

    With `explore` an equally good split may replace the present one. A split that has lost its margin is replaced
    whatever it costs.
    """
    cdef Cut cut
    cdef double bound, present, limit
    cdef bint valid, found
    cdef unsigned long long print
    set_values(table, state, node)
    offer_targets(table, state, desk, node, table.layer[node])
    print = mix_print(mix_print(1, state.arc_print[2 * node]), state.arc_print[2 * node + 1])
    print = mix_print(mix(print, state.threshold[node]), state.value_print[node])
    print = offer_print(table, state, desk, print)
    if is_free(table, state) and is_settled(desk, print) and not (explore and below(&desk.chance, 4) == 0):
        return False
    seat_node(table, state, desk, node)
    if desk.n_members == 0:
        return False
    bound = price_targets(table, state, desk)
    present = members_cost(table, state, desk, node) + charged(state, desk, node) + row_penalty(table, state)
    valid = keeps_margin(table, state, node, desk.members, desk.n_members, desk.key)
    if valid and not explore and present <= bound + table.tolerance:
        mark_settled(desk, print)
        return False
    limit = present if explore else present - 2.0 * table.tolerance
    # a hyperplane may be found from a worse cut, and a margin is to be had at any price
    found = best_cut(table, state, desk, node, limit if valid and is_simple(table) else INFINITY, &cut)
    if table.oblique and not desk.late and worth_refining(desk, node, explore):
        refine_cut(table, state, desk, desk.loom, node, &cut)
        desk.loom.tried[node] = desk.print
    if desk.late:
        return False
    if not found or (valid and cut.value > limit + table.tolerance):
        if not is_ruled(table):
            mark_settled(desk, print)
        return False
    if is_ruled(table):
        return improve_ruled(table, state, desk, node, &cut, valid, explore)
    apply_cut(table, state, desk, node, &cut)
    set_values(table, state, node)
    activate(table, state)
    return True


cdef bint improve_ruled(const Table* table, State* state, Desk* desk, int node, const Cut* cut, bint valid, bint explore) noexcept nogil:
    """Give the node the cut if the whole diagram, repaired, is then better, or with `explore` as good."""
    cdef double allowed = state.objective + (table.tolerance if explore else -table.tolerance)
    if not valid:
        allowed = INFINITY
    copy_state(table, desk.undo, state)
    apply_cut(table, state, desk, node, cut)
    return is_kept(table, state, desk, allowed)


cdef int free_slot(const Table* table, const State* state, int layer) noexcept nogil:
    """An inactive slot of the layer, or -1."""
    cdef int u
    if layer >= table.L or not has_room(table, state, layer):
        return -1
    for u in range(table.first[layer], table.first[layer + 1]):
        if state.indegree[u] == 0:
            return u
    return -1


cdef bint grow_arc(const Table* table, State* state, Desk* desk, int node, int side) noexcept nogil:
    """Put a new node on the arc if it pays; True if it did."""
    cdef Cut cut
    cdef int target = state.child[2 * node + side], layer = table.layer[node] + 1
    cdef int slot = free_slot(table, state, layer)
    cdef double present, limit
    cdef bint found
    cdef unsigned long long print
    if slot < 0 or (target < table.N and (table.tree_only or state.indegree[target] == 1)):
        return False
    offer_targets(table, state, desk, -1, layer)
    print = offer_print(table, state, desk, mix_print(mix_print(2, state.arc_print[2 * node + side]), print_of(table, state, target)))
    if is_free(table, state) and is_settled(desk, print):
        return False
    seat_arc(table, state, desk, node, side)
    if desk.n_members < 2:
        return False
    present = members_cost(table, state, desk, target) - table.price + row_penalty(table, state)
    if price_targets(table, state, desk) >= present - table.tolerance:
        if is_free(table, state):
            mark_settled(desk, print)
        return False
    if is_ruled(table) and state.flow[2 * node + side] < table.rules.least_flow[layer]:
        return False
    limit = present - 2.0 * table.tolerance
    found = best_cut(table, state, desk, table.N + 2 * node + side, limit if is_simple(table) else INFINITY, &cut)
    if table.oblique and not desk.late and worth_refining(desk, slot, False):
        refine_cut(table, state, desk, desk.loom, -1, &cut)
        desk.loom.tried[slot] = desk.print
    if desk.late:
        return False
    if not found or cut.value > limit + table.tolerance:
        if not is_ruled(table):
            mark_settled(desk, print)
        return False
    if is_ruled(table):
        copy_state(table, desk.undo, state)
    apply_cut(table, state, desk, slot, &cut)
    state.child[2 * node + side] = slot
    if is_ruled(table):
        return is_kept(table, state, desk, desk.undo.objective - table.tolerance)
    settle(table, state)
    return True


cdef int best_other(const Table* table, const State* state, Desk* desk, int node, double* cost) noexcept nogil:
    """The cheapest target for the members in place of the node: one of its layer (not in a tree) or a terminal."""
    cdef int target, best = table.N, layer = table.layer[node]
    cdef double total
    cost[0] = INFINITY
    for target in range(table.first[layer], table.N + table.C):
        if target == node or table.first[layer + 1] <= target < table.N:
            continue
        if target < table.N and (table.tree_only or state.indegree[target] == 0):
            continue
        total = members_cost(table, state, desk, target)
        if total < cost[0]:
            cost[0] = total
            best = target
    return best


cdef unsigned long long removal_print(const Table* table, const State* state, Desk* desk, int node, double saved) noexcept nogil:
    """Fingerprint of the arcs into a node and of the targets they may get instead."""
    cdef int v, arc, layer = table.layer[node]
    cdef unsigned long long print = mix_print(mix(3, saved), state.value_print[node])
    for v in range(table.first[layer], table.first[layer + 1]):
        print = mix_print(print, state.value_print[v] if state.indegree[v] > 0 and not table.tree_only else 0)
    for arc in range(2 * table.first[layer - 1], 2 * table.first[layer]):
        if state.indegree[arc >> 1] > 0 and state.child[arc] == node:
            print = mix_print(print, state.arc_print[arc])
    return print


cdef bint remove_node(const Table* table, State* state, Desk* desk, int node, bint must) noexcept nogil:
    """Send every arc into the node to its best other target if that pays, or in any case; True if done."""
    cdef int arc, first_arc = 2 * table.first[table.layer[node] - 1], last_arc = 2 * table.first[table.layer[node]]
    cdef double change = -table.price * orphans(table, state, node, desk.degree)
    cdef double cost
    cdef unsigned long long print = removal_print(table, state, desk, node, change)
    if not must and is_free(table, state) and is_settled(desk, print):
        return False
    for arc in range(first_arc, last_arc):
        desk.redirected[arc] = -1
        if state.indegree[arc >> 1] == 0 or state.child[arc] != node:
            continue
        seat_arc(table, state, desk, arc >> 1, arc & 1)
        desk.redirected[arc] = best_other(table, state, desk, node, &cost)
        change += cost - members_cost(table, state, desk, node)
    # with a row broken, a diagram that costs more may still be better
    if not must and change >= -table.tolerance and is_free(table, state):
        mark_settled(desk, print)
        return False
    if not must and is_ruled(table):
        copy_state(table, desk.undo, state)
    for arc in range(first_arc, last_arc):
        if desk.redirected[arc] >= 0:
            state.child[arc] = desk.redirected[arc]
    collapse(table, state)
    if not must and is_ruled(table):
        return is_kept(table, state, desk, desk.undo.objective - table.tolerance)
    settle(table, state)
    return True


cdef void sweep(const Table* table, State* state, Desk* desk, bint explore) noexcept nogil:
    """Improve the nodes once, from the lowest layer to the root."""
    cdef int v
    cdef bint changed = False
    for v in range(table.N - 1, -1, -1):
        if out_of_time(desk):
            break
        if state.indegree[v] > 0 and not desk.held[v]:
            changed |= improve_node(table, state, desk, v, explore)
    activate(table, state)
    changed |= collapse(table, state)
    if changed:
        settle(table, state)


cdef bint note_best(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """Keep the diagram if it is the best so far and keeps every margin and row; True if it is."""
    cdef Find* find
    if table.rules != NULL and state.excess > 0.0:
        return False
    if state.objective >= desk.best.objective - table.tolerance or not admissible(table, state, desk):
        return False
    copy_state(table, desk.best, state)
    if desk.n_finds < MOST_FINDS:
        find = &desk.finds[desk.n_finds]
        find.when, find.objective, find.n_nodes = monotonic(), state.objective, state.n_active
        desk.n_finds += 1
    return True


cdef void work_over(const Table* table, State* state, Desk* desk, bint explore, bint thrifty) noexcept nogil:
    """Improve all nodes once, grow where it pays, and if thrifty remove nodes that do not pay."""
    cdef int v, s
    sweep(table, state, desk, explore)
    for v in range(table.N):
        for s in range(2):
            if state.indegree[v] > 0 and not out_of_time(desk):
                grow_arc(table, state, desk, v, s)
    for v in range(table.N - 1, 0, -1):
        if thrifty and state.indegree[v] > 0 and not desk.held[v]:
            remove_node(table, state, desk, v, False)


cdef void descend(const Table* table, State* state, Desk* desk, double hope) noexcept nogil:
    """Improve, grow and remove nodes until nothing helps, or the objective comes down too slowly to reach `hope`."""
    cdef double before
    cdef bint explore = unit(&desk.chance) < 0.7, first = True
    # measured to help with univariate splits only: with hyperplanes pruning never waits
    cdef bint thrifty = table.oblique or unit(&desk.chance) < 0.7
    if table.rules != NULL:
        repair(table, state, desk)
        note_best(table, state, desk)
    while not out_of_time(desk):
        before = state.objective
        work_over(table, state, desk, explore, thrifty)
        note_best(table, state, desk)
        memset(desk.held, 0, table.N)
        if not first and state.objective >= before - table.tolerance:
            break
        if not first and state.objective - SLOWEST * (before - state.objective) > hope:
            break
        explore = first = False


cdef bint admissible(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """Whether every active node keeps its margin."""
    cdef int v
    if not table.oblique:
        return True
    for v in range(table.N):
        if state.indegree[v] == 0:
            continue
        seat_node(table, state, desk, v)
        if not keeps_margin(table, state, v, desk.members, desk.n_members, desk.key):
            return False
    return True


cdef int random_node(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """An active node, all with equal chance."""
    cdef int v, k = below(&desk.chance, state.n_active)
    for v in range(table.N):
        if state.indegree[v] > 0:
            if k == 0:
                return v
            k -= 1
    return 0


cdef void demand_weight(const Table* table, Desk* desk, int layer) noexcept nogil:
    """What each side of a new cut is to weigh: what the side must, and every other time what a node on it must."""
    cdef int k
    cdef double least = table.rules.least_side[layer]
    if layer + 1 < table.L and below(&desk.chance, 2) == 0:
        least = max(least, table.rules.least_flow[layer + 1])
    desk.least_cut = least
    desk.tally.weight = 0.0
    for k in range(desk.n_members):
        desk.tally.weight += table.rules.flow_weight[desk.members[k]]


cdef void recreate(const Table* table, State* state, Desk* desk, int node, double bushiness) noexcept nogil:
    """Rebuild everything below a node by information gain over a few random features."""
    cdef Cut cut
    cdef int s, slot, layer = table.layer[node], tried = 1 + below(&desk.chance, max(1, (2 * table.d) // 3))
    cdef int slots[2]
    seat_node(table, state, desk, node)
    if is_ruled(table):
        demand_weight(table, desk, layer)
    if desk.n_members < 2 or not gain_cut(table, desk, min(tried, 1 + 200000 // desk.n_members), &cut):
        return
    apply_cut(table, state, desk, node, &cut)
    activate(table, state)
    for s in range(2):
        slots[s] = -1
        if unit(&desk.chance) < bushiness:
            slot = free_slot(table, state, layer + 1)
            if slot >= 0:
                slots[s] = slot
                state.feature[slot] = -1
                state.child[2 * slot] = state.child[2 * slot + 1] = state.child[2 * node + s]
                state.child[2 * node + s] = slot
                set_sides(table, state, slot, desk.key)
                activate(table, state)
    locate(table, state, layer)
    for s in range(2):
        if slots[s] >= 0:
            recreate(table, state, desk, slots[s], bushiness)


cdef void tilt_plane(const Table* table, State* state, Desk* desk, int node) noexcept nogil:
    """Turn the node's hyperplane at random about its threshold; arcs as they are."""
    cdef int j
    cdef double norm = 0.0, size = unit(&desk.chance)
    cdef double* weights = state.weights + <Py_ssize_t>node * table.d
    for j in range(table.d):
        weights[j] += size * (2.0 * unit(&desk.chance) - 1.0) * (fabs(weights[j]) + 0.3 / table.d)
        norm += fabs(weights[j])
    for j in range(table.d):
        weights[j] /= norm
    desk.held[node] = 1
    set_sides(table, state, node, desk.key)


cdef void shift_split(const Table* table, State* state, Desk* desk, int node) noexcept nogil:
    """A random feature and threshold for the node, arcs as they are."""
    cdef int feature = below(&desk.chance, table.d), i, j
    cdef const double* column = table.columns + <Py_ssize_t>feature * table.n
    seat_node(table, state, desk, node)
    if desk.n_members < 2:
        return
    i = desk.members[below(&desk.chance, desk.n_members)]
    j = desk.members[below(&desk.chance, desk.n_members)]
    if column[i] == column[j]:
        return
    state.feature[node] = feature
    state.threshold[node] = 0.5 * (column[i] + column[j])
    desk.held[node] = 1
    set_sides(table, state, node, desk.key)


cdef void redirect_arc(const Table* table, State* state, Desk* desk, int node) noexcept nogil:
    """A random target for one arc of the node."""
    offer_targets(table, state, desk, node, table.layer[node])
    state.child[2 * node + below(&desk.chance, 2)] = desk.targets[below(&desk.chance, desk.T)]


cdef void sprout(const Table* table, State* state, Desk* desk, int node) noexcept nogil:
    """A new node on one arc, split by information gain, whether it pays or not."""
    cdef int side = below(&desk.chance, 2), slot = free_slot(table, state, table.layer[node] + 1)
    if slot < 0 or (table.tree_only and state.child[2 * node + side] < table.N):
        return
    state.feature[slot] = -1
    state.child[2 * slot] = state.child[2 * slot + 1] = state.child[2 * node + side]
    if state.child[2 * slot] < table.N:
        state.child[2 * slot] = state.child[2 * slot + 1] = table.N
    state.child[2 * node + side] = slot
    set_sides(table, state, slot, desk.key)
    settle(table, state)
    recreate(table, state, desk, slot, 0.0)


cdef void transplant(const Table* table, const State* source, int root, State* state, int slot) noexcept nogil:
    """Copy a node and what hangs below it into a slot, as far as there are free slots below."""
    cdef int s, target, free
    cdef Py_ssize_t n = table.n, d = table.d
    state.feature[slot], state.threshold[slot] = source.feature[root], source.threshold[root]
    state.side_print[slot] = source.side_print[root]
    memcpy(state.side + slot * n, source.side + root * n, n)
    if table.oblique:
        memcpy(state.weights + slot * d, source.weights + root * d, d * sizeof(double))
    state.indegree[slot] = 1
    for s in range(2):
        target = source.child[2 * root + s]
        state.child[2 * slot + s] = target if target >= table.N else table.N
        free = free_slot(table, state, table.layer[slot] + 1) if target < table.N else -1
        if free >= 0:
            state.child[2 * slot + s] = free
            transplant(table, source, target, state, free)


cdef void lift_child(const Table* table, State* state, Desk* desk, int node) noexcept nogil:
    """In a tree: put a child and what hangs below it in the node's place."""
    cdef int child = state.child[2 * node + below(&desk.chance, 2)]
    if child >= table.N:
        return
    copy_state(table, desk.spare, state)
    state.child[2 * node] = state.child[2 * node + 1] = table.N
    activate(table, state)
    transplant(table, desk.spare, child, state, node)


cdef void push_down(const Table* table, State* state, Desk* desk, int node) noexcept nogil:
    """In a tree: put a new split, by information gain, above the node and what hangs below it."""
    cdef Cut cut
    cdef int slot
    seat_node(table, state, desk, node)
    if table.layer[node] + 1 >= table.L or desk.n_members < 2:
        return
    desk.least_cut = 0.0
    if not gain_cut(table, desk, 1 + below(&desk.chance, table.d), &cut):
        return
    copy_state(table, desk.spare, state)
    apply_cut(table, state, desk, node, &cut)
    activate(table, state)
    slot = free_slot(table, state, table.layer[node] + 1)
    if slot >= 0:
        state.child[2 * node + below(&desk.chance, 2)] = slot
        transplant(table, desk.spare, node, state, slot)


cdef void perturb(const Table* table, State* state, Desk* desk) noexcept nogil:
    """Change one or two things at random."""
    cdef int kind, node, times = 1 + below(&desk.chance, 2)
    if table.rules != NULL:
        table.rules.guests = below(&desk.chance, 2)
    for _ in range(times):
        node = random_node(table, state, desk)
        kind = below(&desk.chance, 10)
        if kind < 2 and state.feature[node] == HYPERPLANE:
            tilt_plane(table, state, desk, node)
        elif kind < 1 and table.tree_only:
            lift_child(table, state, desk, node)
        elif kind < 2 and table.tree_only:
            push_down(table, state, desk, node)
        elif kind < 4:
            shift_split(table, state, desk, node)
        elif kind < 7:
            recreate(table, state, desk, node, 0.5 if table.oblique else 0.3 + 0.7 * unit(&desk.chance))
        elif kind < 8:
            redirect_arc(table, state, desk, node)
        elif kind < 9:
            sprout(table, state, desk, node)
        elif node > 0:
            remove_node(table, state, desk, node, True)
        if table.tree_only:
            untangle(table, state)
        settle(table, state)
    if table.rules != NULL:
        table.rules.guests = 0


cdef void untangle(const Table* table, State* state) noexcept nogil:
    """In a tree: an arc pair that ends in one node keeps only its positive half."""
    cdef int v
    for v in range(table.N):
        if state.child[2 * v] == state.child[2 * v + 1] and state.child[2 * v] < table.N:
            state.child[2 * v] = table.N
    activate(table, state)
