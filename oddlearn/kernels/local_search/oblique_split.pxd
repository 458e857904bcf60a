from oddlearn.kernels.local_search.workspace cimport Cut, Desk, Loom
from oddlearn.kernels.local_search.diagram_state cimport State, Table

cdef Loom* new_loom(const Table* table) noexcept nogil
cdef void free_loom(Loom* loom) noexcept nogil
cdef void refine_cut(const Table* table, const State* state, Desk* desk, Loom* loom, int node, Cut* cut) noexcept nogil
