"""Hyperplanes for one node: directions from a ridge logistic regression and from exact line searches on the 0-1 cost.

A direction turns the node's problem into one along a single key, which `scan` solves exactly: threshold, targets, margin.
So all that is sought here is good directions. For a pair of targets every member has a preference (what it saves on the
positive side); members that do not care drop out.
"""

from libc.math cimport INFINITY, exp, fabs, sqrt
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from oddlearn.kernels.common.rng cimport below, unit
from oddlearn.kernels.local_search.best_split cimport scan
from oddlearn.kernels.local_search.workspace cimport Cut, Desk, Loom, out_of_time
from oddlearn.kernels.local_search.constrained_split cimport draw_pull, pulled
from oddlearn.kernels.local_search.diagram_state cimport HYPERPLANE, State, Table

cdef enum:
    NEWTON_STEPS = 8
    CONJUGATE_STEPS = 12
    LINE_PASSES = 2


cdef Loom* new_loom(const Table* table) noexcept nogil:
    """Scratch memory, or NULL where memory is short."""
    cdef Loom* loom = <Loom*>calloc(1, sizeof(Loom))
    cdef Py_ssize_t n = table.n, d = table.d
    if loom == NULL:
        return NULL
    loom.caring = <int*>malloc(n * sizeof(int))
    loom.columns = <double*>malloc(n * d * sizeof(double))
    loom.plane = <double*>calloc(d, sizeof(double))
    loom.best_plane = <double*>calloc(d, sizeof(double))
    loom.level = <double*>malloc(n * sizeof(double))
    loom.slope = <double*>malloc(n * sizeof(double))
    loom.preference = <double*>malloc(n * sizeof(double))
    loom.work = <double*>malloc(6 * (n + d + 1) * sizeof(double))
    loom.sort_key = <double*>malloc(n * sizeof(double))
    loom.sort_id = <int*>malloc(n * sizeof(int))
    loom.tried = <unsigned long long*>calloc(table.N, sizeof(unsigned long long))
    if (
        loom.caring == NULL or loom.columns == NULL or loom.plane == NULL or loom.best_plane == NULL or loom.level == NULL
        or loom.slope == NULL or loom.preference == NULL or loom.work == NULL or loom.sort_key == NULL
        or loom.sort_id == NULL or loom.tried == NULL
    ):
        free_loom(loom)
        return NULL
    return loom


cdef void free_loom(Loom* loom) noexcept nogil:
    if loom == NULL:
        return
    free(loom.caring)
    free(loom.columns)
    free(loom.plane)
    free(loom.best_plane)
    free(loom.level)
    free(loom.slope)
    free(loom.preference)
    free(loom.work)
    free(loom.sort_key)
    free(loom.sort_id)
    free(loom.tried)
    free(loom)


cdef void sort_pairs(double* key, int* id, Py_ssize_t m) noexcept nogil:
    """Sort ids by key, in place: quicksort with the median of three, insertion sort for short stretches."""
    cdef Py_ssize_t i, j
    cdef double pivot, k
    cdef int t
    while m > 24:
        pivot = key[m // 2]
        if key[0] > key[m - 1]:
            key[0], key[m - 1] = key[m - 1], key[0]
            id[0], id[m - 1] = id[m - 1], id[0]
        if pivot < key[0]:
            pivot = key[0]
        elif pivot > key[m - 1]:
            pivot = key[m - 1]
        i, j = 0, m - 1
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                id[i], id[j] = id[j], id[i]
                i += 1
                j -= 1
        if j + 1 < m - i:
            sort_pairs(key, id, j + 1)
            key, id, m = key + i, id + i, m - i
        else:
            sort_pairs(key + i, id + i, m - i)
            m = j + 1
    for i in range(1, m):
        k, t = key[i], id[i]
        j = i - 1
        while j >= 0 and key[j] > k:
            key[j + 1], id[j + 1] = key[j], id[j]
            j -= 1
        key[j + 1], id[j + 1] = k, t


cdef void pack(const Table* table, const Desk* desk, Loom* loom) noexcept nogil:
    """Copy the feature values of those that care side by side."""
    cdef Py_ssize_t j, k, m = loom.m
    cdef const double* column
    cdef double* packed
    for j in range(table.d):
        column = table.columns + j * table.n
        packed = loom.columns + j * m
        for k in range(m):
            packed[k] = column[desk.members[loom.caring[k]]]


cdef void multiply(const Table* table, const Loom* loom, const double* plane, double* out) noexcept nogil:
    """out = the packed rows times the plane."""
    cdef Py_ssize_t j, k, m = loom.m
    cdef double a
    cdef const double* column
    memset(out, 0, m * sizeof(double))
    for j in range(table.d):
        a = plane[j]
        if a == 0.0:
            continue
        column = loom.columns + j * m
        for k in range(m):
            out[k] += a * column[k]


cdef void choose_pair(Desk* desk, int* first, int* second) noexcept nogil:
    """A pair of targets that could serve the members well, the most promising with the largest chance."""
    cdef Py_ssize_t k, T = desk.T, m = desk.n_members
    cdef int t, u
    cdef double bound, best = INFINITY
    first[0], second[0] = 0, 1
    for t in range(T):
        for u in range(t + 1, T):
            bound = desk.charge[t] + desk.charge[u]
            for k in range(m):
                bound += min(desk.rows[k * T + t], desk.rows[k * T + u])
            bound *= 1.0 + 0.2 * unit(&desk.chance)
            if bound < best:
                best = bound
                first[0], second[0] = t, u


cdef void weigh(const Table* table, const Desk* desk, Loom* loom, int first, int second) noexcept nogil:
    """Note who cares which of two targets it gets, and what each of them saves by the second."""
    cdef Py_ssize_t k, T = desk.T
    cdef double saved
    cdef bint has_pull = table.rules != NULL and table.rules.n_class_rows > 0
    if has_pull:
        draw_pull(table, <Desk*>desk)
    loom.m = 0
    for k in range(desk.n_members):
        saved = desk.rows[k * T + first] - desk.rows[k * T + second]
        if has_pull:
            saved += pulled(table, desk, k, first, second)
        if saved != 0.0:
            loom.caring[loom.m] = <int>k
            loom.preference[loom.m] = saved
            loom.m += 1
    pack(table, desk, loom)


cdef bint scan_plane(const Table* table, Desk* desk, Loom* loom, Cut* cut) noexcept nogil:
    """Try every cut along the plane's direction; True if one is better, and the plane is kept then."""
    cdef Py_ssize_t j, k, m = desk.n_members
    cdef double a, norm = 0.0, before = cut.value
    cdef const double* column
    for j in range(table.d):
        norm += fabs(loom.plane[j])
    if not (norm > 0.0 and norm < INFINITY):
        return False
    for j in range(table.d):
        loom.plane[j] /= norm
        if fabs(loom.plane[j]) < 1e-12:
            loom.plane[j] = 0.0
    memset(desk.keys, 0, m * sizeof(double))
    for j in range(table.d):
        a = loom.plane[j]
        if a != 0.0:
            column = table.columns + j * table.n
            for k in range(m):
                desk.keys[k] += a * column[desk.members[k]]
    for k in range(m):
        desk.run[k] = <int>k
    sort_pairs(desk.keys, desk.run, m)
    scan(table, desk, cut, HYPERPLANE)
    if cut.value < before - table.tolerance:
        memcpy(loom.best_plane, loom.plane, table.d * sizeof(double))
        return True
    return False


cdef void regress(const Table* table, const Desk* desk, Loom* loom, double ridge) noexcept nogil:
    """The plane of a weighted ridge logistic regression, by Newton steps with conjugate gradients."""
    cdef Py_ssize_t j, k, m = loom.m, d = table.d
    cdef int step, inner
    cdef double* gradient = loom.work
    cdef double* move = gradient + d + 1
    cdef double* residual = move + d + 1
    cdef double* direction = residual + d + 1
    cdef double* product = direction + d + 1
    cdef double* curvature = product + d + 1
    cdef double* along = curvature + m
    cdef double total = 0.0, bias = 0.0, z, p, size, rest, ratio, grad_size
    cdef const double* column
    for k in range(m):
        total += fabs(loom.preference[k])
    memset(loom.plane, 0, d * sizeof(double))
    if total == 0.0:
        return
    memset(loom.level, 0, m * sizeof(double))
    for step in range(NEWTON_STEPS):
        for k in range(m):
            z = loom.level[k]
            p = 1.0 / (1.0 + exp(-z)) if z > -500 else 0.0
            size = fabs(loom.preference[k]) / total
            curvature[k] = size * p * (1.0 - p) + 1e-12
            along[k] = size * (p - (1.0 if loom.preference[k] > 0 else 0.0))
        gradient[d] = 0.0
        for k in range(m):
            gradient[d] += along[k]
        for j in range(d):
            column = loom.columns + j * m
            z = ridge * loom.plane[j]
            for k in range(m):
                z += column[k] * along[k]
            gradient[j] = z
        grad_size = 0.0
        for j in range(d + 1):
            move[j] = 0.0
            residual[j] = direction[j] = -gradient[j]
            grad_size += gradient[j] * gradient[j]
        if grad_size < 1e-14 or out_of_time(<Desk*>desk):
            break
        rest = grad_size
        for inner in range(CONJUGATE_STEPS):
            multiply(table, loom, direction, along)
            product[d] = 0.0
            for k in range(m):
                along[k] = curvature[k] * (along[k] + direction[d])
                product[d] += along[k]
            z = product[d] * direction[d]
            for j in range(d):
                column = loom.columns + j * m
                p = ridge * direction[j]
                for k in range(m):
                    p += column[k] * along[k]
                product[j] = p
                z += p * direction[j]
            if z <= 1e-300:
                break
            ratio = rest / z
            size = rest
            rest = 0.0
            for j in range(d + 1):
                move[j] += ratio * direction[j]
                residual[j] -= ratio * product[j]
                rest += residual[j] * residual[j]
            if rest < 1e-3 * grad_size:
                break
            ratio = rest / size
            for j in range(d + 1):
                direction[j] = residual[j] + ratio * direction[j]
        for j in range(d):
            loom.plane[j] += move[j]
        bias += move[d]
        multiply(table, loom, loom.plane, loom.level)
        for k in range(m):
            loom.level[k] += bias


cdef double best_step(const Table* table, Loom* loom, Desk* desk, int sign, double* gain) noexcept nogil:
    """The step along the slope, of the given sign, that saves most; `gain` becomes what it saves.

    A member changes sides where level + step * slope passes 0.
    """
    cdef Py_ssize_t k, count = 0
    cdef double step, change = 0.0, best = 0.0, place = 0.0, following
    for k in range(loom.m):
        if loom.slope[k] == 0.0:
            continue
        step = -sign * loom.level[k] / loom.slope[k]
        if step > 0.0 or (step == 0.0 and loom.level[k] >= 0.0 and sign * loom.slope[k] < 0.0):
            loom.sort_key[count] = step
            loom.sort_id[count] = <int>k
            count += 1
    sort_pairs(loom.sort_key, loom.sort_id, count)
    for k in range(count):
        # on the positive side now: it will lose its preference; on the negative side: gain it
        if loom.level[loom.sort_id[k]] >= 0.0:
            change += loom.preference[loom.sort_id[k]]
        else:
            change -= loom.preference[loom.sort_id[k]]
        following = loom.sort_key[k + 1] if k + 1 < count else 1.5 * loom.sort_key[k] + 0.1
        if following <= loom.sort_key[k] * (1.0 + 1e-9):
            continue
        if change < best - table.tolerance or (change <= best + table.tolerance and best < 0.0 and below(&desk.chance, 4) == 0):
            best = change
            place = 0.5 * (loom.sort_key[k] + following)
    gain[0] = -best
    return sign * place


cdef bint search_line(const Table* table, Desk* desk, Loom* loom, double* step) noexcept nogil:
    """Move the level along the slope where that saves something; True if it did."""
    cdef Py_ssize_t k
    cdef double gain_up, gain_down
    cdef double up = best_step(table, loom, desk, 1, &gain_up)
    cdef double down = best_step(table, loom, desk, -1, &gain_down)
    if max(gain_up, gain_down) <= table.tolerance:
        return False
    step[0] = up if gain_up >= gain_down else down
    for k in range(loom.m):
        loom.level[k] += step[0] * loom.slope[k]
    return True


cdef bint walk_coordinates(const Table* table, Desk* desk, Loom* loom) noexcept nogil:
    """One pass of exact line searches: one weight at a time, and pairs of weights; True if any helped."""
    cdef Py_ssize_t j, k, i, m = loom.m
    cdef double step, share
    cdef bint helped = False
    cdef const double* column
    cdef const double* other
    cdef int turn, start = below(&desk.chance, table.d)
    for turn in range(table.d + min(table.d, 8)):
        if out_of_time(desk):
            break
        j = (start + turn) % table.d
        column = loom.columns + j * m
        i, share = -1, 0.0
        if turn >= table.d or below(&desk.chance, 4) == 0:
            i = below(&desk.chance, table.d)
            share = 2.0 * unit(&desk.chance) - 1.0
            other = loom.columns + i * m
            for k in range(m):
                loom.slope[k] = column[k] + share * other[k]
        else:
            memcpy(loom.slope, column, m * sizeof(double))
        # a shift of the threshold at the same time keeps the slope balanced around 0
        if below(&desk.chance, 2) == 0:
            step = loom.slope[below(&desk.chance, <int>m)]
            for k in range(m):
                loom.slope[k] -= step
        if search_line(table, desk, loom, &step):
            loom.plane[j] += step
            if i >= 0:
                loom.plane[i] += step * share
            helped = True
    return helped


cdef void improve_plane(const Table* table, Desk* desk, Loom* loom, double threshold, Cut* cut) noexcept nogil:
    """Line searches from the plane on the loom, and a scan along what comes out."""
    cdef Py_ssize_t k, m = loom.m
    cdef int turn
    multiply(table, loom, loom.plane, loom.level)
    for k in range(m):
        loom.level[k] -= threshold
    for turn in range(LINE_PASSES):
        if not walk_coordinates(table, desk, loom):
            break
    scan_plane(table, desk, loom, cut)


cdef void start_plane(const Table* table, const State* state, Desk* desk, Loom* loom, int node, const Cut* cut, double* threshold) noexcept nogil:
    """Put the best direction so far on the loom: the best cut's, or the node's present hyperplane."""
    if cut.feature == HYPERPLANE:
        memcpy(loom.plane, loom.best_plane, table.d * sizeof(double))
        threshold[0] = cut.threshold
        return
    if node >= 0 and state.feature[node] == HYPERPLANE:
        memcpy(loom.plane, state.weights + <Py_ssize_t>node * table.d, table.d * sizeof(double))
        threshold[0] = state.threshold[node]
        return
    memset(loom.plane, 0, table.d * sizeof(double))
    threshold[0] = cut.threshold
    loom.plane[max(cut.feature, 0)] = 1.0


cdef void refine_cut(const Table* table, const State* state, Desk* desk, Loom* loom, int node, Cut* cut) noexcept nogil:
    """Improve the cut by hyperplanes; the weights of the result are the loom's best plane."""
    cdef int first, second
    cdef double threshold, ridge
    if desk.n_members < 2 or table.d < 2:
        return
    if node >= 0 and state.feature[node] == HYPERPLANE:
        memcpy(loom.plane, state.weights + <Py_ssize_t>node * table.d, table.d * sizeof(double))
        scan_plane(table, desk, loom, cut)
    choose_pair(desk, &first, &second)
    weigh(table, desk, loom, first, second)
    if loom.m < 2:
        return
    ridge = 1e-5 if below(&desk.chance, 2) == 0 else 1e-2 * unit(&desk.chance)
    regress(table, desk, loom, ridge)
    scan_plane(table, desk, loom, cut)
    start_plane(table, state, desk, loom, node, cut, &threshold)
    improve_plane(table, desk, loom, threshold, cut)
