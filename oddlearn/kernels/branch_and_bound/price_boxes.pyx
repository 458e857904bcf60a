"""The best tree of at most two nodes on one side of a split, for two classes, where it makes few errors.

A tree with two nodes and three leaves has one leaf of a class A and two of the other class B, or it is a stump. So it
is a box: the rows within two half-spaces are A, all others B. Its cost is the A outside and the B inside. If it costs
less than a price, each half-space excludes less A than that: only the ends of the columns matter, up to the rows where
A reaches the price. Half-spaces that exclude the weights a1, b1 and a2, b2 of A and B leave at least

    B - b1 - b2 + max(a1, a2)  >=  B - (b1 - a1 / 2) - (b2 - a2 / 2)

so that most pairs of columns are ruled out by the largest b - a / 2 of each end.
"""

from oddlearn.kernels.branch_and_bound.price_sets cimport PriceProblem, PriceSet, mark_split_side

# What is looked for, in units: weights of both classes of the side, and limits below which costs matter.
cdef struct BoxSearch:
    int weight[2]
    int max_stump, max_box     # least costs found so far, at most these limits
    int stop                   # a walk ends when it has excluded so much of both classes


cdef Cost bound_two_nodes(PriceSolver* solver, int depth, Py_ssize_t place, int split, int side,
                          Cost goal) noexcept nogil:
    """Return the cost of the best tree of one side if that is below the goal of two to three prices, else the goal."""
    cdef PriceProblem* problem = &solver.problem
    cdef PriceSet* rows = &solver.sets[depth]
    cdef Cost price = problem.price, unit = problem.unit, bound
    cdef BoxSearch search
    cdef Py_ssize_t e
    mark_split_side(rows, place, split, side, solver.is_in)
    weigh_classes(problem, rows, place, split, side, &search)
    # in units, rounded up: a cost in units is below it if and only if it is below the price
    search.max_box = <int>min((goal - 2 * price + unit - 1) // unit, <Cost>1 << 29)
    search.max_stump = <int>min((goal - price + unit - 1) // unit, <Cost>1 << 29)
    search.stop = search.max_stump
    for e in range(2 * rows.n_active):
        walk_end(solver, rows, e, &search)
    find_best_box(solver, rows, 0, &search)
    find_best_box(solver, rows, 1, &search)
    bound = min(price + search.max_stump * unit, 2 * price + search.max_box * unit)
    return min(min(bound, goal), rows.leaf[side][split])


cdef void weigh_classes(const PriceProblem* problem, const PriceSet* rows, Py_ssize_t place, int split, int side,
                        BoxSearch* search) noexcept nogil:
    cdef const int* item = rows.item + place * rows.n
    cdef Py_ssize_t k, first = rows.position[split] if side else 0, end = rows.n if side else rows.position[split]
    cdef int gain
    search.weight[0] = search.weight[1] = 0
    for k in range(first, end):
        gain = problem.signed_gain[item[k]]
        search.weight[gain < 0] += gain if gain > 0 else -gain


cdef void walk_end(PriceSolver* solver, const PriceSet* rows, Py_ssize_t e, BoxSearch* search) noexcept nogil:
    """Walk from one end of a column: the best stump, and the largest 2 b - a for each class a."""
    cdef Py_ssize_t place = e // 2
    cdef bint from_above = e & 1
    cdef const int* item = rows.item + place * rows.n
    cdef const int* signed_gain = solver.problem.signed_gain
    cdef int s = rows.first_split[place + 1] - 1 if from_above else rows.first_split[place]
    cdef int n_left = rows.first_split[place + 1] - rows.first_split[place]
    cdef Py_ssize_t k = rows.n if from_above else 0
    cdef int excluded0 = 0, excluded1 = 0, gain, best0 = 0, best1 = 0, stump = search.max_stump
    cdef int max_box = search.max_box, stop = search.stop
    while n_left > 0 and (excluded0 < stop or excluded1 < stop):
        if from_above:
            while k > rows.position[s]:
                k -= 1
                gain = signed_gain[item[k]] & -<int>solver.is_in[item[k]]
                excluded0 += gain if gain > 0 else 0
                excluded1 -= gain if gain < 0 else 0
            s -= 1
        else:
            while k < rows.position[s]:
                gain = signed_gain[item[k]] & -<int>solver.is_in[item[k]]
                excluded0 += gain if gain > 0 else 0
                excluded1 -= gain if gain < 0 else 0
                k += 1
            s += 1
        n_left -= 1
        stump = min(stump, min(search.weight[1] - excluded1 + excluded0, search.weight[0] - excluded0 + excluded1))
        if excluded0 < max_box:
            best0 = max(best0, 2 * excluded1 - excluded0)
        if excluded1 < max_box:
            best1 = max(best1, 2 * excluded0 - excluded1)
    search.max_stump = stump
    solver.end_gain[2 * e], solver.end_gain[2 * e + 1] = best0, best1
    solver.work += k if not from_above else rows.n - k


cdef void find_best_box(PriceSolver* solver, const PriceSet* rows, int box_class, BoxSearch* search) noexcept nogil:
    """Lower ``max_box`` to the cost of the best box of a class, if that is less."""
    cdef int* gain = solver.end_gain + box_class
    cdef Py_ssize_t first, second, n_ends = 2 * rows.n_active
    cdef int twice = 2 * search.weight[1 - box_class], largest = 0
    for first in range(n_ends):
        largest = max(largest, gain[2 * first])
    for first in range(n_ends):
        if twice - gain[2 * first] - largest >= 2 * search.max_box:
            continue
        for second in range(first + 1, n_ends):
            if twice - gain[2 * first] - gain[2 * second] < 2 * search.max_box:
                try_pair(solver, rows, first, second, box_class, search)


cdef void try_pair(PriceSolver* solver, const PriceSet* rows, Py_ssize_t first, Py_ssize_t second, int box_class,
                   BoxSearch* search) noexcept nogil:
    """Try all boxes with one half-space at each of two ends of columns."""
    cdef Py_ssize_t k = 0, place = first // 2
    cdef bint from_above = first & 1
    cdef const int* item = rows.item + place * rows.n
    cdef int n_splits = rows.first_split[place + 1] - rows.first_split[place], step, i, gain
    cdef int s = rows.first_split[place + 1] - 1 if from_above else rows.first_split[place]
    cdef int excluded = 0, outside = 0, more, position
    cdef Py_ssize_t start, end = 0
    cdef bint is_new = False
    solver.stamp += 1
    for step in range(n_splits):
        position = <int>rows.n - rows.position[s] if from_above else rows.position[s]
        start, end, more = end, position, 0
        for k in range(start, end):
            i = item[rows.n - 1 - k] if from_above else item[k]
            gain = solver.problem.signed_gain[i]
            if solver.is_in[i] and (gain < 0) == box_class:
                more += gain if gain > 0 else -gain
        # excluding rows of the other class alone costs nothing: half-spaces end before rows of the box's class
        if more and is_new:
            try_second_end(solver, rows, second, box_class, excluded, outside, search)
            is_new = False
        outside += more
        if outside >= search.max_box:
            return
        for k in range(start, end):
            i = item[rows.n - 1 - k] if from_above else item[k]
            if solver.is_in[i]:
                gain = solver.problem.signed_gain[i]
                solver.stamp_of[i] = solver.stamp
                if (gain < 0) != box_class:
                    excluded += gain if gain > 0 else -gain
                    is_new = True
        s += -1 if from_above else 1
    if is_new:
        try_second_end(solver, rows, second, box_class, excluded, outside, search)


cdef void try_second_end(PriceSolver* solver, const PriceSet* rows, Py_ssize_t second, int box_class, int excluded,
                         int excluded_class, BoxSearch* search) noexcept nogil:
    """Try all half-spaces at an end of a column beside one that is marked, with the weights that it excludes."""
    cdef Py_ssize_t k = 0, place = second // 2
    cdef bint from_above = second & 1
    cdef const int* item = rows.item + place * rows.n
    cdef int n_splits = rows.first_split[place + 1] - rows.first_split[place], step, i, gain, position
    cdef int s = rows.first_split[place + 1] - 1 if from_above else rows.first_split[place]
    cdef int outside = 0, cost = search.weight[1 - box_class] - excluded + excluded_class
    # what this end can save at most
    if 2 * cost - excluded_class - solver.end_gain[2 * second + box_class] >= 2 * search.max_box:
        return
    for step in range(n_splits):
        position = <int>rows.n - rows.position[s] if from_above else rows.position[s]
        while k < position:
            i = item[rows.n - 1 - k] if from_above else item[k]
            if solver.is_in[i]:
                gain = solver.problem.signed_gain[i]
                gain = -gain if box_class else gain
                # gain > 0: a row of the box's class
                if gain > 0:
                    outside += gain
                if solver.stamp_of[i] != solver.stamp:
                    cost += gain
            k += 1
        s += -1 if from_above else 1
        search.max_box = min(search.max_box, cost)
        if outside >= search.max_box:
            break
    solver.work += 2 * k
