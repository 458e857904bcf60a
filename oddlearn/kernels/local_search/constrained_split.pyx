"""Best cut of one node's samples under constraint rows.

As in `cut`, but a cut also pays for the rows on classes that it leaves broken: the activity of a row is a sum over the
samples too, so it is carried along target by target. The least flow of a target, and of a side, is kept here; what a cut
does further below is seen by the move that applies it.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from oddlearn.kernels.local_search.constraint_activity cimport broken
from oddlearn.kernels.common.rng cimport below, unit
from oddlearn.kernels.local_search.best_split cimport between
from oddlearn.kernels.local_search.workspace cimport Cut, Desk, Tally
from oddlearn.kernels.local_search.constraint_arrays cimport Rules
from oddlearn.kernels.local_search.diagram_state cimport EVERYTHING_POSITIVE, State, Table

# rounding of sums of sample weights, as a share of the limit
cdef double ROUNDING = 1e-9


cdef bint new_tally(const Table* table, Desk* desk, Py_ssize_t widest) noexcept nogil:
    """Scratch memory for rows; False where memory is short."""
    cdef Py_ssize_t R = max(1, table.rules.R)
    cdef Tally* tally = <Tally*>calloc(1, sizeof(Tally))
    if tally == NULL:
        return False
    desk.tally = tally
    tally.classes = <int*>malloc(table.n * widest * sizeof(int))
    tally.base = <double*>malloc(R * sizeof(double))
    tally.total = <double*>malloc(widest * R * sizeof(double))
    tally.prefix = <double*>malloc(widest * R * sizeof(double))
    tally.pull = <double*>calloc(R, sizeof(double))
    tally.need = <double*>malloc((table.N + table.C) * sizeof(double))
    tally.own = <double*>malloc(table.N * sizeof(double))
    return not (
        tally.classes == NULL or tally.base == NULL or tally.total == NULL or tally.prefix == NULL
        or tally.pull == NULL or tally.need == NULL or tally.own == NULL
    )


cdef void free_tally(Desk* desk) noexcept nogil:
    if desk.tally == NULL:
        return
    free(desk.tally.classes)
    free(desk.tally.base)
    free(desk.tally.total)
    free(desk.tally.prefix)
    free(desk.tally.pull)
    free(desk.tally.need)
    free(desk.tally.own)
    free(desk.tally)


cdef inline void add(const Table* table, double* activity, Py_ssize_t sample, int code, double sign) noexcept nogil:
    """Add what one sample's class does to the rows."""
    cdef const Rules* rules = table.rules
    cdef int k
    cdef Py_ssize_t column = sample * table.C + code
    for k in range(rules.start[column], rules.start[column + 1]):
        activity[rules.row[k]] += sign * rules.coefficient[k]


cdef void tally_rows(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """Lay out what the members do to the rows at every target, and what everybody else does."""
    cdef const Rules* rules = table.rules
    cdef Tally* tally = desk.tally
    cdef Py_ssize_t k, i, n = table.n, T = desk.T, R = rules.R
    cdef int t, r, u
    weigh_targets(table, state, desk)
    if rules.n_class_rows == 0:
        return
    for r in range(R):
        tally.base[r] = state.activity[r]
    memset(tally.total, 0, T * R * sizeof(double))
    for k in range(desk.n_members):
        i = desk.members[k]
        add(table, tally.base, i, state.ends[i], -1.0)
        for t in range(T):
            u = desk.targets[t]
            tally.classes[k * T + t] = u - table.N if u >= table.N else state.ends[u * n + i]
            add(table, tally.total + t * R, i, tally.classes[k * T + t], 1.0)


cdef void weigh_targets(const Table* table, const State* state, Desk* desk) noexcept nogil:
    """What each target needs from the members to have its least flow, and the members' own weight."""
    cdef const Rules* rules = table.rules
    cdef Tally* tally = desk.tally
    cdef Py_ssize_t k, i, n = table.n
    cdef int t, u, layer = -1
    cdef double least
    tally.weight = 0.0
    for t in range(desk.T):
        tally.need[t] = 0.0
        if desk.targets[t] < table.N:
            layer = table.layer[desk.targets[t]]
            tally.own[desk.targets[t]] = 0.0
    for k in range(desk.n_members):
        i = desk.members[k]
        tally.weight += rules.flow_weight[i]
        u = state.at[layer * n + i] if layer >= 0 else -1
        if u >= 0:
            tally.own[u] += rules.flow_weight[i]
    for t in range(desk.T):
        u = desk.targets[t]
        if u < table.N and rules.least_flow[layer] > 0.0:
            least = rules.least_flow[layer] * (1.0 - ROUNDING)
            tally.need[t] = max(0.0, least - (state.flow[2 * u] + state.flow[2 * u + 1] - tally.own[u]))


cdef double class_penalty(const Table* table, const State* state) noexcept nogil:
    """What the rows on classes cost at present."""
    cdef int k, r
    cdef double penalty = 0.0
    for k in range(table.rules.n_class_rows):
        r = table.rules.class_rows[k]
        penalty += table.rules.weight[r] * broken(table, r, state.activity[r])
    return penalty


cdef double pair_penalty(const Table* table, const Desk* desk, int before, int after) noexcept nogil:
    """What the rows on classes cost if the members before the place go to one target, the others to another."""
    cdef const Rules* rules = table.rules
    cdef const Tally* tally = desk.tally
    cdef Py_ssize_t R = rules.R
    cdef int k, r
    cdef double penalty = 0.0
    for k in range(rules.n_class_rows):
        r = rules.class_rows[k]
        penalty += rules.weight[r] * broken(
            table, r, tally.base[r] + tally.prefix[before * R + r] + tally.total[after * R + r] - tally.prefix[after * R + r]
        )
    return penalty


cdef void open_ruled(const Table* table, Desk* desk, Cut* cut) noexcept nogil:
    """Start from no cut at all: every member to the target that is best."""
    cdef int t, best = 0
    cdef double value, least = INFINITY
    memset(desk.tally.prefix, 0, desk.T * <Py_ssize_t>table.rules.R * sizeof(double))
    for t in range(desk.T):
        value = desk.total[t] + desk.charge[t] + pair_penalty(table, desk, t, t)
        if value < least and desk.tally.need[t] <= desk.tally.weight:
            least = value
            best = t
    cut.value = least
    cut.feature = EVERYTHING_POSITIVE
    cut.threshold = 0.0
    cut.negative = cut.positive = desk.targets[best]
    cut.ties = 1


cdef void take_pair(const Table* table, Desk* desk, Cut* cut, double before_weight, int feature, int k) noexcept nogil:
    """Try every pair of targets for the cut before place k."""
    cdef const Tally* tally = desk.tally
    cdef int before, after
    cdef double first, value, after_weight = tally.weight - before_weight
    for before in range(desk.T):
        if tally.need[before] > before_weight:
            continue
        first = desk.prefix[before] + desk.charge[before]
        for after in range(desk.T):
            # two sides to one target part nothing: that is no cut
            if before == after or tally.need[after] > after_weight:
                continue
            value = first + desk.total[after] - desk.prefix[after] + desk.charge[after]
            if value > cut.value + table.tolerance:
                continue
            value += pair_penalty(table, desk, before, after)
            if value > cut.value + table.tolerance:
                continue
            if value > cut.value - table.tolerance:
                cut.ties += 1
                if below(&desk.chance, <int>min(cut.ties, 1000000)) != 0:
                    continue
            else:
                cut.ties = 1
            cut.value = value
            cut.feature = feature
            cut.threshold = between(desk.keys[k - 1], desk.keys[k])
            cut.negative, cut.positive = desk.targets[before], desk.targets[after]


cdef void scan_ruled(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil:
    """Try every cut of the run that lies on the desk (members in the order of their keys)."""
    cdef const Rules* rules = table.rules
    cdef Tally* tally = desk.tally
    cdef Py_ssize_t k, member, T = desk.T, R = rules.R
    cdef int t
    cdef double cost, least_before, least_after, weight = 0.0
    memset(desk.prefix, 0, T * sizeof(double))
    memset(tally.prefix, 0, T * R * sizeof(double))
    for k in range(desk.n_members):
        if (
            k > 0 and desk.keys[k] - desk.keys[k - 1] >= table.margin
            and weight >= tally.least_side and tally.weight - weight >= tally.least_side
        ):
            least_before = least_after = INFINITY
            for t in range(T):
                cost = desk.prefix[t] + desk.charge[t]
                least_before = cost if cost < least_before else least_before
                cost = desk.total[t] - desk.prefix[t] + desk.charge[t]
                least_after = cost if cost < least_after else least_after
            if least_before + least_after <= cut.value + table.tolerance:
                take_pair(table, desk, cut, weight, feature, <int>k)
        member = desk.run[k]
        weight += rules.flow_weight[desk.members[member]]
        for t in range(T):
            desk.prefix[t] += desk.rows[member * T + t]
            if rules.n_class_rows > 0:
                add(table, tally.prefix + t * R, desk.members[member], tally.classes[member * T + t], 1.0)


cdef void draw_pull(const Table* table, Desk* desk) noexcept nogil:
    """Draw a Lagrange multiplier for each row on classes: how hyperplanes learn what rows want of them."""
    cdef const Rules* rules = table.rules
    cdef int k, r
    cdef double share
    for k in range(rules.n_class_rows):
        r = rules.class_rows[k]
        share = max(0.0, 1.5 * unit(&desk.chance) - 0.5)
        desk.tally.pull[r] = share * rules.weight[r]
        if rules.lower[r] > -INFINITY:
            desk.tally.pull[r] = -desk.tally.pull[r]


cdef double pulled(const Table* table, const Desk* desk, Py_ssize_t k, int first, int second) noexcept nogil:
    """What the multipliers say the member saves by the second of two targets."""
    cdef const Rules* rules = table.rules
    cdef const Tally* tally = desk.tally
    cdef Py_ssize_t T = desk.T, column = desk.members[k] * <Py_ssize_t>table.C
    cdef int j
    cdef double saved = 0.0
    if tally.classes[k * T + first] == tally.classes[k * T + second]:
        return 0.0
    for j in range(rules.start[column + tally.classes[k * T + first]], rules.start[column + tally.classes[k * T + first] + 1]):
        saved += tally.pull[rules.row[j]] * rules.coefficient[j]
    for j in range(rules.start[column + tally.classes[k * T + second]], rules.start[column + tally.classes[k * T + second] + 1]):
        saved -= tally.pull[rules.row[j]] * rules.coefficient[j]
    return saved
