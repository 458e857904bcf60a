"""Best split of one node's samples along a key."""

from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeProblem, NodeSplit, SplitScratch, Workspace

cdef void no_split(const SearchTable* table, Workspace* ws, NodeSplit* split) noexcept nogil
cdef void scan_sorted(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil
cdef void scan_feature(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil
cdef void scan_features(const SearchTable* table, Workspace* ws, NodeSplit* split) noexcept nogil
cdef double scan_bins(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil
cdef double min_split_value(const SearchTable* table, Workspace* ws) noexcept nogil
