"""The best line between points in the plane, by turning a line around each of them.

Every line that keeps a margin can be shifted until it touches one point of its positive side, the pivot, and turned a
little so that it touches no other. So all ways to divide the points are met by turning a line half around each pivot.
Points at the same angle change sides together: what lies within the tolerance of a line cannot be divided with the margin.

The half turn has buckets. Of the points that change sides within a bucket each is first counted at its cheaper target;
only buckets that could still be better than the best line are sorted.
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

import numpy as np

from oddlearn.kernels.common.arena cimport Arena, allocate, release, take
from oddlearn.kernels.common.sorting cimport sort_by_key

cdef enum:
    BUCKETS = 64

cdef struct Points:
    Py_ssize_t n, k            # points, targets
    const double* x            # (n,)
    const double* y            # (n,)
    const double* cost         # (n, k): cost of each point at each target
    const double* least        # (n,): cost at the cheapest target
    const double* extra        # (k, k): of each negative and positive target, cost of rows elsewhere; NULL if there are none
    const double* total        # (k,): of all points
    double tie                 # points closer to a line than this cannot be divided along it

cdef struct Turn:              # of one pivot; a point that is at first positive becomes negative, and the other way round
    double* key                # (n,): cotangent of the angle at which the point changes sides, negated
    signed char* first_side    # (n,): 1 if positive at first, -1 if negative, 0 if always positive
    unsigned char* bucket      # (n,)
    double* leaving            # (BUCKETS, k): cost of the points at first positive, by bucket
    double* arriving           # (BUCKETS, k): of those at first negative
    double* least              # (BUCKETS,): of all of them at their cheapest target
    double* positive           # (k,): of all points on the positive side
    double* decided            # (k,): without those of a bucket
    double* sort_key           # (n,)
    int* sort_id               # (n,)

cdef struct Best:
    double value
    int negative, positive     # targets


cdef double evaluate(
    const Points* points, const double* positive, const double* missing, int* at_negative, int* at_positive
) noexcept nogil:
    """Return the least cost over all pairs of targets; `missing` (k,), if any, is on neither side."""
    cdef Py_ssize_t a, b
    cdef double value, negative, best_negative = INFINITY, best_positive = INFINITY, best = INFINITY
    for a in range(points.k):
        negative = points.total[a] - positive[a] - (missing[a] if missing != NULL else 0.0)
        if points.extra != NULL:
            for b in range(points.k):
                value = negative + positive[b] + points.extra[a * points.k + b]
                if value < best:
                    best = value
                    at_negative[0], at_positive[0] = <int>a, <int>b
        if negative < best_negative:
            best_negative = negative
            at_negative[0] = at_negative[0] if points.extra != NULL else <int>a
        if positive[a] < best_positive:
            best_positive = positive[a]
            at_positive[0] = at_positive[0] if points.extra != NULL else <int>a
    return best if points.extra != NULL else best_negative + best_positive


cdef void begin_turn(const Points* points, Turn* turn, Py_ssize_t pivot) noexcept nogil:
    """Find on which side each point is at first, and in which bucket it changes sides."""
    cdef Py_ssize_t q, c, k = points.k
    cdef double vx, vy, key
    cdef const double* cost
    cdef double* sums
    cdef int place
    memset(turn.leaving, 0, BUCKETS * k * sizeof(double))
    memset(turn.arriving, 0, BUCKETS * k * sizeof(double))
    memset(turn.least, 0, BUCKETS * sizeof(double))
    memset(turn.positive, 0, k * sizeof(double))
    for q in range(points.n):
        vx, vy = points.x[q] - points.x[pivot], points.y[q] - points.y[pivot]
        cost = points.cost + q * k
        if vx == 0.0 and vy == 0.0:
            turn.first_side[q] = 0
            for c in range(k):
                turn.positive[c] += cost[c]
            continue
        turn.first_side[q] = 1
        if vy < 0.0 or (vy == 0.0 and vx < 0.0):
            turn.first_side[q] = -1
            vx, vy = -vx, -vy
        key = -vx / vy if vy > 0.0 else -INFINITY
        turn.key[q] = key
        place = 0 if key == -INFINITY else <int>(0.5 * BUCKETS * (1.0 + key / (1.0 + fabs(key))))
        place = min(max(place, 0), BUCKETS - 1)
        turn.bucket[q] = <unsigned char>place
        turn.least[place] += points.least[q]
        sums = turn.leaving if turn.first_side[q] > 0 else turn.arriving
        for c in range(k):
            sums[place * k + c] += cost[c]
        if turn.first_side[q] > 0:
            for c in range(k):
                turn.positive[c] += cost[c]


cdef bint could_improve(const Points* points, Turn* turn, int place, double limit) noexcept nogil:
    """Return whether a line of this bucket might cost less than the limit."""
    cdef Py_ssize_t c, k = points.k
    cdef int a, b
    for c in range(k):
        turn.decided[c] = turn.positive[c] - turn.leaving[place * k + c]
        # both kinds of points are on neither side
        turn.decided[k + c] = turn.leaving[place * k + c] + turn.arriving[place * k + c]
    return evaluate(points, turn.decided, turn.decided + k, &a, &b) + turn.least[place] < limit


cdef bint is_tie(const Points* points, Py_ssize_t pivot, Py_ssize_t one, Py_ssize_t other) noexcept nogil:
    """Return whether two points change sides at the same angle, as no line with the margin divides them there."""
    cdef double ax = points.x[one] - points.x[pivot], ay = points.y[one] - points.y[pivot]
    cdef double bx = points.x[other] - points.x[pivot], by = points.y[other] - points.y[pivot]
    return fabs(ax * by - bx * ay) <= points.tie * min(fabs(ax) + fabs(ay), fabs(bx) + fabs(by))


cdef void record_sides(
    const Points* points, const Turn* turn, int place, Py_ssize_t n_changed, unsigned char* side
) noexcept nogil:
    """Write the sides of all points after the first changes in a bucket."""
    cdef Py_ssize_t q, i
    for q in range(points.n):
        side[q] = turn.first_side[q] >= 0
        if turn.first_side[q] != 0 and turn.bucket[q] < place:
            side[q] = not side[q]
    for i in range(n_changed):
        side[turn.sort_id[i]] = not side[turn.sort_id[i]]


cdef void search_bucket(
    const Points* points, Turn* turn, Py_ssize_t pivot, int place, double tolerance, Best* best, unsigned char* side
) noexcept nogil:
    """Try every line of a bucket; `positive` is of its beginning, and at last of its end."""
    cdef Py_ssize_t q, c, i, k = points.k, count = 0
    cdef double value
    cdef int a, b
    cdef const double* cost
    for q in range(points.n):
        if turn.first_side[q] != 0 and turn.bucket[q] == place:
            turn.sort_key[count], turn.sort_id[count] = turn.key[q], <int>q
            count += 1
    sort_by_key(turn.sort_key, turn.sort_id, count)
    for i in range(count + 1):
        if i == 0 or i == count or not is_tie(points, pivot, turn.sort_id[i - 1], turn.sort_id[i]):
            value = evaluate(points, turn.positive, NULL, &a, &b)
            if value < best.value - tolerance:
                best.value, best.negative, best.positive = value, a, b
                record_sides(points, turn, place, i, side)
        if i < count:
            q = turn.sort_id[i]
            cost = points.cost + q * k
            for c in range(k):
                turn.positive[c] -= turn.first_side[q] * cost[c]


cdef void turn_around(
    const Points* points, Turn* turn, Py_ssize_t pivot, double tolerance, Best* best, unsigned char* side
) noexcept nogil:
    """Try every line that touches the pivot on its positive side."""
    cdef int place
    cdef Py_ssize_t c, k = points.k
    begin_turn(points, turn, pivot)
    for place in range(BUCKETS):
        if could_improve(points, turn, place, best.value - tolerance):
            search_bucket(points, turn, pivot, place, tolerance, best, side)
        else:
            for c in range(k):
                turn.positive[c] += turn.arriving[place * k + c] - turn.leaving[place * k + c]


cdef void lay_out_turn(Turn* turn, size_t n, size_t k, Arena* arena) noexcept nogil:
    """Take the arrays of a turn."""
    turn.key = <double*>take(arena, n * sizeof(double))
    turn.first_side = <signed char*>take(arena, n)
    turn.bucket = <unsigned char*>take(arena, n)
    turn.leaving = <double*>take(arena, BUCKETS * k * sizeof(double))
    turn.arriving = <double*>take(arena, BUCKETS * k * sizeof(double))
    turn.least = <double*>take(arena, BUCKETS * sizeof(double))
    turn.positive = <double*>take(arena, k * sizeof(double))
    turn.decided = <double*>take(arena, 2 * k * sizeof(double))
    turn.sort_key = <double*>take(arena, n * sizeof(double))
    turn.sort_id = <int*>take(arena, n * sizeof(int))


def find_best_line(
    const double[::1] x, const double[::1] y, const double[:, ::1] cost, extra, Py_ssize_t first, Py_ssize_t last,
    double limit, double tolerance, double tie
):
    """Return the least cost of a line that touches one of the pivots first .. last - 1, targets and sides.

    `cost` (n, k): of each point at each target. `extra` (k, k) or None: what is added for each negative and positive
    target. Only lines that cost less than the limit, by more than the tolerance, are looked for: without one the limit
    is returned, and None. The least cost includes lines whose targets are equal, that is, no line.
    """
    cdef Points points
    cdef Turn turn
    cdef Arena arena
    cdef Best best
    cdef Py_ssize_t pivot
    cdef const double[::1] total = np.asarray(cost).sum(axis=0), least = np.asarray(cost).min(axis=1)
    cdef const double[:, ::1] added
    cdef unsigned char[::1] side = np.zeros(x.shape[0], dtype=np.uint8)
    points.n, points.k, points.x, points.y = x.shape[0], cost.shape[1], &x[0], &y[0]
    points.cost, points.total, points.least, points.extra, points.tie = &cost[0, 0], &total[0], &least[0], NULL, tie
    if extra is not None:
        added = extra
        points.extra = &added[0, 0]
    best.value, best.negative, best.positive = limit, -1, -1
    memset(&arena, 0, sizeof(Arena))
    lay_out_turn(&turn, points.n, points.k, &arena)
    if not allocate(&arena):
        raise MemoryError
    lay_out_turn(&turn, points.n, points.k, &arena)
    with nogil:
        for pivot in range(first, last):
            turn_around(&points, &turn, pivot, tolerance, &best, &side[0])
    release(&arena)
    if best.negative < 0:
        return limit, None
    return best.value, (best.negative, best.positive, np.asarray(side).astype(bool))
