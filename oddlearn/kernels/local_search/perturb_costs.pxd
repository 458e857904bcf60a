from oddlearn.kernels.local_search.workspace cimport Desk
from oddlearn.kernels.local_search.diagram_state cimport State, Table

cdef void shake_by_noise(const Table* table, State* state, Desk* desk, double* cost) noexcept nogil
