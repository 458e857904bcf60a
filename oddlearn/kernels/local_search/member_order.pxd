"""The members of a node in the order of a feature."""

from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeProblem, SplitScratch

cdef void sort_members(
    const SearchTable* table, const NodeProblem* problem, SplitScratch* scratch, int feature
) noexcept nogil
cdef void mark_members(
    const SearchTable* table, const NodeProblem* problem, SplitScratch* scratch, int feature
) noexcept nogil
