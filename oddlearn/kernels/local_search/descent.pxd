"""Descent: moves until nothing helps."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport Workspace

cdef void improve_all_nodes(
    const SearchTable* table, DiagramState* state, Workspace* ws, bint accepts_ties, bint prunes
) noexcept nogil
cdef void descend(const SearchTable* table, DiagramState* state, Workspace* ws, double objective_target) noexcept nogil
