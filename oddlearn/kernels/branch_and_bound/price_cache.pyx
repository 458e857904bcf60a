"""A hash table: a full neighbourhood loses its entry for the cheapest set.

It begins small and grows up to a limit: small problems ask for far more entries than they store, and every page of
memory that is looked at for the first time takes longer than a set of theirs.
"""

from libc.stdlib cimport calloc, free

cdef enum:
    NEIGHBOURS = 4
    FIRST_LOG_ENTRIES = 12
    GROWTH = 4                 # entries of the next table for each of this one, when half of them are in use


cdef bint allocate_cache(PriceCache* cache, int log_entries) noexcept nogil:
    """Take memory for up to 2 ** log_entries entries, all empty; False if memory is short."""
    cache.max_mask = (<Hash>1 << log_entries) - 1
    cache.mask = min(cache.max_mask, (<Hash>1 << FIRST_LOG_ENTRIES) - 1)
    cache.n_used = 0
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
    cdef PriceEntry new
    if entry != NULL:
        entry.lower, entry.upper = max(entry.lower, lower), min(entry.upper, upper)
        return
    if 2 * cache.n_used > cache.mask and cache.mask < cache.max_mask:
        enlarge(cache)
    new.first_hash, new.second_hash, new.lower, new.upper = first, second, lower, upper
    insert_entry(cache, &new)


cdef void insert_entry(PriceCache* cache, const PriceEntry* new) noexcept nogil:
    """Insert an entry that is not there."""
    cdef PriceEntry* entry = cache.entries + (new.first_hash & cache.mask)
    cdef PriceEntry* other
    cdef int k
    for k in range(1, NEIGHBOURS):
        other = cache.entries + ((new.first_hash + k) & cache.mask)
        if other.upper < entry.upper:
            entry = other
    cache.n_used += entry.upper == 0
    entry[0] = new[0]


cdef void enlarge(PriceCache* cache) noexcept nogil:
    """Move all entries to a larger table; if memory is short, this one is the largest."""
    cdef PriceEntry* old = cache.entries
    cdef Hash mask = cache.mask, k
    cdef PriceEntry* entries
    cache.mask = min(cache.max_mask, GROWTH * (mask + 1) - 1)
    entries = <PriceEntry*>calloc(cache.mask + 1, sizeof(PriceEntry))
    if entries == NULL:
        cache.mask = cache.max_mask = mask
        return
    cache.entries, cache.n_used = entries, 0
    for k in range(mask + 1):
        if old[k].upper > 0:
            insert_entry(cache, &old[k])
    free(old)
