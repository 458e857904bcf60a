"""Memory of the sets on one path of the search."""

from oddlearn.kernels.branch_and_bound.price_state cimport PriceSolver

cdef bint reserve_root(PriceSolver* solver) noexcept nogil
cdef bint fill_child(PriceSolver* solver, int depth, int split, bint positive) noexcept nogil
cdef void release_sets(PriceSolver* solver) noexcept nogil
