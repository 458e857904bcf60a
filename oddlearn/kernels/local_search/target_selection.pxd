"""Targets of a node's problem that no good split has."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport Workspace

cdef int index_of(int target, const int* targets, int T) noexcept nogil
cdef void drop_targets(const SearchTable* table, const DiagramState* state, Workspace* ws, double limit) noexcept nogil
