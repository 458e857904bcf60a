"""A hash table of fixed size: a full neighbourhood loses its entry for the cheapest set."""

from libc.stdlib cimport calloc, free

cdef enum:
    NEIGHBOURS = 4


cdef bint allocate_cache(PriceCache* cache, int log_entries) noexcept nogil:
    """Take memory for 2 ** log_entries entries, all empty; False if memory is short."""
    cache.mask = (<Hash>1 << log_entries) - 1
    cache.entries = <PriceEntry*>calloc(cache.mask + 1, sizeof(PriceEntry))
    return cache.entries != NULL


cdef void release_cache(PriceCache* cache) noexcept nogil:
    """Free the memory."""
    free(cache.entries)
    cache.entries = NULL


cdef const PriceEntry* find_entry(const PriceCache* cache, Hash first, Hash second) noexcept nogil:
    """Return what is known of a set, or NULL."""
    cdef const PriceEntry* entry
    cdef int k
    for k in range(NEIGHBOURS):
        entry = cache.entries + ((first + k) & cache.mask)
        if entry.first_hash == first and entry.second_hash == second and entry.upper > 0:
            return entry
    return NULL


cdef void store_bounds(PriceCache* cache, Hash first, Hash second, Cost lower, Cost upper) noexcept nogil:
    """Store bounds of a set that costs something, or tighten those that are known."""
    cdef PriceEntry* entry = <PriceEntry*>find_entry(cache, first, second)
    cdef PriceEntry* other
    cdef int k
    if entry != NULL:
        entry.lower, entry.upper = max(entry.lower, lower), min(entry.upper, upper)
        return
    entry = cache.entries + (first & cache.mask)
    for k in range(1, NEIGHBOURS):
        other = cache.entries + ((first + k) & cache.mask)
        if other.upper < entry.upper:
            entry = other
    entry.first_hash, entry.second_hash = first, second
    entry.lower, entry.upper = lower, upper
