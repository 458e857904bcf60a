"""Hyperplane of one node."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeSplit, Workspace

cdef void refine_split(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int node, NodeSplit* split
) noexcept nogil
