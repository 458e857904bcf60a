"""Lower bounds on the splits along a feature, where costs are small integers."""

from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeProblem, Workspace

cdef bint pack_int16_costs(const SearchTable* table, Workspace* ws) noexcept nogil
cdef double int16_lower_bound(const SearchTable* table, Workspace* ws, int feature) noexcept nogil
