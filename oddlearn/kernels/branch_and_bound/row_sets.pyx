"""Sets of rows filled from larger ones, in the order of every feature.

A side of a split or the rows of a node are copied feature by feature from a set that is sorted already, so that nothing is
sorted again: O(rows x active features).
"""

from libc.string cimport memcpy, memset

from oddlearn.kernels.common.bits cimport count_words
from oddlearn.kernels.common.arena cimport allocate, release, take


cdef void lay_out_row_set(const ItemArrays* items, RowSet* rows, Arena* arena) noexcept nogil:
    """Take memory for any set of the items."""
    cdef Py_ssize_t n = items.n, d = items.d
    rows.item = <int*>take(arena, d * n * sizeof(int))
    rows.is_candidate = <unsigned char*>take(arena, d * n)
    rows.largest_tie = <int*>take(arena, 2 * d * sizeof(int))
    rows.active = <int*>take(arena, d * sizeof(int))
    rows.total = <double*>take(arena, items.n_classes * sizeof(double))
    rows.bits = <Hash*>take(arena, count_words(n) * sizeof(Hash))
    rows.split_rank = <int*>take(arena, n * sizeof(int))
    rows.split_base = <double*>take(arena, n * sizeof(double))
    rows.split_total = <double*>take(arena, (n + 1) * items.n_classes * sizeof(double))
    rows.split_first_hash = <Hash*>take(arena, n * sizeof(Hash))
    rows.split_second_hash = <Hash*>take(arena, n * sizeof(Hash))


cdef void fill_with_all(const ItemArrays* items, RowSet* rows) noexcept nogil:
    """Fill the set with all items."""
    cdef Py_ssize_t f
    rows.n = items.n
    rows.n_active = items.d
    for f in range(items.d):
        rows.active[f] = <int>f
    memcpy(rows.item, items.order, items.d * items.n * sizeof(int))
    finish(items, rows)


cdef void fill_with_side(const ItemArrays* items, const RowSet* parent, Py_ssize_t feature, int rank, bint positive,
                         RowSet* child) noexcept nogil:
    """Fill the child with one side of a split of the parent: the positive side has ranks above ``rank``."""
    cdef Py_ssize_t a, k, kept = 0
    cdef const int* ranks = items.rank + feature * items.n
    cdef const int* source
    cdef int* target
    cdef int i
    for a in range(parent.n_active):
        source = parent.item + parent.active[a] * items.n
        target = child.item + parent.active[a] * items.n
        kept = 0
        for k in range(parent.n):
            i = source[k]
            # without a branch: an item that does not belong is overwritten by the next one
            target[kept] = i
            kept += (ranks[i] > rank) == positive
    child.n = kept
    child.n_active = parent.n_active
    memcpy(child.active, parent.active, parent.n_active * sizeof(int))
    finish(items, child)


cdef void mark_side(const ItemArrays* items, const RowSet* parent, Py_ssize_t feature, int rank, bint positive,
                    RowSet* child) noexcept nogil:
    """Set the child's bits to one side of a split of the parent, and leave the rest of it alone."""
    cdef const int* item = parent.item + feature * items.n
    cdef const int* ranks = items.rank + feature * items.n
    cdef Py_ssize_t k = 0, w, words = count_words(items.n)
    memset(child.bits, 0, words * sizeof(Hash))
    while k < parent.n and ranks[item[k]] <= rank:
        child.bits[item[k] // 64] |= <Hash>1 << (item[k] % 64)
        k += 1
    if positive:
        for w in range(words):
            child.bits[w] ^= parent.bits[w]


cdef void fill_with_node(const ItemArrays* items, const RowSet* all_rows, const int* node_of, int node,
                         RowSet* child) noexcept nogil:
    """Fill the child with the items at a node of a layer."""
    cdef Py_ssize_t a, k, kept = 0
    cdef const int* source
    cdef int* target
    for a in range(all_rows.n_active):
        source = all_rows.item + all_rows.active[a] * items.n
        target = child.item + all_rows.active[a] * items.n
        kept = 0
        for k in range(all_rows.n):
            target[kept] = source[k]
            kept += node_of[source[k]] == node
    child.n = kept
    child.n_active = all_rows.n_active
    memcpy(child.active, all_rows.active, all_rows.n_active * sizeof(int))
    finish(items, child)


cdef void mark_node(const ItemArrays* items, const int* node_of, int node, RowSet* child) noexcept nogil:
    """Set the child's bits, hashes and base to those of the items at a node, and leave the rest of it alone."""
    cdef Py_ssize_t i
    memset(child.bits, 0, count_words(items.n) * sizeof(Hash))
    child.base = 0
    child.first_hash = 0
    child.second_hash = 0
    for i in range(items.n):
        if node_of[i] == node:
            child.bits[i // 64] |= <Hash>1 << (i % 64)
            child.base += items.base[i]
            child.first_hash ^= items.first_hash[i]
            child.second_hash ^= items.second_hash[i]


cdef void finish(const ItemArrays* items, RowSet* rows) noexcept nogil:
    """Sum up a set whose items are in place, drop the features that no longer vary, mark candidates of the others."""
    cdef Py_ssize_t a, k, f, kept = 0
    cdef const int* item
    memset(rows.total, 0, items.n_classes * sizeof(double))
    rows.base = 0
    rows.first_hash = 0
    rows.second_hash = 0
    memset(rows.bits, 0, count_words(items.n) * sizeof(Hash))
    if rows.n_active == 0:
        return
    item = rows.item + rows.active[0] * items.n
    for k in range(rows.n):
        rows.total[items.label[item[k]]] += items.gain[item[k]]
        rows.base += items.base[item[k]]
        rows.first_hash ^= items.first_hash[item[k]]
        rows.second_hash ^= items.second_hash[item[k]]
        rows.bits[item[k] // 64] |= <Hash>1 << (item[k] % 64)
    for a in range(rows.n_active):
        f = rows.active[a]
        item = rows.item + f * items.n
        if rows.n > 1 and items.rank[f * items.n + item[0]] != items.rank[f * items.n + item[rows.n - 1]]:
            rows.active[kept] = <int>f
            kept += 1
            mark_candidates(items, rows, f)
    rows.n_active = kept


cdef void mark_candidates(const ItemArrays* items, RowSet* rows, Py_ssize_t f) noexcept nogil:
    """Mark the positions between different values, except those between values of one and the same class.

    The gain of a stump is convex along a run of one class, so that no position within the run is better than both its
    ends. A part of such a run is one again, so that this holds for every subset too.
    """
    cdef const int* item = rows.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef unsigned char* is_candidate = rows.is_candidate + f * items.n
    cdef int* largest = rows.largest_tie + 2 * f
    cdef Py_ssize_t k = 0, start
    cdef int rank, label, last = -1    # -1: several classes
    largest[0] = largest[1] = 0
    while k < rows.n:
        start = k
        rank = ranks[item[k]]
        label = items.label[item[k]]
        while k < rows.n and ranks[item[k]] == rank:
            if items.label[item[k]] != label:
                label = -1
            is_candidate[k] = 0
            k += 1
        if k - start > largest[1] - largest[0]:
            largest[0] = <int>start
            largest[1] = <int>k
        if start > 0:
            is_candidate[start - 1] = label == -1 or label != last or items.disabled & CANDIDATES != 0
        last = label
    if items.disabled & LARGEST_TIE:
        largest[0] = largest[1] = <int>rows.n


def gather_sets(items, const Hash[:, ::1] hash_words, int n_classes, const int[::1] node_of, int node, int feature, int rank):
    """Return the set of a node and both sides of a split of it, each filled and marked: a hook for tests."""
    cdef const int[:, ::1] ranks = items.rank, order = items.order
    cdef const int[::1] label = items.label
    cdef const double[::1] gain = items.gain, base = items.base
    cdef ItemArrays arrays
    cdef RowSet all_rows, rows, child
    cdef Arena arena = Arena(NULL, NULL, 0)
    cdef int lap, side
    arrays.d, arrays.n, arrays.n_classes, arrays.disabled = ranks.shape[0], ranks.shape[1], n_classes, 0
    arrays.rank, arrays.order, arrays.label = &ranks[0, 0], &order[0, 0], &label[0]
    arrays.gain, arrays.base = &gain[0], &base[0]
    arrays.first_hash, arrays.second_hash = &hash_words[0, 0], &hash_words[1, 0]
    for lap in range(2):           # bytes are counted, then handed out
        lay_out_row_set(&arrays, &all_rows, &arena)
        lay_out_row_set(&arrays, &rows, &arena)
        lay_out_row_set(&arrays, &child, &arena)
        if lap == 0 and not allocate(&arena):
            raise MemoryError
    fill_with_all(&arrays, &all_rows)
    fill_with_node(&arrays, &all_rows, &node_of[0], node, &rows)
    mark_node(&arrays, &node_of[0], node, &child)
    filled, marked = [describe_set(&arrays, &rows)], [describe_sums(&arrays, &child)]
    for side in range(2):
        fill_with_side(&arrays, &rows, feature, rank, side, &child)
        filled.append(describe_set(&arrays, &child))
        mark_side(&arrays, &rows, feature, rank, side, &child)
        marked.append(describe_sums(&arrays, &child))
    release(&arena)
    return filled, marked


cdef tuple describe_sums(const ItemArrays* items, const RowSet* rows):
    """Return the words of a set's bits, its base and its hashes."""
    cdef Py_ssize_t w
    return [rows.bits[w] for w in range(count_words(items.n))], rows.base, rows.first_hash, rows.second_hash


cdef tuple describe_set(const ItemArrays* items, const RowSet* rows):
    """Return the same, the gain of each class, and for each feature that varies items, candidates and largest tie."""
    cdef Py_ssize_t a, k, f
    cdef int c
    columns = {}
    for a in range(rows.n_active):
        f = rows.active[a]
        columns[f] = (
            [rows.item[f * items.n + k] for k in range(rows.n)],
            [rows.is_candidate[f * items.n + k] for k in range(rows.n)],
            (rows.largest_tie[2 * f], rows.largest_tie[2 * f + 1]),
        )
    return describe_sums(items, rows), [rows.total[c] for c in range(items.n_classes)], columns
