"""The problem of one node: members, targets, costs."""

from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable
from oddlearn.kernels.local_search.workspace cimport NodeProblem, Workspace

cdef void load_node_samples(
    const SearchTable* table, const DiagramState* state, NodeProblem* problem, int node
) noexcept nogil
cdef void load_arc_samples(
    const SearchTable* table, const DiagramState* state, NodeProblem* problem, int node, int side
) noexcept nogil
cdef void list_targets(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int node, int layer
) noexcept nogil
cdef double compute_target_costs(const SearchTable* table, const DiagramState* state, Workspace* ws) noexcept nogil
cdef void fill_costs(const SearchTable* table, const DiagramState* state, NodeProblem* problem) noexcept nogil
cdef double cost_at_target(
    const SearchTable* table, const DiagramState* state, const NodeProblem* problem, int target
) noexcept nogil
cdef double present_target_price(const DiagramState* state, const NodeProblem* problem, int node) noexcept nogil
cdef unsigned long long hash_targets(
    const SearchTable* table, const DiagramState* state, const NodeProblem* problem, unsigned long long hash
) noexcept nogil
