"""The best stumps on both sides of a split, by one pass through the set for each feature that may have them.

The best stump of one feature, too, costs no less with more rows, and at most their weight more. So a feature is passed
over where the stumps of neighbouring splits, evaluated before, show that it cannot have the best stump of either side.
"""

from libc.stdlib cimport free, malloc

from oddlearn.kernels.branch_and_bound.packed_sets cimport count_packed_work, find_packed_stumps
from oddlearn.kernels.branch_and_bound.price_sets cimport COLUMN_SKIP, PriceProblem, PriceSet, mark_split_side
from oddlearn.kernels.branch_and_bound.price_state cimport MAX_STUMP_SLOTS, OUT_OF_MEMORY, StumpMemory

cdef extern from "side_stumps.h" nogil:
    void scan_two_classes(const int* item, const int* position, long n_splits, const int* signed_gain,
                          const unsigned char* is_positive, int* low, int* high)
    void scan_classes(const int* item, const int* position, long n_splits, long n, const int* label,
                      const long long* gain, int n_classes, const unsigned char* is_positive, long long* prefix,
                      long long* best)

# The two sides of the split that is evaluated.
cdef struct SplitSides:
    Cost base[2]
    int total[2]               # two classes: sum of signed gains


cdef bint begin_stumps(PriceSolver* solver, int depth, Py_ssize_t place) noexcept nogil:
    """Begin with the splits of a feature: none is evaluated; False if memory is short."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef StumpMemory* memory = &solver.stumps[depth]
    cdef Py_ssize_t s, n_splits = rows.first_split[place + 1] - rows.first_split[place]
    cdef size_t n_bytes
    if solver.problem.words:
        return True    # all stumps are found at once
    n_bytes = n_splits * sizeof(int) + (MAX_STUMP_SLOTS + 1) * 2 * rows.n_active * sizeof(Cost)
    if n_bytes > memory.capacity:
        solver.bytes -= memory.capacity
        free(memory.slot_of)
        free(memory.bound)
        memory.slot_of = <int*>malloc(solver.problem.n * sizeof(int))
        memory.bound = <Cost*>malloc((MAX_STUMP_SLOTS + 1) * 2 * solver.problem.d * sizeof(Cost))
        memory.capacity = (solver.problem.n * sizeof(int)
                           + (MAX_STUMP_SLOTS + 1) * 2 * solver.problem.d * sizeof(Cost))
        solver.bytes += memory.capacity
        if memory.slot_of == NULL or memory.bound == NULL or solver.bytes > solver.max_bytes:
            solver.stopped = OUT_OF_MEMORY
            return False
    memory.n_slots, memory.n_active = 0, rows.n_active
    for s in range(n_splits):
        memory.slot_of[s] = -1
    return True


cdef void bound_by_stumps(PriceSolver* solver, int depth, Py_ssize_t place, int split, Cost* upper) noexcept nogil:
    """Raise the bounds of both sides of a split: a tree of a side is a leaf, a stump, or has two nodes or more.

    ``upper`` falls to the best stump where that is the best tree.
    """
    cdef PriceSet* rows = &solver.sets[depth]
    cdef Cost price = solver.problem.price, bound
    cdef Cost least[2]
    cdef Cost limit[2]
    cdef int side
    for side in range(2):
        # other stumps do not matter: a leaf or a larger tree is no worse, or the bound is as high already
        limit[side] = min(rows.leaf[side][split] - price, price)
        if limit[side] <= rows.lower[side][split] - price:
            limit[side] = 0
        least[side] = limit[side]
    if limit[0] > 0 or limit[1] > 0:
        if solver.problem.words:
            find_packed_stumps(&solver.problem, rows, split, least)
            solver.work += count_packed_work(&solver.problem)
        else:
            find_least_stumps(solver, depth, place, split, least)
    for side in range(2):
        if limit[side] > 0:
            bound = min(rows.leaf[side][split], price + least[side])
            rows.lower[side][split] = max(rows.lower[side][split], bound)
            if least[side] < limit[side]:
                upper[side] = min(upper[side], price + least[side])


cdef void find_least_stumps(PriceSolver* solver, int depth, Py_ssize_t place, int split, Cost* least) noexcept nogil:
    """Lower ``least`` to the cost of the best stump of each side, if that is less."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef StumpMemory* memory = &solver.stumps[depth]
    cdef Py_ssize_t a, slot = memory.n_slots, n_active = rows.n_active
    cdef Cost* bound = memory.bound + 2 * slot * n_active
    cdef Py_ssize_t first[2]
    cdef SplitSides sides
    cdef int side
    inherit_bounds(solver, rows, memory, place, split, bound)
    first[0] = first[1] = 0
    for side in range(2):
        for a in range(1, n_active):
            if bound[side * n_active + a] < bound[side * n_active + first[side]]:
                first[side] = a
    measure_sides(solver, rows, place, split, &sides)
    scan_feature(solver, rows, first[0], &sides, bound, least)
    if first[1] != first[0]:
        scan_feature(solver, rows, first[1], &sides, bound, least)
    for a in range(n_active):
        if a != first[0] and a != first[1] and (bound[a] < least[0] or bound[n_active + a] < least[1]):
            scan_feature(solver, rows, a, &sides, bound, least)
    if slot < MAX_STUMP_SLOTS:
        memory.slot_of[split - rows.first_split[place]] = <int>slot
        memory.n_slots += 1


cdef void inherit_bounds(PriceSolver* solver, PriceSet* rows, StumpMemory* memory, Py_ssize_t place, int split,
                         Cost* bound) noexcept nogil:
    """Bound the stumps of each feature by those of the nearest splits that were evaluated."""
    cdef int below = split - 1, above = split + 1
    cdef int first = rows.first_split[place], end = rows.first_split[place + 1]
    cdef Py_ssize_t a, n_active = rows.n_active
    cdef const Cost* other
    cdef Cost step
    for a in range(2 * n_active):
        bound[a] = 0
    if solver.problem.disabled & COLUMN_SKIP:
        return
    while below >= first and memory.slot_of[below - first] < 0:
        below -= 1
    while above < end and memory.slot_of[above - first] < 0:
        above += 1
    if below >= first:
        other = memory.bound + 2 * memory.slot_of[below - first] * n_active
        step = rows.weight[split] - rows.weight[below]
        for a in range(n_active):
            bound[a] = other[a]
            bound[n_active + a] = other[n_active + a] - step
    if above < end:
        other = memory.bound + 2 * memory.slot_of[above - first] * n_active
        step = rows.weight[above] - rows.weight[split]
        for a in range(n_active):
            bound[a] = max(bound[a], other[a] - step)
            bound[n_active + a] = max(bound[n_active + a], other[n_active + a])


cdef void measure_sides(PriceSolver* solver, PriceSet* rows, Py_ssize_t place, int split, SplitSides* sides) noexcept nogil:
    """Mark the items of the positive side, and sum up both sides."""
    cdef const int* item = rows.item + place * rows.n
    cdef const int* signed_gain = solver.problem.signed_gain
    cdef Py_ssize_t k
    mark_split_side(rows, place, split, True, solver.is_in)
    sides.base[0], sides.base[1] = rows.weight[split], rows.base - rows.weight[split]
    sides.total[0] = sides.total[1] = 0
    if signed_gain != NULL:
        for k in range(rows.position[split]):
            sides.total[0] += signed_gain[item[k]]
        for k in range(rows.position[split], rows.n):
            sides.total[1] += signed_gain[item[k]]


cdef void scan_feature(PriceSolver* solver, PriceSet* rows, Py_ssize_t place, const SplitSides* sides, Cost* bound,
                       Cost* least) noexcept nogil:
    """Find the best stump of a feature on each side; set its bounds, and lower ``least``."""
    cdef PriceProblem* problem = &solver.problem
    cdef const int* item = rows.item + place * rows.n
    cdef const int* position = rows.position + rows.first_split[place]
    cdef long n_splits = rows.first_split[place + 1] - rows.first_split[place]
    cdef Cost gain[2]
    cdef int low[2]
    cdef int high[2]
    cdef int side, total
    solver.work += rows.n
    if problem.signed_gain != NULL:
        scan_two_classes(item, position, n_splits, problem.signed_gain, solver.is_in, low, high)
        for side in range(2):
            # |before| + |after| of a stump, where before + after is the total: the largest is at an extreme
            total = sides.total[side]
            gain[side] = max(max(total, -total), max(2 * high[side] - total, total - 2 * low[side]))
            gain[side] = (sides.base[side] + gain[side] * problem.unit) // 2
    else:
        scan_classes(item, position, n_splits, rows.n, problem.label, problem.gain, problem.n_classes, solver.is_in,
                     solver.prefix, gain)
    for side in range(2):
        bound[side * rows.n_active + place] = sides.base[side] - gain[side]
        least[side] = min(least[side], sides.base[side] - gain[side])
