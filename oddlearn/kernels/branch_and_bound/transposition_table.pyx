"""A hash table with open addressing: a full neighbourhood loses its entry for the smallest problem.

It uses the first entries of its memory, and more of them as it fills: small problems store few sets, and every page
of memory that is looked at for the first time takes longer than some sets of theirs.
"""

from libc.string cimport memset

from oddlearn.kernels.common.arena cimport allocate, release, take

cdef enum:
    NEIGHBOURS = 4
    FIRST_LOG_ENTRIES = 10
    GROWTH = 4                 # entries that are used for each of those before, when a quarter of them is taken


cdef void lay_out_table(TranspositionTable* table, int log_entries, Arena* arena) noexcept nogil:
    """Take memory for 2 ** log_entries entries, all empty."""
    table.max_mask = (<Hash>1 << log_entries) - 1
    table.mask = min(table.max_mask, (<Hash>1 << FIRST_LOG_ENTRIES) - 1)
    table.n_used = 0
    table.entries = <TableEntry*>take(arena, (table.max_mask + 1) * sizeof(TableEntry))


cdef void clear_table(TranspositionTable* table) noexcept nogil:
    """Empty the table."""
    table.n_used = 0
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
    cdef TableEntry* entry = <TableEntry*>lookup(table, result.first_hash, result.second_hash, result.structure)
    if entry != NULL:
        if not entry.exact and (result.exact or result.bound > entry.bound):
            entry[0] = result[0]
        return
    if 4 * table.n_used > table.mask and table.mask < table.max_mask:
        use_more_entries(table)
    insert_entry(table, result)


cdef void insert_entry(TranspositionTable* table, const TableEntry* new) noexcept nogil:
    """Insert an entry that is not there."""
    cdef Hash slot = first_slot(table, new.first_hash, new.structure)
    cdef TableEntry* entry = table.entries + slot
    cdef TableEntry* other
    cdef int k
    for k in range(1, NEIGHBOURS):
        other = table.entries + ((slot + k) & table.mask)
        if other.structure < entry.structure:
            entry = other
    table.n_used += entry.structure == 0
    entry[0] = new[0]


cdef void use_more_entries(TranspositionTable* table) noexcept nogil:
    """Use more of the memory, and move each entry to its new place; a few may be lost."""
    cdef Hash n_before = table.mask + 1, k
    cdef TableEntry entry
    table.mask = min(table.max_mask, GROWTH * n_before - 1)
    table.n_used = 0
    for k in range(n_before):
        if table.entries[k].structure:
            entry = table.entries[k]
            table.entries[k].structure = 0
            insert_entry(table, &entry)


def store_all(const Hash[:, ::1] hashes, int log_entries):
    """Store the number of each pair of hashes as its bound; return what is found of each: a hook for tests.

    ``hashes`` (n, 2). Returned are also the entries in use at the end. A bound is -1 if nothing is found.
    """
    cdef Arena arena = Arena(NULL, NULL, 0)
    cdef TranspositionTable table
    cdef TableEntry new
    cdef const TableEntry* entry
    cdef Py_ssize_t k
    lay_out_table(&table, log_entries, &arena)
    if not allocate(&arena):
        raise MemoryError
    lay_out_table(&table, log_entries, &arena)
    for k in range(hashes.shape[0]):
        new.first_hash, new.second_hash, new.bound = hashes[k, 0], hashes[k, 1], k
        new.structure, new.exact, new.feature, new.rank = 1 + k % 3, False, 0, 0
        store(&table, &new)
    found = []
    for k in range(hashes.shape[0]):
        entry = lookup(&table, hashes[k, 0], hashes[k, 1], 1 + k % 3)
        found.append(-1.0 if entry == NULL else entry.bound)
    release(&arena)
    return found, table.mask + 1
