"""Bounds on the best trees of sets of rows, found by 128-bit hashes."""

from oddlearn.kernels.branch_and_bound.price_sets cimport Cost, Hash

# What is known of a set: lower <= cost of its best tree <= upper.
cdef struct PriceEntry:
    Hash first_hash, second_hash
    Cost lower, upper          # upper 0: empty

cdef struct PriceCache:
    Hash mask, max_mask        # entries - 1: now, and at most
    Hash n_used
    PriceEntry* entries

cdef bint allocate_cache(PriceCache* cache, int log_entries) noexcept nogil
cdef void release_cache(PriceCache* cache) noexcept nogil
cdef const PriceEntry* find_entry(const PriceCache* cache, Hash first, Hash second) noexcept nogil
cdef void store_bounds(PriceCache* cache, Hash first, Hash second, Cost lower, Cost upper) noexcept nogil
