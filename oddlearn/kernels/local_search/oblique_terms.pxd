"""Terms of hyperplanes."""

from oddlearn.kernels.common.rng cimport RngState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport ObliqueWorkspace, StopClock

cdef void take_terms_of(const SearchTable* table, ObliqueWorkspace* oblique, const double* weights) noexcept nogil
cdef void choose_terms(
    const SearchTable* table, ObliqueWorkspace* oblique, RngState* rng, StopClock* clock, const int* members,
    const double* weights
) noexcept nogil
