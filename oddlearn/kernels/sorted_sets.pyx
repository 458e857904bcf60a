"""Filling sets from larger ones in the order of every feature, and listing their cuts."""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset


cdef Frame* new_frame(const Items* items) noexcept nogil:
    """Room for any set of the items, or NULL where memory is short."""
    cdef Frame* frame = <Frame*>calloc(1, sizeof(Frame))
    cdef Py_ssize_t n = items.n, d = items.d
    if frame == NULL:
        return NULL
    frame.item = <int*>malloc(d * n * sizeof(int))
    frame.edge = <unsigned char*>malloc(d * n)
    frame.big = <int*>malloc(2 * d * sizeof(int))
    frame.active = <int*>malloc(d * sizeof(int))
    frame.total = <double*>malloc(items.classes * sizeof(double))
    frame.bits = <Print*>malloc((n + 63) // 64 * sizeof(Print))
    frame.cut_rank = <int*>malloc(n * sizeof(int))
    frame.cut_base = <double*>malloc(n * sizeof(double))
    frame.cut_total = <double*>malloc((n + 1) * items.classes * sizeof(double))
    frame.cut_first = <Print*>malloc(n * sizeof(Print))
    frame.cut_second = <Print*>malloc(n * sizeof(Print))
    if (
        frame.item == NULL or frame.edge == NULL or frame.big == NULL or frame.active == NULL
        or frame.total == NULL or frame.cut_rank == NULL or frame.cut_base == NULL
        or frame.cut_total == NULL or frame.cut_first == NULL or frame.cut_second == NULL or frame.bits == NULL
    ):
        free_frame(frame)
        return NULL
    return frame


cdef void free_frame(Frame* frame) noexcept nogil:
    if frame == NULL:
        return
    free(frame.item)
    free(frame.edge)
    free(frame.big)
    free(frame.active)
    free(frame.total)
    free(frame.bits)
    free(frame.cut_rank)
    free(frame.cut_base)
    free(frame.cut_total)
    free(frame.cut_first)
    free(frame.cut_second)
    free(frame)


cdef void fill_with_all(const Items* items, Frame* frame) noexcept nogil:
    """Make the frame the set of all items."""
    cdef Py_ssize_t f
    frame.n = items.n
    frame.n_active = items.d
    for f in range(items.d):
        frame.active[f] = <int>f
    memcpy(frame.item, items.order, items.d * items.n * sizeof(int))
    complete(items, frame)


cdef void fill_with_side(const Items* items, const Frame* parent, Py_ssize_t feature, int rank, bint positive,
                         Frame* child) noexcept nogil:
    """Make the child the items of the parent on one side of a cut: the positive one has ranks above ``rank``."""
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
            target[kept] = i
            kept += (ranks[i] > rank) == positive
    child.n = kept
    child.n_active = parent.n_active
    memcpy(child.active, parent.active, parent.n_active * sizeof(int))
    complete(items, child)


cdef void mark_side(const Items* items, const Frame* parent, Py_ssize_t feature, int rank, bint positive,
                    Frame* child) noexcept nogil:
    """Set the child's bits to the items of the parent on one side of a cut, and leave the rest of it alone."""
    cdef const int* item = parent.item + feature * items.n
    cdef const int* ranks = items.rank + feature * items.n
    cdef Py_ssize_t k = 0, w, words = (items.n + 63) // 64
    memset(child.bits, 0, words * sizeof(Print))
    while k < parent.n and ranks[item[k]] <= rank:
        child.bits[item[k] // 64] |= <Print>1 << (item[k] % 64)
        k += 1
    if positive:
        for w in range(words):
            child.bits[w] ^= parent.bits[w]


cdef void fill_with_group(const Items* items, const Frame* whole, const int* member, int group,
                          Frame* child) noexcept nogil:
    """Make the child the items of the whole that belong to a group."""
    cdef Py_ssize_t a, k, kept = 0
    cdef const int* source
    cdef int* target
    for a in range(whole.n_active):
        source = whole.item + whole.active[a] * items.n
        target = child.item + whole.active[a] * items.n
        kept = 0
        for k in range(whole.n):
            target[kept] = source[k]
            # the last item may be written once too often, to the place after the others, which is within the room
            kept += member[source[k]] == group
    child.n = kept
    child.n_active = whole.n_active
    memcpy(child.active, whole.active, whole.n_active * sizeof(int))
    complete(items, child)


cdef void mark_group(const Items* items, const int* member, int group, Frame* child) noexcept nogil:
    """Set the child's bits, prints and largest costs to those of a group, and leave the rest of it alone."""
    cdef Py_ssize_t i
    memset(child.bits, 0, (items.n + 63) // 64 * sizeof(Print))
    child.base = 0
    child.first_print = 0
    child.second_print = 0
    for i in range(items.n):
        if member[i] == group:
            child.bits[i // 64] |= <Print>1 << (i % 64)
            child.base += items.base[i]
            child.first_print ^= items.first_print[i]
            child.second_print ^= items.second_print[i]


cdef void complete(const Items* items, Frame* frame) noexcept nogil:
    """Sum up a set whose items are in place, drop the features that no longer vary, and mark the edges."""
    cdef Py_ssize_t a, k, f, kept = 0
    cdef const int* item
    memset(frame.total, 0, items.classes * sizeof(double))
    frame.base = 0
    frame.first_print = 0
    frame.second_print = 0
    memset(frame.bits, 0, (items.n + 63) // 64 * sizeof(Print))
    if frame.n_active == 0:
        return
    item = frame.item + frame.active[0] * items.n
    for k in range(frame.n):
        frame.total[items.label[item[k]]] += items.gain[item[k]]
        frame.base += items.base[item[k]]
        frame.first_print ^= items.first_print[item[k]]
        frame.second_print ^= items.second_print[item[k]]
        frame.bits[item[k] // 64] |= <Print>1 << (item[k] % 64)
    for a in range(frame.n_active):
        f = frame.active[a]
        item = frame.item + f * items.n
        if frame.n > 1 and items.rank[f * items.n + item[0]] != items.rank[f * items.n + item[frame.n - 1]]:
            frame.active[kept] = <int>f
            kept += 1
            mark_edges(items, frame, f)
    frame.n_active = kept


cdef void mark_edges(const Items* items, Frame* frame, Py_ssize_t f) noexcept nogil:
    """Mark the places between different values, but not those between values of one and the same class.

    The gain of a stump is convex along a run of one class, so that no place within the run is better than both
    its ends; a part of such a run is one again, so that this holds for every subset too.
    """
    cdef const int* item = frame.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef unsigned char* edge = frame.edge + f * items.n
    cdef Py_ssize_t k = 0, start
    cdef int rank, label, last = -1    # -1: several classes
    frame.big[2 * f] = frame.big[2 * f + 1] = 0
    while k < frame.n:
        start = k
        rank = ranks[item[k]]
        label = items.label[item[k]]
        while k < frame.n and ranks[item[k]] == rank:
            if items.label[item[k]] != label:
                label = -1
            edge[k] = 0
            k += 1
        if k - start > frame.big[2 * f + 1] - frame.big[2 * f]:
            frame.big[2 * f] = <int>start
            frame.big[2 * f + 1] = <int>k
        if start > 0:
            edge[start - 1] = label == -1 or label != last
        last = label


cdef void list_cuts(const Items* items, Frame* frame, Py_ssize_t f) noexcept nogil:
    """List the cuts of a feature: one between any two different values of the set."""
    cdef const int* item = frame.item + f * items.n
    cdef const int* ranks = items.rank + f * items.n
    cdef double* total = frame.cut_total
    cdef double base = 0
    cdef Print first = 0, second = 0
    cdef Py_ssize_t k, q = 0
    cdef int i
    memset(total, 0, items.classes * sizeof(double))
    for k in range(frame.n - 1):
        i = item[k]
        base += items.base[i]
        first ^= items.first_print[i]
        second ^= items.second_print[i]
        total[items.label[i]] += items.gain[i]
        if ranks[item[k + 1]] != ranks[i]:
            frame.cut_rank[q] = ranks[i]
            frame.cut_base[q] = base
            frame.cut_first[q] = first
            frame.cut_second[q] = second
            memcpy(total + items.classes, total, items.classes * sizeof(double))
            total += items.classes
            q += 1
    frame.n_cuts = q


cdef double keep_best_cuts(const Items* items, Frame* frame, bint single, double most) noexcept nogil:
    """Drop the listed cuts that another is at least as good as; return the least cost of those given up for ``most``.

    Of two cuts with a side that is a leaf of the same cost, the one that leaves less on the other side is at least as
    good. ``single``: one side or the other must be a leaf, and a leaf that costs ``most`` or more is out of the question.
    Otherwise this only concerns leaves that cost nothing, which no split improves.
    """
    cdef Py_ssize_t q, kept = 0, n = frame.n_cuts
    cdef double negative = 0, positive, before = INFINITY, after, given_up = INFINITY
    cdef bint keep
    if n:
        after = negative_leaf(items, frame, 0)
    for q in range(n):
        negative = after
        after = negative_leaf(items, frame, q + 1) if q + 1 < n else INFINITY
        positive = positive_leaf(items, frame, q)
        if single:
            keep = (positive < before and positive < most) or (negative < after and negative < most)
            if not keep and positive < before:
                given_up = min(given_up, positive)
            if not keep and negative < after:
                given_up = min(given_up, negative)
        elif positive <= 0:
            # the first of these stays, even if the next one has a negative leaf that costs nothing, too
            keep = before > 0
        else:
            keep = negative > 0 or after > 0
        before = positive
        if keep:
            move_cut(items, frame, q, kept)
            kept += 1
    frame.n_cuts = kept
    return given_up


cdef void move_cut(const Items* items, Frame* frame, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
    frame.cut_rank[target] = frame.cut_rank[source]
    frame.cut_base[target] = frame.cut_base[source]
    frame.cut_first[target] = frame.cut_first[source]
    frame.cut_second[target] = frame.cut_second[source]
    memcpy(frame.cut_total + target * items.classes, frame.cut_total + source * items.classes,
           items.classes * sizeof(double))


cdef double leaf_cost(const Items* items, const Frame* frame) noexcept nogil:
    """Cost of giving the whole set its best class."""
    cdef double most = 0
    cdef int c
    for c in range(items.classes):
        if frame.total[c] > most:
            most = frame.total[c]
    return frame.base - most


cdef double negative_leaf(const Items* items, const Frame* frame, Py_ssize_t cut) noexcept nogil:
    """Cost of giving what lies before a cut its best class."""
    cdef const double* total = frame.cut_total + cut * items.classes
    cdef double most = 0
    cdef int c
    for c in range(items.classes):
        if total[c] > most:
            most = total[c]
    return frame.cut_base[cut] - most


cdef double positive_leaf(const Items* items, const Frame* frame, Py_ssize_t cut) noexcept nogil:
    """Cost of giving what lies after a cut its best class."""
    cdef const double* total = frame.cut_total + cut * items.classes
    cdef double most = 0
    cdef int c
    for c in range(items.classes):
        if frame.total[c] - total[c] > most:
            most = frame.total[c] - total[c]
    return frame.base - frame.cut_base[cut] - most
