"""Everything that is derived from a diagram's splits and arcs."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable

cdef void recompute(const SearchTable* table, DiagramState* state) noexcept nogil
cdef void make_constant(const SearchTable* table, DiagramState* state) noexcept nogil
