"""The best tree of a set of rows with a price per node and no limit on its depth.

    T(S) = min( leaf(S), price + min over splits of T(negative side) + T(positive side) )

A call has a budget: it finds T(S) if that is below the budget, else a lower bound of at least the budget. Costs are
counted above the rows' cheapest classes, so that a tree with m nodes costs at least m prices.
"""

from oddlearn.kernels.branch_and_bound.packed_sets cimport hash_side
from oddlearn.kernels.branch_and_bound.price_bounds cimport raise_by_superset, spread_bound, sweep_bounds
from oddlearn.kernels.branch_and_bound.price_boxes cimport bound_two_nodes
from oddlearn.kernels.branch_and_bound.price_cache cimport PriceEntry, find_entry, store_bounds
from oddlearn.kernels.branch_and_bound.price_memory cimport fill_child
from oddlearn.kernels.branch_and_bound.price_sets cimport (
    BOUND_CACHE, BUDGET_SLACK, MIN_SUPPORT, PARENT_BOUNDS, SIMILAR_SETS, TWO_NODES, Hash, PriceProblem, PriceSet,
)
from oddlearn.kernels.branch_and_bound.price_similar cimport bound_by_similar, store_similar
from oddlearn.kernels.branch_and_bound.price_state cimport (
    MAX_PRICE_DEPTH, TOO_DEEP, BestTree, must_stop,
)
from oddlearn.kernels.branch_and_bound.price_stumps cimport begin_stumps, bound_by_stumps

cdef enum:
    MIN_CACHED_NODES = 3       # sets are looked up where trees with so many nodes are within the budget
    MIN_CACHED_BOXES = 4       # ... if trees of two nodes are found as boxes

# a side is solved for a budget that is larger by a share of the price where trees of two or three nodes are within it:
# its bound then prunes neighbours, too. Larger sides have none: with 0.15 blood-transfusion at 0.01 took 7.6 s, not 4.0
cdef double SLACK_FOR_TWO_NODES = 0.3, SLACK_FOR_THREE_NODES = 0.6


cdef void solve_set(PriceSolver* solver, int depth, Cost budget, Cost* lower) noexcept nogil:
    """Solve the set of a depth: its best tree below the budget, in ``solver.best``, or a lower bound of the budget.

    The bound is the cost of the best tree when it equals ``solver.best[depth].upper``. It holds when stopped, too.
    The root of all is free: there, a tree with a split costs its price more than it should, and so does the leaf.
    """
    cdef PriceProblem* problem = &solver.problem
    cdef PriceSet* rows = &solver.sets[depth]
    cdef BestTree* best = &solver.best[depth]
    cdef Cost price = problem.price
    solver.n_solved += 1
    best.split, best.upper = -1, rows.leaf_cost + (price if depth == 0 else 0)
    if rows.stump >= 0 and price + rows.stump_cost < best.upper:
        best.split, best.upper = rows.stump, price + rows.stump_cost
        best.side_upper[0], best.side_upper[1] = rows.leaf[0][rows.stump], rows.leaf[1][rows.stump]
    lower[0] = min(best.upper, 2 * price)
    if lower[0] == best.upper or lower[0] >= budget:
        return
    if depth > 0 and not problem.disabled & PARENT_BOUNDS:
        raise_by_superset(problem, &solver.sets[depth - 1], solver.is_in, rows)
        solver.work += 0 if problem.words else solver.sets[depth - 1].n * rows.n_active
    if not problem.disabled & BOUND_CACHE and min(budget, best.upper) > min_cached_nodes(problem) * price:
        look_up_all(solver, rows, min(budget, best.upper))
    sweep_bounds(problem, rows)
    search_features(solver, depth, budget)
    lower[0] = max(lower[0], min(best.upper, least_bound(problem, rows, depth, 0, rows.n_active)))


cdef inline bint has_boxes(const PriceProblem* problem) noexcept nogil:
    """Return True if trees of two nodes are found as boxes."""
    return problem.signed_gain != NULL and not problem.disabled & TWO_NODES


cdef inline int min_cached_nodes(const PriceProblem* problem) noexcept nogil:
    return MIN_CACHED_BOXES if has_boxes(problem) else MIN_CACHED_NODES


cdef void look_up_all(PriceSolver* solver, PriceSet* rows, Cost target) noexcept nogil:
    """Raise the bounds of the sides of all splits that may be below the target by those in the cache."""
    cdef Cost price = solver.problem.price, least = (min_cached_nodes(&solver.problem) - 1) * price
    cdef const PriceEntry* entry
    cdef Py_ssize_t s
    cdef int side
    for s in range(rows.n_splits):
        if price + rows.lower[0][s] + rows.lower[1][s] >= target:
            continue
        for side in range(2):
            if rows.leaf[side][s] > least:
                entry = find_side(solver, rows, <int>s, side)
                if entry != NULL:
                    rows.lower[side][s] = max(rows.lower[side][s], entry.lower)
    solver.work += rows.n_splits


cdef const PriceEntry* find_side(PriceSolver* solver, const PriceSet* rows, int split, int side) noexcept nogil:
    """Return what the cache knows of a side of a split, or NULL."""
    cdef Hash hashes[2]
    cdef Hash first, second
    if solver.problem.words:
        hash_side(&solver.problem, rows, split, side, hashes)
        return find_entry(&solver.cache, hashes[0], hashes[1])
    first, second = rows.first_hash[split], rows.second_hash[split]
    if side:
        first, second = first ^ rows.all_first_hash, second ^ rows.all_second_hash
    return find_entry(&solver.cache, first, second)


cdef inline bint is_supported(const PriceProblem* problem, const PriceSet* rows, int depth, Py_ssize_t s) noexcept nogil:
    """Return False if a split is not needed: without it, and without the tree of one side, nothing gets costlier.

    A tree of the other side serves all rows then, and those of this side cost no more than their weight. The root has
    no price that could be saved.
    """
    if depth == 0 or problem.disabled & MIN_SUPPORT:
        return True
    return (rows.weight[s] - rows.lower[0][s] > problem.price
            and rows.base - rows.weight[s] - rows.lower[1][s] > problem.price)


cdef Cost least_bound(const PriceProblem* problem, const PriceSet* rows, int depth, Py_ssize_t first,
                      Py_ssize_t end) noexcept nogil:
    """Return the least bound of all splits of some features that may be needed."""
    cdef Cost least = 2 * rows.base + 2 * problem.price
    cdef Py_ssize_t s
    for s in range(rows.first_split[first], rows.first_split[end]):
        if is_supported(problem, rows, depth, s):
            least = min(least, problem.price + rows.lower[0][s] + rows.lower[1][s])
    return least


cdef void search_features(PriceSolver* solver, int depth, Cost budget) noexcept nogil:
    """Evaluate splits until none is below the budget and the best tree: the feature with the least bound comes first."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef Py_ssize_t a, place
    cdef int split
    for a in range(rows.n_active):
        rows.least[a] = least_bound(&solver.problem, rows, depth, a, a + 1)
    while True:
        place = 0
        for a in range(1, rows.n_active):
            if rows.least[a] < rows.least[place]:
                place = a
        if rows.least[place] >= min(budget, solver.best[depth].upper) or not begin_stumps(solver, depth, place):
            return
        while True:
            split = find_open_split(solver, depth, place, min(budget, solver.best[depth].upper))
            if split < 0:
                break
            evaluate_split(solver, depth, place, split, budget)
            if must_stop(solver):
                return
        rows.least[place] = budget


cdef int find_open_split(PriceSolver* solver, int depth, Py_ssize_t place, Cost target) noexcept nogil:
    """Return the middle of the longest run of splits of a feature below the target, -1 if there is none."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef int s, start = -1, length = 0, found = -1, end = rows.first_split[place + 1]
    cdef bint is_open
    for s in range(rows.first_split[place], end + 1):
        is_open = (s < end and solver.problem.price + rows.lower[0][s] + rows.lower[1][s] < target
                   and is_supported(&solver.problem, rows, depth, s))
        if is_open and start < 0:
            start = s
        elif not is_open and start >= 0:
            if s - start > length:
                length, found = s - start, (start + s - 1) // 2
            start = -1
    return found


cdef void evaluate_split(PriceSolver* solver, int depth, Py_ssize_t place, int split, Cost budget) noexcept nogil:
    """Raise the bounds of a split until it is not below the budget and the best tree, or solved."""
    cdef PriceProblem* problem = &solver.problem
    cdef PriceSet* rows = &solver.sets[depth]
    cdef BestTree* best = &solver.best[depth]
    cdef Cost upper[2]
    cdef Cost target = min(budget, best.upper)
    cdef const PriceEntry* entry
    cdef int side, turn
    solver.n_evaluated += 1
    upper[0], upper[1] = rows.leaf[0][split], rows.leaf[1][split]
    if not problem.disabled & BOUND_CACHE and target > min_cached_nodes(problem) * problem.price:
        for side in range(2):
            entry = find_side(solver, rows, split, side)
            if entry != NULL:
                raise_side(solver, rows, place, split, side, entry.lower)
                upper[side] = min(upper[side], entry.upper)
    if is_open_split(solver, depth, split, upper, target):
        bound_by_stumps(solver, depth, place, split, upper)
        spread_bound(problem, rows, place, split, 0)
        spread_bound(problem, rows, place, split, 1)
    side = rows.position[split] > rows.n - rows.position[split]
    if has_boxes(problem):
        for turn in range(2):
            if is_open_split(solver, depth, split, upper, target):
                solve_two_nodes(solver, depth, place, split, side, target, upper)
            side = not side
    for turn in range(2):
        record_tree(solver, depth, split, upper)
        target = min(budget, best.upper)
        if must_stop(solver) or not is_open_split(solver, depth, split, upper, target):
            return
        if rows.lower[side][split] < upper[side]:
            solve_side(solver, depth, place, split, side, target, upper)
        side = not side
    record_tree(solver, depth, split, upper)


cdef void solve_two_nodes(PriceSolver* solver, int depth, Py_ssize_t place, int split, int side, Cost target,
                          Cost* upper) noexcept nogil:
    """Raise the bound of a side to its best tree, or to what is needed, up to three prices."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef Cost price = solver.problem.price, bound
    cdef Cost goal = target - price - rows.lower[not side][split]
    if rows.lower[side][split] >= min(3 * price, upper[side]):
        return
    if not solver.problem.disabled & BUDGET_SLACK:
        goal += price // 3
    goal = max(2 * price + 1, min(3 * price, goal))
    bound = bound_two_nodes(solver, depth, place, split, side, goal)
    if bound < goal:
        upper[side] = min(upper[side], bound)
    raise_side(solver, rows, place, split, side, bound)


cdef inline bint is_open_split(PriceSolver* solver, int depth, int split, const Cost* upper, Cost target) noexcept nogil:
    """Return True if a split may be below the target and is not solved."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef Cost negative = rows.lower[0][split], positive = rows.lower[1][split]
    if negative == upper[0] and positive == upper[1]:
        return False
    return (solver.problem.price + negative + positive < target
            and is_supported(&solver.problem, rows, depth, split))


cdef void raise_side(PriceSolver* solver, PriceSet* rows, Py_ssize_t place, int split, int side, Cost bound) noexcept nogil:
    """Raise the bound of a side of a split, and with it those of its neighbours."""
    if bound > rows.lower[side][split]:
        rows.lower[side][split] = bound
        spread_bound(&solver.problem, rows, place, split, side)


cdef void record_tree(PriceSolver* solver, int depth, int split, const Cost* upper) noexcept nogil:
    """Record the tree of a split if it is the best of the set so far."""
    cdef BestTree* best = &solver.best[depth]
    if solver.problem.price + upper[0] + upper[1] < best.upper:
        best.upper, best.split = solver.problem.price + upper[0] + upper[1], split
        best.side_upper[0], best.side_upper[1] = upper[0], upper[1]


cdef void solve_side(PriceSolver* solver, int depth, Py_ssize_t place, int split, int side, Cost target,
                     Cost* upper) noexcept nogil:
    """Solve one side of a split as far as the other side leaves a budget, and a little further."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef Cost price = solver.problem.price, bound
    cdef Cost budget = target - price - rows.lower[not side][split]
    cdef Cost needed = budget, least = (min_cached_nodes(&solver.problem) - 1) * price
    cdef Cost next_node = (budget + price - 1) // price * price
    if budget <= 4 * price and not solver.problem.disabled & BUDGET_SLACK:
        # not beyond the next multiple of the price: one more node would be within the budget
        budget += <Cost>((SLACK_FOR_TWO_NODES if budget <= 3 * price else SLACK_FOR_THREE_NODES) * <double>price)
        budget = min(budget, max(next_node, needed))
    if depth + 1 == MAX_PRICE_DEPTH:
        solver.stopped = TOO_DEEP
        return
    if not solver.problem.disabled & SIMILAR_SETS:
        bound = bound_by_similar(&solver.problem, &solver.similar, rows, place, split, side, needed)
        if bound > 0:
            raise_side(solver, rows, place, split, side, bound)
            return
    if not fill_child(solver, depth, split, side):
        return
    solve_set(solver, depth + 1, budget, &bound)
    if not solver.problem.disabled & SIMILAR_SETS and bound > least:
        store_similar(&solver.problem, &solver.similar, &solver.sets[depth + 1], bound)
    upper[side] = min(upper[side], solver.best[depth + 1].upper)
    if not solver.problem.disabled & BOUND_CACHE and upper[side] > least:
        store_bounds(&solver.cache, solver.sets[depth + 1].all_first_hash, solver.sets[depth + 1].all_second_hash,
                     bound, upper[side])
    raise_side(solver, rows, place, split, side, bound)

