from oddlearn.kernels.local_search.workspace cimport Cut, Desk
from oddlearn.kernels.local_search.diagram_state cimport Table

cdef bint gain_cut(const Table* table, Desk* desk, int n_tried, Cut* cut) noexcept nogil
