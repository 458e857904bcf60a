"""The best split of a node's problem."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeSplit, Workspace

cdef bint find_best_split(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int cache_slot, double limit, NodeSplit* split
) noexcept nogil
