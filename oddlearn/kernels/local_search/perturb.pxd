"""Random changes of a diagram."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport Workspace

cdef void rebuild_subtree(
    const SearchTable* table, DiagramState* state, Workspace* ws, int node, double bushiness
) noexcept nogil
cdef void perturb(const SearchTable* table, DiagramState* state, Workspace* ws) noexcept nogil
