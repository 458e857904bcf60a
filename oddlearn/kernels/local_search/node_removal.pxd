"""Remove a node, and repair a diagram."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport Workspace

cdef bint remove_node(const SearchTable* table, DiagramState* state, Workspace* ws, int node, bint must) noexcept nogil
cdef bint accept_or_undo(const SearchTable* table, DiagramState* state, Workspace* ws, double allowed) noexcept nogil
cdef void repair(const SearchTable* table, DiagramState* state, Workspace* ws) noexcept nogil
