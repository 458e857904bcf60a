"""The search for the best tree with a price per node and no limit on its depth."""

from oddlearn.kernels.branch_and_bound.price_sets cimport Cost
from oddlearn.kernels.branch_and_bound.price_state cimport PriceSolver

cdef void solve_set(PriceSolver* solver, int depth, Cost budget, Cost* lower) noexcept nogil
