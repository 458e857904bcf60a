"""A ring of solved sets, compared bit by bit: O(sets x rows / 64) for a question.

The best tree of a set S serves a set R too, where the rows of R that S lacks cost at most their largest costs. So S costs
at least what R costs less the largest costs of those rows.
"""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from oddlearn.kernels.common.arena cimport take
from oddlearn.kernels.common.bits cimport count_words, lowest_bit

cdef extern from "subset_count.h" nogil:
    long count_missing(const Hash* solved, const Hash* present, long words)

cdef enum:
    CAPACITY = 512


cdef void lay_out_cache(const ItemArrays* items, SimilarityCache* cache, Arena* arena) noexcept nogil:
    """Take memory for a ring of sets, none of them stored."""
    cdef Py_ssize_t i
    cache.words = count_words(items.n)
    cache.bits = <Hash*>take(arena, CAPACITY * cache.words * sizeof(Hash))
    cache.bound = <double*>take(arena, CAPACITY * sizeof(double))
    cache.base = <double*>take(arena, CAPACITY * sizeof(double))
    cache.structure = <int*>take(arena, CAPACITY * sizeof(int))
    cache.unit = items.base[0]
    for i in range(items.n):
        if items.base[i] != cache.unit:
            cache.unit = 0
    clear_cache(cache)


cdef void clear_cache(SimilarityCache* cache) noexcept nogil:
    """Empty the ring."""
    cache.n = cache.next = cache.last_hit = 0


cdef void store_similar(SimilarityCache* cache, const RowSet* rows, int structure, double bound) noexcept nogil:
    """Store the bound of a set, in the slot of the oldest one."""
    cdef int slot = cache.next
    memcpy(cache.bits + slot * cache.words, rows.bits, cache.words * sizeof(Hash))
    cache.bound[slot], cache.base[slot], cache.structure[slot] = bound, rows.base, structure
    cache.next = (slot + 1) % CAPACITY
    cache.n = max(cache.n, slot + 1)


cdef double bound_by_similar(SimilarityCache* cache, const ItemArrays* items, const RowSet* rows, int structure,
                             double cutoff) noexcept nogil:
    """Return a bound of the cutoff or more if a similar set gives one, else 0."""
    cdef int k, slot = cache.last_hit
    cdef double surplus, missing
    # the one that was similar last, then the youngest first
    for k in range(cache.n + 1):
        if k:
            slot = cache.next - k
            if slot < 0:
                slot += CAPACITY
        elif slot >= cache.n:
            continue
        surplus = cache.bound[slot] - cutoff
        if cache.structure[slot] != structure or surplus < 0 or cache.base[slot] - rows.base > surplus:
            continue
        missing = cost_of_missing(cache, items, cache.bits + slot * cache.words, rows.bits, surplus)
        if missing <= surplus:
            cache.last_hit = slot
            return cache.bound[slot] - missing
    return 0


cdef double cost_of_missing(const SimilarityCache* cache, const ItemArrays* items, const Hash* solved,
                            const Hash* present, double limit) noexcept nogil:
    """Return the largest costs of the rows of the solved set that the present one lacks; inf if above the limit."""
    cdef Py_ssize_t w
    cdef Hash missing
    cdef double cost = 0
    if cache.unit:
        return count_missing(solved, present, cache.words) * cache.unit
    for w in range(cache.words):
        missing = solved[w] & ~present[w]
        while missing:
            cost += items.base[64 * w + lowest_bit(missing)]
            missing &= missing - 1
            if cost > limit:
                return INFINITY
    return cost
