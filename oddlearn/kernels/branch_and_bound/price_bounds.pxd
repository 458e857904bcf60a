"""Lower bounds on the sides of all splits of a set."""

from oddlearn.kernels.branch_and_bound.price_sets cimport PriceProblem, PriceSet

cdef void raise_by_superset(const PriceProblem* problem, const PriceSet* superset, const unsigned char* is_in,
                            PriceSet* rows) noexcept nogil
cdef void sweep_bounds(const PriceProblem* problem, PriceSet* rows) noexcept nogil
cdef void spread_bound(const PriceProblem* problem, PriceSet* rows, Py_ssize_t place, int split,
                       int side) noexcept nogil
