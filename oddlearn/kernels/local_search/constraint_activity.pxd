from oddlearn.kernels.local_search.diagram_state cimport State, Table

cdef void set_ends(const Table* table, State* state, int node) noexcept nogil
cdef void observe(const Table* table, State* state) noexcept nogil
cdef void price_penalty(const Table* table, State* state) noexcept nogil
cdef double broken(const Table* table, int row, double activity) noexcept nogil
cdef bint has_room(const Table* table, const State* state, int layer) noexcept nogil
cdef bint is_crowded(const Table* table, const State* state) noexcept nogil
cdef int lightest(const Table* table, const State* state) noexcept nogil
cdef void learn_weights(const Table* table, const State* state) noexcept nogil
