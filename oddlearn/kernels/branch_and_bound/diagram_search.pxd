"""The state of the search for diagrams with given numbers of nodes per layer."""

from libc.math cimport INFINITY

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_LEVELS, MAX_WIDTH
from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitBound, SplitList, TreeSolver
from oddlearn.kernels.common.arena cimport Arena

cdef enum:
    LEAF = -1                  # as a target or as the node of an item
    NO_FEATURE = -1            # of a node that passes its whole set on

# A split of the root: which it is, and which side must be a leaf.
cdef struct RootSplitKey:
    int feature
    int rank
    int leaf_side              # 0: none, 1: the negative side, 2: the positive side

cdef struct DiagramSearch:
    TreeSolver trees
    int width[MAX_LEVELS]
    bint tree_only             # flows do not meet
    double budget              # diagrams that cost less are searched for
    double leaf_costs[MAX_LEVELS]            # cost of the leaves above each layer
    double min_cost[MAX_LEVELS][MAX_WIDTH]   # bound of each node, by the flows that meet there
    int* node_of                             # (levels, items): node of each item in each layer, or LEAF
    SplitList lists[MAX_LEVELS][MAX_WIDTH]   # splits of each node below the budget, the best first
    SplitBound chosen[MAX_LEVELS][MAX_WIDTH]
    int target[MAX_LEVELS][2 * MAX_WIDTH]    # of the negative and the positive flow of each node
    const RootSplitKey* finished             # splits of the root to leave out
    Py_ssize_t n_finished
    Py_ssize_t n_searched                    # splits of the root that this call has searched to the end
    long long n_choices                      # splits that were tried at nodes
    double cost                              # of the diagram that was found

cdef void lay_out_diagram_search(DiagramSearch* search, int log_entries, Arena* arena) noexcept nogil
cdef void free_lists(DiagramSearch* search) noexcept nogil
cdef bint find_diagram(DiagramSearch* search, int n_layers) noexcept nogil
cdef void fill_last_layer(DiagramSearch* search) noexcept nogil


cdef inline RootSplitKey root_split_key(const SplitBound* split) noexcept nogil:
    """Return the key of a listed split; a side that must be a leaf has an infinite bound."""
    cdef RootSplitKey key
    key.feature, key.rank = split.feature, split.rank
    key.leaf_side = 1 if split.negative == INFINITY else 2 if split.positive == INFINITY else 0
    return key
