"""Best split of one node's samples under constraint rows.

As in `best_split`, but a split also pays for the rows on classes that it leaves violated: the activity of a row is a sum over
the samples too, so it is carried along target by target. The minimum flow of a target, and of a side, is kept here; what a
split does further below is seen by the move that applies it.
"""

from libc.math cimport INFINITY
from libc.string cimport memset

from oddlearn.kernels.common.rng cimport draw_below, draw_unit
from oddlearn.kernels.local_search.search_table cimport (
    EVERYTHING_POSITIVE, WEIGHT_ROUNDING, ConstraintArrays, add_observable, row_violation,
)
from oddlearn.kernels.local_search.workspace cimport ConstraintWorkspace, NodeProblem, SplitScratch, between


cdef void load_row_activities(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil:
    """Compute what the members do to the rows at every target, and what all other samples do."""
    cdef NodeProblem* problem = &ws.problem
    cdef const ConstraintArrays* constraints = table.constraints
    cdef ConstraintWorkspace* work = &ws.constrained
    cdef Py_ssize_t k, i, n = table.n, T = problem.n_targets, R = constraints.R
    cdef int t, r, u
    compute_missing_flows(table, state, ws)
    if constraints.n_class_rows == 0:
        return
    for r in range(R):
        work.base_activity[r] = state.rows.activity[r]
    memset(work.total_activity, 0, T * R * sizeof(double))
    for k in range(problem.n_members):
        i = problem.members[k]
        add_observable(constraints, work.base_activity, i * table.C + state.rows.leaf_class[i], -1.0)
        for t in range(T):
            u = problem.targets[t]
            work.leaf_class[k * T + t] = u - table.N if u >= table.N else state.rows.leaf_class[u * n + i]
            add_observable(constraints, work.total_activity + t * R, i * table.C + work.leaf_class[k * T + t], 1.0)


cdef void compute_missing_flows(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil:
    """Compute what each target lacks of its minimum flow without the members, and the members' own weight."""
    cdef NodeProblem* problem = &ws.problem
    cdef const ConstraintArrays* constraints = table.constraints
    cdef ConstraintWorkspace* work = &ws.constrained
    cdef Py_ssize_t k, i, n = table.n
    cdef int t, u, layer = -1
    cdef double least, others
    work.flow = 0.0
    for t in range(problem.n_targets):
        work.missing_flow[t] = 0.0
        if problem.targets[t] < table.N:
            layer = table.layers.of_node[problem.targets[t]]
            work.own_flow[problem.targets[t]] = 0.0
    for k in range(problem.n_members):
        i = problem.members[k]
        work.flow += constraints.flow_weight[i]
        u = state.routing.at[layer * n + i] if layer >= 0 else -1
        if u >= 0:
            work.own_flow[u] += constraints.flow_weight[i]
    for t in range(problem.n_targets):
        u = problem.targets[t]
        if u < table.N and constraints.min_flow[layer] > 0.0:
            least = constraints.min_flow[layer] * (1.0 - WEIGHT_ROUNDING)
            others = state.rows.arc_flow[2 * u] + state.rows.arc_flow[2 * u + 1] - work.own_flow[u]
            work.missing_flow[t] = max(0.0, least - others)


cdef double class_penalty(const SearchTable* table, const DiagramState* state) noexcept nogil:
    """Return the penalty of the rows on classes at present."""
    cdef int k, r
    cdef double penalty = 0.0
    for k in range(table.constraints.n_class_rows):
        r = table.constraints.class_rows[k]
        penalty += table.constraints.penalty[r] * row_violation(table.constraints, r, state.rows.activity[r])
    return penalty


cdef double pair_penalty(const SearchTable* table, const Workspace* ws, int before, int after) noexcept nogil:
    """Return the penalty of the rows on classes if the members before the split go to one target, the others to another."""
    cdef const ConstraintArrays* constraints = table.constraints
    cdef const ConstraintWorkspace* work = &ws.constrained
    cdef Py_ssize_t R = constraints.R
    cdef int k, r
    cdef double activity, penalty = 0.0
    for k in range(constraints.n_class_rows):
        r = constraints.class_rows[k]
        activity = work.base_activity[r] + work.prefix_activity[before * R + r]
        activity = activity + work.total_activity[after * R + r] - work.prefix_activity[after * R + r]
        penalty += constraints.penalty[r] * row_violation(constraints, r, activity)
    return penalty


cdef void no_constrained_split(const SearchTable* table, Workspace* ws, NodeSplit* split) noexcept nogil:
    """Start from no split at all: every member to the best target."""
    cdef NodeProblem* problem = &ws.problem
    cdef int t, best = 0
    cdef double value, least = INFINITY
    memset(ws.constrained.prefix_activity, 0, problem.n_targets * <Py_ssize_t>table.constraints.R * sizeof(double))
    for t in range(problem.n_targets):
        value = problem.total_costs[t] + problem.target_price[t] + pair_penalty(table, ws, t, t)
        if value < least and ws.constrained.missing_flow[t] <= ws.constrained.flow:
            least = value
            best = t
    split.value = least
    split.feature = EVERYTHING_POSITIVE
    split.threshold = 0.0
    split.negative = split.positive = problem.targets[best]
    split.ties = 1


cdef void try_target_pairs(
    const SearchTable* table, Workspace* ws, NodeSplit* split, double before_weight, int feature, int k
) noexcept nogil:
    """Try every pair of targets for the split before place k."""
    cdef NodeProblem* problem = &ws.problem
    cdef SplitScratch* scratch = &ws.scratch
    cdef const ConstraintWorkspace* work = &ws.constrained
    cdef int before, after
    cdef double first, value, after_weight = work.flow - before_weight
    for before in range(problem.n_targets):
        if work.missing_flow[before] > before_weight:
            continue
        first = scratch.prefix[before] + problem.target_price[before]
        for after in range(problem.n_targets):
            # two sides with one target are no split
            if before == after or work.missing_flow[after] > after_weight:
                continue
            value = first + problem.total_costs[after] - scratch.prefix[after] + problem.target_price[after]
            if value > split.value + table.tolerance:
                continue
            value += pair_penalty(table, ws, before, after)
            if value > split.value + table.tolerance:
                continue
            if value > split.value - table.tolerance:
                split.ties += 1
                if draw_below(&ws.rng, <int>min(split.ties, 1000000)) != 0:
                    continue
            else:
                split.ties = 1
            split.value = value
            split.feature = feature
            split.threshold = between(scratch.keys[k - 1], scratch.keys[k])
            split.negative, split.positive = problem.targets[before], problem.targets[after]


cdef void scan_constrained(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil:
    """Try every split of the sorted members."""
    cdef NodeProblem* problem = &ws.problem
    cdef SplitScratch* scratch = &ws.scratch
    cdef const ConstraintArrays* constraints = table.constraints
    cdef ConstraintWorkspace* work = &ws.constrained
    cdef Py_ssize_t k, i, member, T = problem.n_targets, R = constraints.R
    cdef int t
    cdef double cost, least_before, least_after, weight = 0.0
    memset(scratch.prefix, 0, T * sizeof(double))
    memset(work.prefix_activity, 0, T * R * sizeof(double))
    for k in range(problem.n_members):
        if (
            k > 0 and scratch.keys[k] - scratch.keys[k - 1] >= table.margin
            and weight >= work.min_side_flow and work.flow - weight >= work.min_side_flow
        ):
            least_before = least_after = INFINITY
            for t in range(T):
                cost = scratch.prefix[t] + problem.target_price[t]
                least_before = cost if cost < least_before else least_before
                cost = problem.total_costs[t] - scratch.prefix[t] + problem.target_price[t]
                least_after = cost if cost < least_after else least_after
            if least_before + least_after <= split.value + table.tolerance:
                try_target_pairs(table, ws, split, weight, feature, <int>k)
        member = scratch.sorted_members[k]
        i = problem.members[member]
        weight += constraints.flow_weight[i]
        for t in range(T):
            scratch.prefix[t] += problem.costs[member * T + t]
            if constraints.n_class_rows > 0:
                add_observable(constraints, work.prefix_activity + t * R, i * table.C + work.leaf_class[member * T + t], 1.0)


cdef void draw_multipliers(const SearchTable* table, Workspace* ws) noexcept nogil:
    """Draw a Lagrange multiplier for each row on classes: how hyperplanes take rows into account."""
    cdef const ConstraintArrays* constraints = table.constraints
    cdef int k, r
    cdef double share
    for k in range(constraints.n_class_rows):
        r = constraints.class_rows[k]
        share = max(0.0, 1.5 * draw_unit(&ws.rng) - 0.5)
        ws.constrained.multiplier[r] = share * constraints.penalty[r]
        if constraints.lower[r] > -INFINITY:
            ws.constrained.multiplier[r] = -ws.constrained.multiplier[r]


cdef double multiplier_saving(
    const SearchTable* table, const Workspace* ws, Py_ssize_t k, int first, int second
) noexcept nogil:
    """Return what the member saves by the second of two targets, by the multipliers."""
    cdef const ConstraintArrays* constraints = table.constraints
    cdef const ConstraintWorkspace* work = &ws.constrained
    cdef Py_ssize_t T = ws.problem.n_targets, place, column = ws.problem.members[k] * <Py_ssize_t>table.C
    cdef int j
    cdef double saved = 0.0
    if work.leaf_class[k * T + first] == work.leaf_class[k * T + second]:
        return 0.0
    place = column + work.leaf_class[k * T + first]
    for j in range(constraints.start[place], constraints.start[place + 1]):
        saved += work.multiplier[constraints.row[j]] * constraints.coefficient[j]
    place = column + work.leaf_class[k * T + second]
    for j in range(constraints.start[place], constraints.start[place + 1]):
        saved -= work.multiplier[constraints.row[j]] * constraints.coefficient[j]
    return saved
