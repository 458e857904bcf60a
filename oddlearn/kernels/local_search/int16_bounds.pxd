"""Lower bounds on the cuts along a feature, where costs are small whole numbers."""

from oddlearn.kernels.local_search.workspace cimport Desk
from oddlearn.kernels.local_search.diagram_state cimport Table

cdef bint new_steps(const Table* table, Desk* desk) noexcept nogil
cdef void free_steps(Desk* desk) noexcept nogil
cdef bint lay_steps(const Table* table, Desk* desk) noexcept nogil
cdef double least_whole(const Table* table, Desk* desk, int feature) noexcept nogil
