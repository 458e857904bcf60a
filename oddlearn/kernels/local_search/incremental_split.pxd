from oddlearn.kernels.local_search.workspace cimport Cut, Desk, Site
from oddlearn.kernels.local_search.diagram_state cimport State, Table

cdef Site* new_sites(const Table* table) noexcept nogil
cdef void free_sites(const Table* table, Site* sites) noexcept nogil
cdef bint best_cut(const Table* table, const State* state, Desk* desk, int place, double limit, Cut* cut) noexcept nogil
