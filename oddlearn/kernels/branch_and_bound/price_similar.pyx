"""Rings of solved sets, compared bit by bit: O(sets x rows / 64) for a question.

One more row raises the cost of the best tree by at most its base. So a set S costs at least what a set B costs, less
the bases of the rows of B that S lacks.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from oddlearn.kernels.branch_and_bound.packed_sets cimport take_side_bits
from oddlearn.kernels.common.bits cimport count_words, lowest_bit

cdef extern from "subset_count.h" nogil:
    long count_missing(const Hash* solved, const Hash* present, long words)


cdef enum:
    MAX_RING_BYTES = 4194304   # of the bits of one ring: long sets have shorter rings


cdef bint allocate_similar(const PriceProblem* problem, SimilarSets* similar) noexcept nogil:
    """Prepare empty rings, whose memory is taken when they are used; False if memory is short."""
    cdef Py_ssize_t i
    similar.words = count_words(problem.n)
    similar.ring_size = <int>max(1, min(<Py_ssize_t>MAX_RING_SIZE, MAX_RING_BYTES // (8 * similar.words)))
    similar.bits = <Hash*>calloc(similar.words, sizeof(Hash))
    similar.unit = problem.base[0]
    for i in range(problem.n):
        if problem.base[i] != similar.unit:
            similar.unit = 0
    return similar.bits != NULL


cdef void release_similar(SimilarSets* similar) noexcept nogil:
    """Free the memory."""
    cdef int k
    free(similar.bits)
    for k in range(N_RINGS):
        free(similar.ring[k].bits)
        free(similar.ring[k].bound)
        free(similar.ring[k].base)


cdef inline int ring_of(const PriceProblem* problem, Cost bound) noexcept nogil:
    return <int>min(bound // problem.price, N_RINGS - 1)


cdef void set_bits(SimilarSets* similar, const int* item, Py_ssize_t n) noexcept nogil:
    """Set the bits of n items, and no others."""
    cdef Py_ssize_t k
    memset(similar.bits, 0, similar.words * sizeof(Hash))
    for k in range(n):
        similar.bits[item[k] >> 6] |= <Hash>1 << (item[k] & 63)


cdef void store_similar(const PriceProblem* problem, SimilarSets* similar, const PriceSet* rows, Cost bound) noexcept nogil:
    """Store the bound of a set, in the slot of the oldest one."""
    cdef SimilarRing* ring = &similar.ring[ring_of(problem, bound)]
    cdef int slot = ring.next
    if ring.bits == NULL:
        ring.bits = <Hash*>calloc(similar.ring_size * similar.words, sizeof(Hash))
        ring.bound = <Cost*>calloc(similar.ring_size, sizeof(Cost))
        ring.base = <Cost*>calloc(similar.ring_size, sizeof(Cost))
    if ring.bits == NULL or ring.bound == NULL or ring.base == NULL or not rows.n_active:
        return
    if problem.words:
        memcpy(similar.bits, rows.bits, similar.words * sizeof(Hash))
    else:
        set_bits(similar, rows.item, rows.n)
    memcpy(ring.bits + slot * similar.words, similar.bits, similar.words * sizeof(Hash))
    ring.bound[slot], ring.base[slot] = bound, rows.base
    ring.next = (slot + 1) % similar.ring_size
    ring.n = max(ring.n, slot + 1)


cdef Cost bound_by_similar(const PriceProblem* problem, SimilarSets* similar, const PriceSet* rows, Py_ssize_t place,
                           int split, int side, Cost target) noexcept nogil:
    """Return a bound of the target or more for a side of a split if a similar set gives one, else 0.

    The sets whose bounds are less than two prices above the target are compared.
    """
    cdef int r, first = ring_of(problem, target), n_negative = rows.position[split]
    cdef Cost base = rows.base - rows.weight[split] if side else rows.weight[split], bound = 0
    cdef const int* item = rows.item + place * rows.n
    if problem.words:
        take_side_bits(problem, rows, split, side, similar.bits)
    else:
        set_bits(similar, item + n_negative if side else item, rows.n - n_negative if side else n_negative)
    for r in range(first, min(first + 2, <int>N_RINGS)):
        if bound == 0:
            bound = bound_by_ring(problem, similar, &similar.ring[r], base, target)
    return bound


cdef Cost bound_by_ring(const PriceProblem* problem, SimilarSets* similar, SimilarRing* ring, Cost base,
                        Cost target) noexcept nogil:
    """Return a bound of the target or more if a set of a ring gives one, else 0."""
    cdef int k, slot = ring.last_hit
    cdef Cost surplus, missing
    # the one that was similar last, then the youngest first
    for k in range(ring.n + 1):
        if k:
            slot = ring.next - k
            if slot < 0:
                slot += similar.ring_size
        elif slot >= ring.n:
            continue
        surplus = ring.bound[slot] - target
        if surplus < 0 or ring.base[slot] - base > surplus:
            continue
        missing = base_of_missing(problem, similar, ring.bits + slot * similar.words, similar.bits, surplus)
        if missing <= surplus:
            ring.last_hit = slot
            return ring.bound[slot] - missing
    return 0


cdef Cost base_of_missing(const PriceProblem* problem, const SimilarSets* similar, const Hash* solved,
                          const Hash* present, Cost limit) noexcept nogil:
    """Return the bases of the items of the solved set that the present one lacks; more than the limit if it is more."""
    cdef Py_ssize_t w
    cdef Hash missing
    cdef Cost base = 0
    if similar.unit:
        return count_missing(solved, present, similar.words) * similar.unit
    for w in range(similar.words):
        missing = solved[w] & ~present[w]
        while missing:
            base += problem.base[64 * w + lowest_bit(missing)]
            missing &= missing - 1
            if base > limit:
                return base
    return base
