"""The best diagram so far."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport Workspace

cdef bint update_incumbent(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil
