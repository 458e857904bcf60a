"""The best single split of a set, one feature after the other, in plain code: O(rows x active features x classes)."""

from libc.math cimport INFINITY
from libc.string cimport memset

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES


cdef Stump find_best_stump(const ItemArrays* items, const RowSet* rows) noexcept nogil:
    """Return a split of the set that costs least; without a split the cost is inf and the feature is -1."""
    cdef Stump best
    cdef Py_ssize_t a
    best.cost, best.feature, best.rank = INFINITY, -1, 0
    for a in range(rows.n_active):
        if items.n_classes == 2:
            improve_with_two_classes(items, rows, rows.active[a], &best)
        else:
            improve_with_feature(items, rows, rows.active[a], &best)
    return best


cdef void improve_with_two_classes(const ItemArrays* items, const RowSet* rows, int f, Stump* best) noexcept nogil:
    """Replace the best split by one of a feature that costs less; for two classes."""
    cdef const int* item = rows.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef double first = 0, second = 0, cost, before, after
    cdef Py_ssize_t k
    cdef int i, last = ranks[item[0]]
    for k in range(rows.n):
        i = item[k]
        if ranks[i] != last:
            before = first if first > second else second
            after = max(rows.total[0] - first, rows.total[1] - second)
            cost = rows.base - before - after
            if cost < best.cost:
                best.cost, best.feature, best.rank = cost, f, last
            last = ranks[i]
        if items.label[i]:
            second += items.gain[i]
        else:
            first += items.gain[i]


cdef void improve_with_feature(const ItemArrays* items, const RowSet* rows, int f, Stump* best) noexcept nogil:
    """Replace the best split by one of a feature that costs less; for any number of classes."""
    cdef const int* item = rows.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef double gained[MAX_CLASSES]
    cdef double before, after
    cdef Py_ssize_t k
    cdef int i, c, last = ranks[item[0]]
    memset(gained, 0, items.n_classes * sizeof(double))
    for k in range(rows.n):
        i = item[k]
        if ranks[i] != last:
            before = after = 0
            for c in range(items.n_classes):
                before = max(before, gained[c])
                after = max(after, rows.total[c] - gained[c])
            if rows.base - before - after < best.cost:
                best.cost, best.feature, best.rank = rows.base - before - after, f, last
            last = ranks[i]
        gained[items.label[i]] += items.gain[i]
