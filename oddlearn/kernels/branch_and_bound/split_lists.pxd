"""Lists of the splits of one feature of a set."""

from oddlearn.kernels.branch_and_bound.row_sets cimport CLASS_BOUNDS, ItemArrays, RowSet, best_saving

cdef void list_splits(const ItemArrays* items, RowSet* rows, Py_ssize_t feature) noexcept nogil
cdef double drop_dominated_splits(const ItemArrays* items, RowSet* rows, bint max_one_child,
                                  double max_leaf_cost) noexcept nogil
cdef double drop_costly_splits(const ItemArrays* items, RowSet* rows, int n_leaves, double price, bint max_one_child,
                               double cutoff) noexcept nogil


cdef inline bint has_class_bounds(const ItemArrays* items, int n_leaves, double price) noexcept nogil:
    """Return False if sides with so many leaves, at a price for each but the first, are not bounded by their classes."""
    return (not items.disabled & CLASS_BOUNDS and items.n_classes > 2
            and (n_leaves < items.n_classes or price > 0))


cdef inline double bound_negative_side(const ItemArrays* items, const RowSet* rows, Py_ssize_t split, int n_leaves,
                                       double price) noexcept nogil:
    """Bound the tree of the negative side of a listed split by the classes that its leaves can predict."""
    cdef const double* total = rows.split_total + split * items.n_classes
    return rows.split_base[split] - best_saving(total, NULL, items.n_classes, n_leaves, price)


cdef inline double bound_positive_side(const ItemArrays* items, const RowSet* rows, Py_ssize_t split, int n_leaves,
                                       double price) noexcept nogil:
    """Bound the tree of the positive side of a listed split by the classes that its leaves can predict."""
    cdef const double* total = rows.split_total + split * items.n_classes
    return rows.base - rows.split_base[split] - best_saving(rows.total, total, items.n_classes, n_leaves, price)


cdef inline int first_open_after(const RowSet* rows, int split, int last, double value, double cutoff,
                                 double* out) noexcept nogil:
    """Return the first split after a scored one whose bound is below the cutoff, or ``last + 1``.

    Rows that change sides lower the value by their largest costs at most. The bounds of the splits that are passed
    over go into ``out``.
    """
    cdef int k = split + 1
    cdef double bound
    while k <= last:
        bound = value - (rows.split_base[k] - rows.split_base[split])
        if bound < cutoff:
            break
        out[0] = min(out[0], bound)
        k += 1
    return k


cdef inline int last_open_before(const RowSet* rows, int split, int first, double value, double cutoff,
                                 double* out) noexcept nogil:
    """Return the last split before a scored one whose bound is below the cutoff, or ``first - 1``."""
    cdef int k = split - 1
    cdef double bound
    while k >= first:
        bound = value - (rows.split_base[split] - rows.split_base[k])
        if bound < cutoff:
            break
        out[0] = min(out[0], bound)
        k -= 1
    return k
