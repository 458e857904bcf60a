"""The best stumps on both sides of a split."""

from oddlearn.kernels.branch_and_bound.price_sets cimport Cost
from oddlearn.kernels.branch_and_bound.price_state cimport PriceSolver

cdef bint begin_stumps(PriceSolver* solver, int depth, Py_ssize_t place) noexcept nogil
cdef void bound_by_stumps(PriceSolver* solver, int depth, Py_ssize_t place, int split, Cost* upper) noexcept nogil
