"""The best single split, one feature after the other, in plain code."""

from libc.math cimport INFINITY
from libc.string cimport memset


cdef Stump best_stump(const Items* items, const Frame* frame) noexcept nogil:
    """Return a split of the set that costs least; without a split the cost is inf and the feature is -1."""
    cdef Stump best
    cdef Py_ssize_t a
    best.cost, best.feature, best.rank = INFINITY, -1, 0
    for a in range(frame.n_active):
        if items.classes == 2:
            best_of_two_classes(items, frame, frame.active[a], &best)
        else:
            best_of_feature(items, frame, frame.active[a], &best)
    return best


cdef void best_of_two_classes(const Items* items, const Frame* frame, int f, Stump* best) noexcept nogil:
    """Put the best split of a feature in the place of a worse one."""
    cdef const int* item = frame.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef double first = 0, second = 0, cost, before, after
    cdef Py_ssize_t k
    cdef int i, last = ranks[item[0]]
    for k in range(frame.n):
        i = item[k]
        if ranks[i] != last:
            before = first if first > second else second
            after = max(frame.total[0] - first, frame.total[1] - second)
            cost = frame.base - before - after
            if cost < best.cost:
                best.cost, best.feature, best.rank = cost, f, last
            last = ranks[i]
        if items.label[i]:
            second += items.gain[i]
        else:
            first += items.gain[i]


cdef void best_of_feature(const Items* items, const Frame* frame, int f, Stump* best) noexcept nogil:
    """Do the same for any number of classes."""
    cdef const int* item = frame.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef double gained[MOST_CLASSES]
    cdef double before, after
    cdef Py_ssize_t k
    cdef int i, c, last = ranks[item[0]]
    memset(gained, 0, items.classes * sizeof(double))
    for k in range(frame.n):
        i = item[k]
        if ranks[i] != last:
            before = after = 0
            for c in range(items.classes):
                before = max(before, gained[c])
                after = max(after, frame.total[c] - gained[c])
            if frame.base - before - after < best.cost:
                best.cost, best.feature, best.rank = frame.base - before - after, f, last
            last = ranks[i]
        gained[items.label[i]] += items.gain[i]
