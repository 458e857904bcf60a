"""The splits of one feature of a set, listed, and the dominated ones dropped: O(rows x classes)."""

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from oddlearn.kernels.branch_and_bound.row_sets cimport DOMINATED_SPLITS, Hash, negative_leaf, positive_leaf


cdef void list_splits(const ItemArrays* items, RowSet* rows, Py_ssize_t f) noexcept nogil:
    """List the splits of a feature: one between any two different values of the set."""
    cdef const int* item = rows.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef double* total = rows.split_total
    cdef double base = 0
    cdef Hash first = 0, second = 0
    cdef Py_ssize_t k, q = 0
    cdef int i
    memset(total, 0, items.n_classes * sizeof(double))
    for k in range(rows.n - 1):
        i = item[k]
        base += items.base[i]
        first ^= items.first_hash[i]
        second ^= items.second_hash[i]
        total[items.label[i]] += items.gain[i]
        if ranks[item[k + 1]] != ranks[i]:
            rows.split_rank[q] = ranks[i]
            rows.split_base[q] = base
            rows.split_first_hash[q] = first
            rows.split_second_hash[q] = second
            memcpy(total + items.n_classes, total, items.n_classes * sizeof(double))
            total += items.n_classes
            q += 1
    rows.n_splits = q


cdef double drop_dominated_splits(const ItemArrays* items, RowSet* rows, bint max_one_child,
                                  double max_leaf_cost) noexcept nogil:
    """Drop listed splits that another one is as good as; return the least leaf cost among those too costly.

    Of two splits with a side that is a leaf of the same cost, the one that leaves less on the other side is at least as
    good. ``max_one_child``: one side must be a leaf, and a leaf that costs ``max_leaf_cost`` or more is out of the
    question. Otherwise this only concerns leaves that cost nothing, which no split improves.
    """
    cdef Py_ssize_t q, kept = 0, n = rows.n_splits
    cdef double negative = 0, positive, before = INFINITY, after, too_costly = INFINITY
    cdef bint keep
    if items.disabled & DOMINATED_SPLITS:
        return INFINITY
    if n:
        after = negative_leaf(items, rows, 0)
    for q in range(n):
        negative = after
        after = negative_leaf(items, rows, q + 1) if q + 1 < n else INFINITY
        positive = positive_leaf(items, rows, q)
        if max_one_child:
            keep = (positive < before and positive < max_leaf_cost) or (negative < after and negative < max_leaf_cost)
            if not keep and positive < before:
                too_costly = min(too_costly, positive)
            if not keep and negative < after:
                too_costly = min(too_costly, negative)
        elif positive <= 0:
            # the first of these stays, even if the next one has a negative leaf that costs nothing, too
            keep = before > 0
        else:
            keep = negative > 0 or after > 0
        before = positive
        if keep:
            move_split(items, rows, q, kept)
            kept += 1
    rows.n_splits = kept
    return too_costly


cdef double drop_costly_splits(const ItemArrays* items, RowSet* rows, int n_leaves, double price, bint max_one_child,
                               double cutoff) noexcept nogil:
    """Drop listed splits whose sides cost the cutoff or more, by the classes that leaves can predict; return the least bound.

    ``n_leaves``: of a side that goes on; each costs ``price`` but the first. ``max_one_child``: one side must be a leaf.
    """
    cdef Py_ssize_t q, kept = 0
    cdef double negative, positive, bound, least = INFINITY
    if not has_class_bounds(items, n_leaves, price):
        return INFINITY
    for q in range(rows.n_splits):
        negative = bound_negative_side(items, rows, q, n_leaves, price)
        positive = bound_positive_side(items, rows, q, n_leaves, price)
        if max_one_child:
            bound = min(negative_leaf(items, rows, q) + positive, negative + positive_leaf(items, rows, q))
        else:
            bound = negative + positive
        if bound >= cutoff:
            least = min(least, bound)
        else:
            move_split(items, rows, q, kept)
            kept += 1
    rows.n_splits = kept
    return least


cdef void move_split(const ItemArrays* items, RowSet* rows, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
    """Copy a listed split to another place of the list."""
    rows.split_rank[target] = rows.split_rank[source]
    rows.split_base[target] = rows.split_base[source]
    rows.split_first_hash[target] = rows.split_first_hash[source]
    rows.split_second_hash[target] = rows.split_second_hash[source]
    memcpy(rows.split_total + target * items.n_classes, rows.split_total + source * items.n_classes,
           items.n_classes * sizeof(double))
