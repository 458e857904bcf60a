"""Scratch memory of one search thread: the problem of one node, and what was found there before."""

from oddlearn.kernels.common.arena cimport Arena
from oddlearn.kernels.common.clock cimport monotonic
from oddlearn.kernels.common.rng cimport RngState
from oddlearn.kernels.local_search.diagram_state cimport DiagramState
from oddlearn.kernels.local_search.search_table cimport SearchTable

cdef enum:
    CACHE_BITS = 14            # entries of a hash table: 2 ** CACHE_BITS

cdef struct NodeSplit:
    double value               # cost of the node's samples plus prices of the targets
    int feature
    double threshold
    int negative, positive
    long long ties             # splits as good as this one, which was drawn among them

cdef struct NodeProblem:       # where to split the members in two, and where to send both sides
    int n_members, n_targets
    int* members               # (n,): samples at the node
    int* position              # (n,): index of the sample in members, or -1
    int* targets               # (N + C,)
    double* target_price       # (N + C,): price of a target that only this node uses
    double* costs              # (n, n_targets): cost of member i at target t
    double* total_costs        # (N + C,): of all members
    double* class_costs        # (max_targets, C): what the members of each class cost at each target
    int* all_targets           # (N + C,): the targets before some were dropped
    int n_all_targets
    unsigned long long hash    # of members, targets and costs

cdef struct SplitScratch:
    double* prefix             # (N + C,): cost of the members before the split
    int* sorted_members        # (n,): members in the order of a key
    double* keys               # (n,): their keys
    unsigned long long* marks  # one bit per sample, all 0 between two uses
    double* bin_sums           # (MAX_BINS, n_targets): cost by bin and target
    double* projection         # (n,): a key of every sample
    double* pair_costs         # (max_targets, max_targets): what members cost that choose freely between two targets
    int* match                 # (N + C,): position of a target among others

cdef struct GainScratch:
    double* class_weights      # (3, C): before the split, after it, in all
    int* features              # (d,): in random order
    double min_side_weight     # of each side of a split by information gain

cdef struct MoveScratch:
    int* in_degree             # (N,)
    int* redirected            # (N, 2): new targets of arcs
    char* is_frozen            # (N,): nodes that a descent leaves alone in its first round

cdef struct CachedSplit:       # a split found before, by the hash of its problem
    unsigned long long hash
    NodeSplit split            # targets as positions in the list of targets
    double limit               # where no split was found: none costs this much or less

cdef struct CachedNodeProblem:  # a problem that was solved at a node or an arc
    int n_members, n_targets   # n_targets is 0 while there is none
    int* members               # (n,)
    int* targets               # (max_targets,)
    double* target_price       # (max_targets,)
    double* costs              # (n_members, n_targets)
    double* split_bounds       # (d,): no split along the feature costs less

cdef struct SplitCaches:
    CachedSplit* splits        # (2 ** CACHE_BITS,)
    unsigned long long* no_improvement  # (2 ** CACHE_BITS,): hashes of moves that were of no use
    bint skips_no_improvement  # nothing is recorded there, for an ablation
    CachedNodeProblem* node_problems  # (N + 2 N,): of the nodes, then of the arcs; NULL where they are of no use

cdef struct StopClock:
    double deadline            # seconds on the monotonic clock
    const int* stop            # set from outside to end the work
    bint is_late
    double work                # done so far, in about a nanosecond each: see `count_work`

cdef struct DiagramCopies:
    DiagramState best          # the best diagram so far that keeps every margin and hard row
    DiagramState spare         # for moves that shift nodes between layers
    DiagramState undo          # the diagram before a move that may be taken back; constraints only

cdef struct ObliqueWorkspace:  # for hyperplanes; arrays of length m are about the members that prefer one of two targets
    int m                      # how many do
    int* decided               # (n,): which members
    int n_terms                # number of features that the weights being tried are of
    int* terms                 # (d,): these features, ascending; all where hyperplanes may have all terms
    double* columns            # (n_terms, m): values of these features
    double* normal             # (n_terms,): the weights being tried, absolute sum 1 when scanned
    double* best_normal        # (d,): the weights of the best split found along a direction
    double* dense              # (d,): scratch
    char* is_chosen            # (n_columns,): columns of the user among the terms
    double* slope              # (n_columns,): how much each column could reduce the loss of a regression
    double* distance           # (m,): signed, from the hyperplane
    double* change             # (m,): of the distance along the line searched
    double* preference         # (m,): what is saved on the positive side, never 0
    double* work               # (6 * (n + d + 1),)
    double* sort_key           # (n,)
    int* sort_id               # (n,)
    unsigned long long* tried_hash  # (N,): of the last problem without success, per node

cdef struct Int16Workspace:    # costs as small integers; costs is NULL where they are of no use
    short* costs               # (n, 8): of each sample at each target, negated in the last four if four lanes do; 0 if no member
    short total[8]             # the sum over all members
    short initial_sums[16]     # prices, and prices with that sum, as a path begins
    double scale               # what a cost was multiplied by
    bint fits_four_lanes       # four targets or less
    short* tied_with_next      # (n,): of the sorted members, as in the table

cdef struct ConstraintWorkspace:
    int* leaf_class            # (n, n_targets): class that each member ends in at each target
    double* base_activity      # (R,): of the rows without the members
    double* total_activity     # (n_targets, R): what all members add at each target
    double* prefix_activity    # (n_targets, R): what the members before the split add
    double* multiplier         # (R,)
    double* missing_flow       # (n_targets,): weight that each target needs from the members
    double* own_flow           # (N,): weight that it has from them now
    double flow                # weight of all members
    double min_side_flow       # of each side of the split

cdef struct Workspace:
    NodeProblem problem
    SplitScratch scratch
    GainScratch gain
    MoveScratch moves
    SplitCaches caches
    DiagramCopies copies
    ObliqueWorkspace oblique   # multivariate problems only
    Int16Workspace int16       # integer costs only
    ConstraintWorkspace constrained  # constraints only
    StopClock clock
    RngState rng

cdef void lay_out_workspace(Workspace* ws, const SearchTable* table, Arena* arena) noexcept nogil
cdef CachedNodeProblem* lay_out_cached_problems(const SearchTable* table, Arena* arena) noexcept nogil


cdef inline bint out_of_time(StopClock* clock) noexcept nogil:
    """Return whether the work must end now; once true it stays true."""
    if clock.is_late:
        return True
    clock.is_late = monotonic() >= clock.deadline or (clock.stop != NULL and clock.stop[0] != 0)
    return clock.is_late


cdef inline void count_work(Workspace* ws, double n_samples, double per_sample) noexcept nogil:
    """Count work on so many samples. It depends on nothing but the problem, unlike the time it takes."""
    ws.clock.work += per_sample * n_samples


cdef inline double between(double low, double high) noexcept nogil:
    """Return a threshold that puts `low` on the negative and `high` on the positive side."""
    cdef double middle = 0.5 * (low + high)
    return middle if middle > low else high


cdef inline bint is_known_useless(const SplitCaches* caches, unsigned long long hash) noexcept nogil:
    """Return whether the move with this hash is known not to improve the diagram."""
    return caches.no_improvement[hash >> (64 - CACHE_BITS)] == hash


cdef inline void record_useless(SplitCaches* caches, unsigned long long hash) noexcept nogil:
    """Remember that the move with this hash does not improve the diagram."""
    if not caches.skips_no_improvement:
        caches.no_improvement[hash >> (64 - CACHE_BITS)] = hash
