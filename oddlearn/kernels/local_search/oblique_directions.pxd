"""Directions of hyperplanes."""

from oddlearn.kernels.common.rng cimport RngState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport ObliqueWorkspace, StopClock

cdef void pack_columns(const SearchTable* table, const int* members, ObliqueWorkspace* oblique) noexcept nogil
cdef void multiply_packed(
    const ObliqueWorkspace* oblique, const double* normal, double* out
) noexcept nogil
cdef void ridge_logistic(
    ObliqueWorkspace* oblique, StopClock* clock, double ridge
) noexcept nogil
cdef bint coordinate_search(
    const SearchTable* table, ObliqueWorkspace* oblique, RngState* rng, StopClock* clock
) noexcept nogil
