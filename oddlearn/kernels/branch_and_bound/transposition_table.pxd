"""A transposition table: bounds of sets of rows, found again by their hashes."""

from oddlearn.kernels.branch_and_bound.row_sets cimport Hash
from oddlearn.kernels.common.arena cimport Arena

cdef struct TableEntry:
    Hash first_hash, second_hash
    double bound
    int structure              # what was allowed below the set: see `TreeStructure`; 0: the entry is empty
    int exact                  # the bound is the cost of the best tree
    int feature                # the split of the best tree, if exact; -1: a leaf
    int rank

cdef struct TranspositionTable:
    TableEntry* entries
    Hash mask                  # of the entries in use
    Hash max_mask
    Hash n_used

cdef void lay_out_table(TranspositionTable* table, int log_entries, Arena* arena) noexcept nogil
cdef void clear_table(TranspositionTable* table) noexcept nogil
cdef const TableEntry* lookup(const TranspositionTable* table, Hash first, Hash second, int structure) noexcept nogil
cdef void store(TranspositionTable* table, const TableEntry* result) noexcept nogil
