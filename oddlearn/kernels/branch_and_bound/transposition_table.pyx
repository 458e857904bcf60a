"""A hash table of fixed size with open addressing: a full neighbourhood loses its entry for the smallest problem."""

from libc.string cimport memset

from oddlearn.kernels.common.arena cimport take

cdef enum:
    NEIGHBOURS = 4


cdef void lay_out_table(TranspositionTable* table, int log_entries, Arena* arena) noexcept nogil:
    """Take memory for 2 ** log_entries entries, all empty."""
    table.mask = (<Hash>1 << log_entries) - 1
    table.entries = <TableEntry*>take(arena, (table.mask + 1) * sizeof(TableEntry))


cdef void clear_table(TranspositionTable* table) noexcept nogil:
    """Empty the table."""
    memset(table.entries, 0, (table.mask + 1) * sizeof(TableEntry))


cdef Hash first_slot(const TranspositionTable* table, Hash first, int structure) noexcept nogil:
    """Return the first slot that an entry may be in."""
    return (first ^ (<Hash>structure * <Hash>0x9E3779B97F4A7C15)) & table.mask


cdef const TableEntry* lookup(const TranspositionTable* table, Hash first, Hash second, int structure) noexcept nogil:
    """Return what is known of a set, or NULL.

    The hashes have 128 random bits together: that two sets share them is not to be expected.
    """
    cdef Hash slot = first_slot(table, first, structure)
    cdef const TableEntry* entry
    cdef int k
    for k in range(NEIGHBOURS):
        entry = table.entries + ((slot + k) & table.mask)
        if entry.structure == structure and entry.first_hash == first and entry.second_hash == second:
            return entry
    return NULL


cdef void store(TranspositionTable* table, const TableEntry* result) noexcept nogil:
    """Store what was proved of a set, unless more is known of it."""
    cdef Hash slot = first_slot(table, result.first_hash, result.structure)
    cdef TableEntry* entry = <TableEntry*>lookup(table, result.first_hash, result.second_hash, result.structure)
    cdef TableEntry* other
    cdef int k
    if entry != NULL:
        if not entry.exact and (result.exact or result.bound > entry.bound):
            entry[0] = result[0]
        return
    entry = table.entries + slot
    for k in range(NEIGHBOURS):
        other = table.entries + ((slot + k) & table.mask)
        if other.structure < entry.structure:
            entry = other
    entry[0] = result[0]
