# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The best single split, one feature after the other, in plain code that keeps the margin."""

from libc.math cimport INFINITY
from libc.string cimport memset


# of the items that are looked at
cdef struct Sums:
    double base
    double total[MOST_CLASSES]


cdef Stump best_stump(const Items* items, const Frame* frame, Py_ssize_t feature, int rank, int side,
                      double enough) noexcept nogil:
    """Return a split of the items on one side of a cut of the frame (or on both) that costs least.

    Any split that costs ``enough`` or less will do. Without a split the cost is inf and the feature is -1.
    """
    cdef const int* ranks = items.rank + feature * items.n
    cdef const int* item = frame.item + frame.active[0] * items.n
    cdef Sums sums
    cdef Stump best
    cdef Py_ssize_t a, k
    cdef int i
    best.cost, best.feature, best.rank = INFINITY, -1, 0
    memset(&sums, 0, sizeof(Sums))
    for k in range(frame.n):
        i = item[k]
        if side == BOTH_SIDES or (ranks[i] > rank) == side:
            sums.total[items.label[i]] += items.gain[i]
            sums.base += items.base[i]
    for a in range(frame.n_active):
        if items.classes == 2:
            best_of_two_classes(items, frame, frame.active[a], ranks, rank, side, &sums, &best)
        else:
            best_of_feature(items, frame, frame.active[a], ranks, rank, side, &sums, &best)
        if best.cost <= enough:
            break
    return best


cdef void best_of_two_classes(const Items* items, const Frame* frame, int f, const int* ranks, int rank, int side,
                              const Sums* sums, Stump* best) noexcept nogil:
    """Put the best split of a feature in the place of a worse one."""
    cdef const int* item = frame.item + f * items.n
    cdef const double* value = items.value + f * items.n
    cdef double first = 0, second = 0, last = -INFINITY, cost, before, after
    cdef Py_ssize_t k
    cdef int i, previous = 0
    for k in range(frame.n):
        i = item[k]
        if side != BOTH_SIDES and (ranks[i] > rank) != side:
            continue
        if value[i] > last:
            if value[i] - last >= items.margin and last > -INFINITY:
                before = first if first > second else second
                after = max(sums.total[0] - first, sums.total[1] - second)
                cost = sums.base - before - after
                if cost < best.cost:
                    best.cost, best.feature, best.rank = cost, f, items.rank[f * items.n + previous]
            last = value[i]
        previous = i
        if items.label[i]:
            second += items.gain[i]
        else:
            first += items.gain[i]


cdef void best_of_feature(const Items* items, const Frame* frame, int f, const int* ranks, int rank, int side,
                          const Sums* sums, Stump* best) noexcept nogil:
    """Do the same for any number of classes."""
    cdef const int* item = frame.item + f * items.n
    cdef const double* value = items.value + f * items.n
    cdef double gained[MOST_CLASSES]
    cdef double last = -INFINITY, before, after
    cdef Py_ssize_t k
    cdef int i, c, previous = 0
    memset(gained, 0, items.classes * sizeof(double))
    for k in range(frame.n):
        i = item[k]
        if side != BOTH_SIDES and (ranks[i] > rank) != side:
            continue
        if value[i] > last:
            if value[i] - last >= items.margin and last > -INFINITY:
                before = after = 0
                for c in range(items.classes):
                    before = max(before, gained[c])
                    after = max(after, sums.total[c] - gained[c])
                if sums.base - before - after < best.cost:
                    best.cost, best.feature = sums.base - before - after, f
                    best.rank = items.rank[f * items.n + previous]
            last = value[i]
        previous = i
        gained[items.label[i]] += items.gain[i]
