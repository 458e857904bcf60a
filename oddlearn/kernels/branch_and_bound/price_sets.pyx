"""Sets of rows filled from larger ones, their splits, and the leaves on both sides of each split."""

from libc.string cimport memcpy, memset

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES

cdef enum:
    ALIGNMENT = 64

# Sums over some items: bases, gains by class, and what the classes save if leaves predict them, after the price of a node.
cdef struct ClassTotals:
    Cost base, largest, saved
    Cost gain[MAX_CLASSES]


cdef size_t round_up(size_t n_bytes) noexcept nogil:
    return (n_bytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


cdef size_t count_bytes(const PriceProblem* problem, Py_ssize_t n, Py_ssize_t n_active,
                        Py_ssize_t n_splits) noexcept nogil:
    """Return the bytes of a set with so many items, features and splits."""
    cdef size_t n_bytes = 0
    if problem.words:
        n = 0
        n_bytes = (round_up(problem.words * sizeof(Hash)) + 2 * round_up(problem.n_planes * problem.words * sizeof(Hash))
                   + 2 * round_up(problem.table.n_thresholds * (problem.n_classes + 1) * sizeof(int))
                   + round_up(2 * problem.table.n_thresholds * sizeof(Cost)) + 2 * round_up(n_splits * sizeof(int)))
    return (n_bytes + round_up(n * n_active * sizeof(int)) + 3 * round_up((n_active + 1) * sizeof(int))
            + round_up(n_active * sizeof(Cost))
            + round_up((n_splits + 1) * sizeof(int)) + 7 * round_up(n_splits * sizeof(Cost)) + ALIGNMENT)


cdef void* next_slice(char** free_memory, size_t n_bytes) noexcept nogil:
    cdef void* start = free_memory[0]
    free_memory[0] += round_up(n_bytes)
    return start


cdef void point_into(const PriceProblem* problem, PriceSet* rows, Py_ssize_t n, Py_ssize_t n_active,
                     Py_ssize_t n_splits) noexcept nogil:
    """Point the arrays of a set into its memory, which has room for them."""
    cdef size_t address = round_up(<size_t>rows.memory)
    cdef char* memory = <char*>address
    cdef int side
    rows.item = <int*>next_slice(&memory, 0 if problem.words else n * n_active * sizeof(int))
    rows.active = <int*>next_slice(&memory, (n_active + 1) * sizeof(int))
    rows.parent_place = <int*>next_slice(&memory, (n_active + 1) * sizeof(int))
    rows.first_split = <int*>next_slice(&memory, (n_active + 1) * sizeof(int))
    rows.least = <Cost*>next_slice(&memory, n_active * sizeof(Cost))
    rows.position = <int*>next_slice(&memory, (n_splits + 1) * sizeof(int))  # one is written past the last
    rows.weight = <Cost*>next_slice(&memory, n_splits * sizeof(Cost))
    for side in range(2):
        rows.leaf[side] = <Cost*>next_slice(&memory, n_splits * sizeof(Cost))
        rows.lower[side] = <Cost*>next_slice(&memory, n_splits * sizeof(Cost))
    rows.first_hash = <Hash*>next_slice(&memory, n_splits * sizeof(Hash))
    rows.second_hash = <Hash*>next_slice(&memory, n_splits * sizeof(Hash))
    if problem.words:
        point_to_bits(problem, rows, n_splits, &memory)


cdef void point_to_bits(const PriceProblem* problem, PriceSet* rows, Py_ssize_t n_splits, char** memory) noexcept nogil:
    """Point the arrays of a set as bits into its memory; ``n_splits`` are those of the set above."""
    cdef size_t plane_bytes = problem.n_planes * problem.words * sizeof(Hash)
    cdef size_t total_bytes = problem.table.n_thresholds * (problem.n_classes + 1) * sizeof(int)
    rows.bits = <Hash*>next_slice(memory, problem.words * sizeof(Hash))
    rows.plane = <Hash*>next_slice(memory, plane_bytes)
    rows.side_plane = <Hash*>next_slice(memory, plane_bytes)
    rows.threshold = <int*>next_slice(memory, n_splits * sizeof(int))
    rows.total = <int*>next_slice(memory, total_bytes)
    rows.side_total = <int*>next_slice(memory, total_bytes)
    rows.count = <Cost*>next_slice(memory, 2 * problem.table.n_thresholds * sizeof(Cost))
    rows.split_of_parent = <int*>next_slice(memory, n_splits * sizeof(int))


cdef Py_ssize_t count_splits(const PriceProblem* problem) noexcept nogil:
    """Return the number of splits of all items."""
    cdef Py_ssize_t f, k, total = 0
    cdef const int* order
    cdef const int* rank
    for f in range(problem.d):
        order, rank = problem.order + f * problem.n, problem.rank + f * problem.n
        for k in range(1, problem.n):
            total += rank[order[k]] != rank[order[k - 1]]
    return total


cdef void fill_with_all_items(const PriceProblem* problem, PriceSet* rows) noexcept nogil:
    """Fill the set with all items; every feature varies."""
    cdef Py_ssize_t f
    rows.n, rows.n_active = problem.n, problem.d
    memcpy(rows.item, problem.order, problem.n * problem.d * sizeof(int))
    rows.n_splits = 0
    for f in range(problem.d):
        rows.active[f], rows.parent_place[f] = <int>f, <int>f
        list_splits(problem, rows, f)
    summarise(problem, rows)


cdef void mark_split_side(const PriceSet* parent, Py_ssize_t place, int split, bint positive,
                          unsigned char* is_in) noexcept nogil:
    """Mark with 1 the items of the parent on one side of a split, with 0 those on the other."""
    cdef const int* item = parent.item + place * parent.n
    cdef Py_ssize_t k, n_negative = parent.position[split]
    for k in range(n_negative):
        is_in[item[k]] = not positive
    for k in range(n_negative, parent.n):
        is_in[item[k]] = positive


cdef void fill_with_split_side(const PriceProblem* problem, const PriceSet* parent, const unsigned char* is_in,
                               Py_ssize_t n, PriceSet* child) noexcept nogil:
    """Fill the child with the n items of the parent that are marked."""
    cdef Py_ssize_t a, k, kept, n_active = 0
    cdef const int* source
    cdef int* target
    cdef const int* rank
    cdef int i
    child.n = n
    child.n_splits = 0
    for a in range(parent.n_active):
        source, target = parent.item + a * parent.n, child.item + n_active * n
        kept, k = 0, 0
        while kept < n:
            i = source[k]
            # without a branch: an item that does not belong is overwritten by the next one
            target[kept] = i
            kept += is_in[i]
            k += 1
        rank = problem.rank + parent.active[a] * problem.n
        if rank[target[0]] != rank[target[n - 1]]:
            child.active[n_active], child.parent_place[n_active] = parent.active[a], <int>a
            list_splits(problem, child, n_active)
            n_active += 1
    child.n_active = n_active
    child.first_split[n_active] = <int>child.n_splits
    summarise(problem, child)


cdef void list_splits(const PriceProblem* problem, PriceSet* rows, Py_ssize_t place) noexcept nogil:
    """List the splits of an active feature, with leaves and first bounds of both sides and the hash of the negative one."""
    cdef const int* item = rows.item + place * rows.n
    cdef const int* rank = problem.rank + rows.active[place] * problem.n
    cdef Py_ssize_t k, n_splits = rows.n_splits
    rows.first_split[place] = <int>n_splits
    for k in range(1, rows.n):
        rows.position[n_splits] = <int>k
        n_splits += rank[item[k - 1]] != rank[item[k]]
    rows.n_splits = n_splits
    rows.first_split[place + 1] = <int>n_splits
    if problem.signed_gain != NULL:
        sum_two_classes(problem, rows, place)
    else:
        sum_classes(problem, rows, place)


cdef void sum_two_classes(const PriceProblem* problem, PriceSet* rows, Py_ssize_t place) noexcept nogil:
    """Compute weight, leaves, first bounds and hash of the splits of a feature: a row's gain is its base."""
    cdef const int* item = rows.item + place * rows.n
    cdef const int* signed_gain = problem.signed_gain
    cdef Cost weight = 0, total = 0, all_weight = 0, all_total = 0
    cdef Hash first = 0, second = 0
    cdef Py_ssize_t k, s, start = 0
    cdef int i, gain
    for k in range(rows.n):
        gain = signed_gain[item[k]]
        all_total += gain
        all_weight += gain if gain > 0 else -gain
    for s in range(rows.first_split[place], rows.first_split[place + 1]):
        for k in range(start, rows.position[s]):
            i = item[k]
            gain = signed_gain[i]
            total += gain
            weight += gain if gain > 0 else -gain
            first ^= problem.first_hash[i]
            second ^= problem.second_hash[i]
        start = rows.position[s]
        rows.weight[s] = weight * problem.unit
        rows.leaf[0][s] = (weight - absolute(total)) // 2 * problem.unit
        rows.leaf[1][s] = (all_weight - weight - absolute(all_total - total)) // 2 * problem.unit
        rows.lower[0][s] = min(rows.leaf[0][s], problem.price)
        rows.lower[1][s] = min(rows.leaf[1][s], problem.price)
        rows.first_hash[s], rows.second_hash[s] = first, second


cdef inline Cost absolute(Cost value) noexcept nogil:
    return value if value > 0 else -value


cdef void sum_classes(const PriceProblem* problem, PriceSet* rows, Py_ssize_t place) noexcept nogil:
    """Compute weight, leaves, first bounds and hash of the splits of a feature, for any number of classes."""
    cdef const int* item = rows.item + place * rows.n
    cdef ClassTotals totals
    cdef Hash first = 0, second = 0
    cdef Py_ssize_t k = 0, s
    cdef int i
    clear_totals(problem, &totals)
    for s in range(rows.first_split[place], rows.first_split[place + 1]):
        while k < rows.position[s]:
            i = item[k]
            add_item(problem, i, &totals)
            first ^= problem.first_hash[i]
            second ^= problem.second_hash[i]
            k += 1
        rows.weight[s] = totals.base
        rows.leaf[0][s] = totals.base - totals.largest
        rows.lower[0][s] = least_cost(problem, totals.base, totals.saved, totals.largest)
        rows.first_hash[s], rows.second_hash[s] = first, second
    clear_totals(problem, &totals)
    k = rows.n
    for s in range(rows.first_split[place + 1] - 1, rows.first_split[place] - 1, -1):
        while k > rows.position[s]:
            k -= 1
            add_item(problem, item[k], &totals)
        rows.leaf[1][s] = totals.base - totals.largest
        rows.lower[1][s] = least_cost(problem, totals.base, totals.saved, totals.largest)


cdef inline void clear_totals(const PriceProblem* problem, ClassTotals* totals) noexcept nogil:
    memset(totals.gain, 0, problem.n_classes * sizeof(Cost))
    totals.base = totals.largest = totals.saved = 0


cdef inline void add_item(const PriceProblem* problem, int item, ClassTotals* totals) noexcept nogil:
    """Add an item to the totals."""
    cdef Cost* gain = &totals.gain[problem.label[item]]
    totals.base += problem.base[item]
    totals.saved -= above_price(problem, gain[0])
    gain[0] += problem.gain[item]
    totals.saved += above_price(problem, gain[0])
    totals.largest = max(totals.largest, gain[0])


cdef void summarise(const PriceProblem* problem, PriceSet* rows) noexcept nogil:
    """Compute base, leaf and hash of the set, and its best stump."""
    cdef Cost total[MAX_CLASSES]
    cdef Cost largest = 0, best = 0
    cdef Py_ssize_t k, s
    cdef int i, c
    for c in range(problem.n_classes):
        total[c] = 0
    rows.base, rows.all_first_hash, rows.all_second_hash = 0, 0, 0
    for k in range(rows.n):
        i = rows.item[k]
        rows.base += problem.base[i]
        total[problem.label[i]] += problem.gain[i]
        rows.all_first_hash ^= problem.first_hash[i]
        rows.all_second_hash ^= problem.second_hash[i]
    for c in range(problem.n_classes):
        largest = max(largest, total[c])
    rows.leaf_cost = rows.base - largest
    rows.stump, rows.stump_cost = -1, rows.leaf_cost
    for s in range(rows.n_splits):
        best = rows.leaf[0][s] + rows.leaf[1][s]
        if rows.stump < 0 or best < rows.stump_cost:
            rows.stump, rows.stump_cost = <int>s, best
