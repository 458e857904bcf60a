"""Best split of one node's samples under constraint rows."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeSplit, Workspace

cdef void load_row_activities(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil
cdef double class_penalty(const SearchTable* table, const DiagramState* state) noexcept nogil
cdef void no_constrained_split(const SearchTable* table, Workspace* ws, NodeSplit* split) noexcept nogil
cdef void scan_constrained(const SearchTable* table, Workspace* ws, NodeSplit* split, int feature) noexcept nogil
cdef void draw_multipliers(const SearchTable* table, Workspace* ws) noexcept nogil
cdef double multiplier_saving(
    const SearchTable* table, const Workspace* ws, Py_ssize_t k, int first, int second
) noexcept nogil
