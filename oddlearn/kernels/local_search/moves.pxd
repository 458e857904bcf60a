from oddlearn.kernels.local_search.workspace cimport Desk
from oddlearn.kernels.local_search.diagram_state cimport State, Table

cdef bint improve_node(const Table* table, State* state, Desk* desk, int node, bint explore) noexcept nogil
cdef bint grow_arc(const Table* table, State* state, Desk* desk, int node, int side) noexcept nogil
cdef bint remove_node(const Table* table, State* state, Desk* desk, int node, bint must) noexcept nogil
cdef bint note_best(const Table* table, const State* state, Desk* desk) noexcept nogil
cdef void work_over(const Table* table, State* state, Desk* desk, bint explore, bint thrifty) noexcept nogil
cdef void descend(const Table* table, State* state, Desk* desk, double hope) noexcept nogil
cdef void perturb(const Table* table, State* state, Desk* desk) noexcept nogil
cdef void recreate(const Table* table, State* state, Desk* desk, int node, double bushiness) noexcept nogil
cdef void repair(const Table* table, State* state, Desk* desk) noexcept nogil
cdef bint admissible(const Table* table, const State* state, Desk* desk) noexcept nogil
