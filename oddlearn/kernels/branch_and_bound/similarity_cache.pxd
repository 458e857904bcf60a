"""Bounds of sets of rows that were solved lately: they bound sets that are similar."""

from oddlearn.kernels.branch_and_bound.row_sets cimport Hash, ItemArrays, RowSet
from oddlearn.kernels.common.arena cimport Arena

cdef struct SimilarityCache:
    Py_ssize_t words           # of a set's bits
    int n, next                # sets that are stored, and the slot of the next one
    int last_hit               # slot of the set that was similar last
    double unit                # the largest cost of every item's row if they are all equal, else 0
    Hash* bits                 # (CAPACITY, words)
    double* bound              # (CAPACITY,)
    double* base               # (CAPACITY,): largest costs of all rows of the set
    int* structure             # (CAPACITY,): what was allowed below the set: see `TreeStructure`

cdef void lay_out_cache(const ItemArrays* items, SimilarityCache* cache, Arena* arena) noexcept nogil
cdef void clear_cache(SimilarityCache* cache) noexcept nogil
cdef void store_similar(SimilarityCache* cache, const RowSet* rows, int structure, double bound) noexcept nogil
cdef double bound_by_similar(SimilarityCache* cache, const ItemArrays* items, const RowSet* rows, int structure,
                             double cutoff) noexcept nogil
