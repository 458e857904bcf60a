"""Moves of the search."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeSplit, Workspace

cdef void apply_split(
    const SearchTable* table, DiagramState* state, Workspace* ws, int node, const NodeSplit* split
) noexcept nogil
cdef bint improve_node(
    const SearchTable* table, DiagramState* state, Workspace* ws, int node, bint accepts_ties
) noexcept nogil
cdef int free_slot(const SearchTable* table, const DiagramState* state, int layer) noexcept nogil
cdef bint grow_arc(const SearchTable* table, DiagramState* state, Workspace* ws, int node, int side) noexcept nogil
