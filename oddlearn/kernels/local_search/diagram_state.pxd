"""One diagram and all that is derived from it, kept true by every move.

A slot that no arc reaches is inactive. `child[2 * v]` is the negative target of v, `child[2 * v + 1]` the positive one.
"""

from oddlearn.kernels.common.arena cimport Arena
from oddlearn.kernels.local_search.search_table cimport SearchTable, has_constraints

cdef struct Topology:
    int* child                 # (N, 2)
    int* feature               # (N,)
    double* threshold          # (N,)
    double* weights            # (N, d): of hyperplanes; multivariate problems only
    int* in_degree             # (N,): arcs from active nodes; the root has 1

cdef struct Routing:
    char* side                 # (N, n): 1 where the sample would take the positive side
    double* value              # (N, n): cost of the sample if it started at the node
    int* at                    # (L, n): the node of that layer on the sample's path, or -1

cdef struct Hashes:
    unsigned long long* side   # (N,): of the node's sides
    unsigned long long* value  # (N,): of the node's values, made of its sides' and its targets'
    unsigned long long* arc    # (N, 2): of the samples on the arc

cdef struct RowActivity:       # with constraints only
    int* leaf_class            # (N, n): class that the sample ends in if it starts at the node; not for node limits alone
    int* compact_slot          # (N,): slot of an active node when the free slots of its layer come last
    double* activity           # (R,): of each row
    double* arc_flow           # (N, 2): weight of the samples on each side

cdef struct Totals:
    int n_active
    double objective           # with constraints: the unpenalised one and the penalty of violated rows
    double unpenalised         # cost and price of nodes
    double penalty
    double violation           # largest of a hard row
    bint root_splits           # samples leave the root on both sides

cdef struct DiagramState:
    Topology graph
    Routing routing
    Hashes hashes
    RowActivity rows
    Totals totals
    char* memory               # all arrays above, in one block
    size_t size                # of the block, in bytes

cdef void lay_out_state(DiagramState* state, const SearchTable* table, Arena* arena) noexcept nogil
cdef void copy_state(DiagramState* target, const DiagramState* source) noexcept nogil
cdef void count_in_degrees(const SearchTable* table, DiagramState* state) noexcept nogil
cdef int count_orphans(const SearchTable* table, const DiagramState* state, int node, int* degree) noexcept nogil
cdef void project_samples(const SearchTable* table, const DiagramState* state, int node, double* key) noexcept nogil
cdef void set_sides(const SearchTable* table, DiagramState* state, int node, double* key) noexcept nogil
cdef void set_values(const SearchTable* table, DiagramState* state, int node) noexcept nogil
cdef void route_samples(const SearchTable* table, DiagramState* state, int from_layer) noexcept nogil
cdef bint collapse_idle_nodes(const SearchTable* table, DiagramState* state) noexcept nogil
cdef bint node_keeps_margin(
    const SearchTable* table, const DiagramState* state, int node, const int* members, int count, double* key
) noexcept nogil


cdef inline unsigned long long target_hash(const SearchTable* table, const DiagramState* state, int target) noexcept nogil:
    """Return a hash of what every sample costs at the target."""
    return state.hashes.value[target] if target < table.N else <unsigned long long>target + table.hashing.salt


cdef inline const double* value_row(const SearchTable* table, const DiagramState* state, int target) noexcept nogil:
    """Return the cost of every sample if it continued at the target, a node or a terminal."""
    if target < table.N:
        return state.routing.value + <Py_ssize_t>target * table.n
    return table.costs.cost + <Py_ssize_t>(target - table.N) * table.n


cdef inline bint no_row_violated(const SearchTable* table, const DiagramState* state) noexcept nogil:
    """Return whether the constraints are satisfied, so that a move that is of no use without them is of no use at all."""
    return not has_constraints(table) or state.totals.penalty == 0.0
