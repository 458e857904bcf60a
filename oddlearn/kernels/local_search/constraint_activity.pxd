"""Constraint rows of a diagram."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable

cdef void set_leaf_classes(const SearchTable* table, DiagramState* state, int node) noexcept nogil
cdef void compute_activities(const SearchTable* table, DiagramState* state) noexcept nogil
cdef void compute_penalty(const SearchTable* table, DiagramState* state) noexcept nogil
cdef bint allows_node(const SearchTable* table, const DiagramState* state, int layer) noexcept nogil
cdef bint exceeds_node_limits(const SearchTable* table, const DiagramState* state) noexcept nogil
cdef int find_min_flow_violation(const SearchTable* table, const DiagramState* state) noexcept nogil
cdef void update_penalties(const SearchTable* table, const DiagramState* state) noexcept nogil
