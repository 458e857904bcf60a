from oddlearn.kernels.local_search.workspace cimport Cut, Desk
from oddlearn.kernels.local_search.diagram_state cimport State, Table

# rounding of sums of sample weights, as a share of the limit
cdef double ROUNDING

cdef bint new_tally(const Table* table, Desk* desk, Py_ssize_t widest) noexcept nogil
cdef void free_tally(Desk* desk) noexcept nogil
cdef void tally_rows(const Table* table, const State* state, Desk* desk) noexcept nogil
cdef double class_penalty(const Table* table, const State* state) noexcept nogil
cdef void open_ruled(const Table* table, Desk* desk, Cut* cut) noexcept nogil
cdef void scan_ruled(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil
cdef double pulled(const Table* table, const Desk* desk, Py_ssize_t k, int first, int second) noexcept nogil
cdef void draw_pull(const Table* table, Desk* desk) noexcept nogil
