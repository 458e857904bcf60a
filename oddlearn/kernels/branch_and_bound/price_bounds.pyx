"""Lower bounds on the sides of all splits of a set: from leaves, from larger sets, and from one split to the next.

T(S) is the cost of the best tree of the set S. One more row never lowers T and raises it by at most the row's largest
cost. Along the splits of a feature the negative side grows, the positive side shrinks.
"""

from oddlearn.kernels.branch_and_bound.packed_sets cimport raise_packed_bounds
from oddlearn.kernels.branch_and_bound.price_sets cimport LIPSCHITZ_BOUNDS, MONOTONE_BOUNDS, Cost
from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES


cdef void raise_by_superset(const PriceProblem* problem, const PriceSet* superset, const unsigned char* is_in,
                            PriceSet* rows) noexcept nogil:
    """Raise bounds by those of the set above: T(A) >= T(A and Q) - min(weight of Q, price + leaf of Q).

    A is a side of a split of ``rows``, A and Q the same side of the same split of the set above. What is in Q was
    separated from A by the split that made ``rows``, so that one node and a leaf for Q extend a tree of A.
    """
    cdef Py_ssize_t a
    cdef Cost total = 0
    if problem.words:
        raise_packed_bounds(problem, superset, rows)
        return
    for a in range(superset.n if problem.signed_gain != NULL else 0):
        total += problem.signed_gain[superset.item[a]] * (1 - is_in[superset.item[a]])
    for a in range(rows.n_active):
        if problem.signed_gain != NULL:
            raise_two_classes(problem, superset, is_in, rows, a, total)
        else:
            raise_negative(problem, superset, is_in, rows, a)
            raise_positive(problem, superset, is_in, rows, a)


cdef void raise_two_classes(const PriceProblem* problem, const PriceSet* superset, const unsigned char* is_in,
                            PriceSet* rows, Py_ssize_t place, Cost all_total) noexcept nogil:
    """Raise the bounds of the splits of a feature on both sides: what is not in Q before a split is in it after."""
    cdef Py_ssize_t above = rows.parent_place[place], k = 0, n_in = 0
    cdef const int* item = superset.item + above * superset.n
    cdef Py_ssize_t split = rows.first_split[place], end = rows.first_split[place + 1], s
    cdef Cost unit = problem.unit, all_weight = superset.base - rows.base
    cdef Cost weight = 0, total = 0, scaled
    cdef int i, gain
    for s in range(superset.first_split[above], superset.first_split[above + 1]):
        while k < superset.position[s]:
            i = item[k]
            n_in += is_in[i]
            gain = problem.signed_gain[i] & (is_in[i] - 1)
            total += gain
            weight += gain if gain > 0 else -gain
            k += 1
        while split < end and rows.position[split] < n_in:
            split += 1
        if split == end:
            return
        if rows.position[split] == n_in:
            scaled = weight * unit
            rows.lower[0][split] = max(rows.lower[0][split], superset.lower[0][s]
                                       - least_addition(problem, scaled, abs_cost(total) * unit))
            rows.lower[1][split] = max(rows.lower[1][split], superset.lower[1][s]
                                       - least_addition(problem, all_weight - scaled, abs_cost(all_total - total) * unit))


cdef inline Cost least_addition(const PriceProblem* problem, Cost weight, Cost difference) noexcept nogil:
    """Return what rows add to the cost of a tree at most: their weight, or a node and a leaf for them."""
    return min(weight, problem.price + (weight - difference) // 2)


cdef void raise_negative(const PriceProblem* problem, const PriceSet* superset, const unsigned char* is_in,
                         PriceSet* rows, Py_ssize_t place) noexcept nogil:
    cdef Py_ssize_t above = rows.parent_place[place], k = 0, n_in = 0
    cdef const int* item = superset.item + above * superset.n
    cdef Py_ssize_t split = rows.first_split[place], end = rows.first_split[place + 1], s
    cdef Cost total[MAX_CLASSES]
    cdef Cost weight = 0, largest = 0, bound
    cdef int i, c
    for c in range(problem.n_classes):
        total[c] = 0
    for s in range(superset.first_split[above], superset.first_split[above + 1]):
        while k < superset.position[s]:
            i = item[k]
            if is_in[i]:
                n_in += 1
            else:
                weight += problem.base[i]
                total[problem.label[i]] += problem.gain[i]
                largest = max(largest, total[problem.label[i]])
            k += 1
        while split < end and rows.position[split] < n_in:
            split += 1
        if split == end:
            return
        if rows.position[split] == n_in:
            bound = superset.lower[0][s] - min(weight, problem.price + weight - largest)
            rows.lower[0][split] = max(rows.lower[0][split], bound)


cdef void raise_positive(const PriceProblem* problem, const PriceSet* superset, const unsigned char* is_in,
                         PriceSet* rows, Py_ssize_t place) noexcept nogil:
    cdef Py_ssize_t above = rows.parent_place[place], k = superset.n, n_before = rows.n
    cdef const int* item = superset.item + above * superset.n
    cdef Py_ssize_t first = rows.first_split[place], split = rows.first_split[place + 1] - 1, s
    cdef Cost total[MAX_CLASSES]
    cdef Cost weight = 0, largest = 0, bound
    cdef int i, c
    for c in range(problem.n_classes):
        total[c] = 0
    for s in range(superset.first_split[above + 1] - 1, superset.first_split[above] - 1, -1):
        while k > superset.position[s]:
            k -= 1
            i = item[k]
            if is_in[i]:
                n_before -= 1
            else:
                weight += problem.base[i]
                total[problem.label[i]] += problem.gain[i]
                largest = max(largest, total[problem.label[i]])
        while split >= first and rows.position[split] > n_before:
            split -= 1
        if split < first:
            return
        if rows.position[split] == n_before:
            bound = superset.lower[1][s] - min(weight, problem.price + weight - largest)
            rows.lower[1][split] = max(rows.lower[1][split], bound)


cdef void sweep_bounds(const PriceProblem* problem, PriceSet* rows) noexcept nogil:
    """Raise the bounds of each feature by those of their neighbours, from one end to the other and back."""
    cdef bint monotone = not problem.disabled & MONOTONE_BOUNDS, lipschitz = not problem.disabled & LIPSCHITZ_BOUNDS
    cdef Cost* negative = rows.lower[0]
    cdef Cost* positive = rows.lower[1]
    cdef Cost step
    cdef Py_ssize_t a, s
    for a in range(rows.n_active):
        for s in range(rows.first_split[a] + 1, rows.first_split[a + 1]):
            step = rows.weight[s] - rows.weight[s - 1]
            if monotone:
                negative[s] = max(negative[s], negative[s - 1])
            if lipschitz:
                positive[s] = max(positive[s], positive[s - 1] - step)
        for s in range(rows.first_split[a + 1] - 2, rows.first_split[a] - 1, -1):
            step = rows.weight[s + 1] - rows.weight[s]
            if monotone:
                positive[s] = max(positive[s], positive[s + 1])
            if lipschitz:
                negative[s] = max(negative[s], negative[s + 1] - step)


cdef void spread_bound(const PriceProblem* problem, PriceSet* rows, Py_ssize_t place, int split,
                       int side) noexcept nogil:
    """Raise the bounds of a side at the other splits of a feature by its bound at one of them.

    Bounds that sweeps have gone through stay so: the first that is not raised ends a direction.
    """
    cdef Cost* lower = rows.lower[side]
    cdef Cost here = lower[split]
    cdef int larger = 1 if side == 0 else -1, s
    cdef int first = rows.first_split[place], end = rows.first_split[place + 1]
    if not problem.disabled & MONOTONE_BOUNDS:
        s = split + larger
        while first <= s < end and lower[s] < here:
            lower[s] = here
            s += larger
    if not problem.disabled & LIPSCHITZ_BOUNDS:
        s = split - larger
        while first <= s < end and lower[s] < here - abs_cost(rows.weight[s] - rows.weight[split]):
            lower[s] = here - abs_cost(rows.weight[s] - rows.weight[split])
            s -= larger


cdef inline Cost abs_cost(Cost value) noexcept nogil:
    return value if value > 0 else -value
