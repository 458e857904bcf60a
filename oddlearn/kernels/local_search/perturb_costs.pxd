"""A perturbation by a round of moves under other costs."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport Workspace

cdef void perturb_costs(const SearchTable* table, DiagramState* state, Workspace* ws, double* cost) noexcept nogil
