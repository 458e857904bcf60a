"""The split with the largest information gain."""

from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeProblem, NodeSplit, SplitScratch, Workspace

cdef bint max_gain_split(const SearchTable* table, Workspace* ws, int n_tried, NodeSplit* split) noexcept nogil
