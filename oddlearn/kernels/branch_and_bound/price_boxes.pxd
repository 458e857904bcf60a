"""Trees of two nodes for one side of a split: two classes only."""

from oddlearn.kernels.branch_and_bound.price_sets cimport Cost
from oddlearn.kernels.branch_and_bound.price_state cimport PriceSolver

cdef Cost bound_two_nodes(PriceSolver* solver, int depth, Py_ssize_t place, int split, int side,
                          Cost goal) noexcept nogil
