from oddlearn.kernels.desk cimport Desk
from oddlearn.kernels.state cimport State, Table

cdef void shake_by_noise(const Table* table, State* state, Desk* desk, double* cost) noexcept nogil
