"""The search for the best tree with a price per node and no limit on its depth."""

from oddlearn.kernels.branch_and_bound.price_sets cimport Cost
from oddlearn.kernels.branch_and_bound.price_state cimport PriceSolver

cdef void solve_set(PriceSolver* solver, int depth, Cost budget, Cost* lower) noexcept nogil
cdef bint fill_child(PriceSolver* solver, int depth, int split, bint positive) noexcept nogil
cdef bint reserve_root(PriceSolver* solver) noexcept nogil
cdef void release_sets(PriceSolver* solver) noexcept nogil
