from oddlearn.kernels.desk cimport Cut, Desk
from oddlearn.kernels.state cimport Table

cdef bint gain_cut(const Table* table, Desk* desk, int n_tried, Cut* cut) noexcept nogil
