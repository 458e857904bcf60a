"""The desk of a search: scratch memory for the problem of one node, and what was found there before."""

from oddlearn.kernels.common.rng cimport Chance
from oddlearn.kernels.local_search.diagram_state cimport State, Table

cdef struct Cut:
    double value               # cost of the node's samples plus charges for the targets
    int feature
    double threshold
    int negative, positive
    long long ties

cdef struct Memory:            # a cut found before, under the fingerprint of its problem
    unsigned long long print
    Cut cut                    # targets as positions in the list on offer
    double limit               # where no cut was found: none costs this much or less

cdef struct Site:              # a problem that was solved at a node or an arc
    int n_members, T           # T is 0 while there is none
    int* members               # (n,)
    int* targets               # (widest,)
    double* charge             # (widest,)
    double* rows               # (n_members, T): cost of member i at target t
    double* least              # (d,): no cut along the feature costs less

cdef enum:
    MEMORY_BITS = 14
    MOST_FINDS = 4096

cdef struct Find:              # a new best diagram
    double when                # on the monotonic clock
    double objective
    int n_nodes

cdef struct Loom:              # scratch memory for hyperplanes; of the members, those that care for one of two targets
    int m                      # how many care
    int* caring                # (n,): which members
    double* columns            # (d, m): their feature values
    double* plane              # (d,): the weights being tried, absolute sum 1 when scanned
    double* best_plane         # (d,): the weights of the best cut found along a direction
    double* level              # (m,): signed distance from the plane
    double* slope              # (m,): its change along the line searched
    double* preference         # (m,): what is saved on the positive side, never 0
    double* work               # (6 * (n + d),)
    double* sort_key           # (n,)
    int* sort_id               # (n,)
    unsigned long long* tried  # (N,): fingerprint of the last problem without success, per node

cdef struct Steps:             # scratch memory for costs as small whole numbers
    short* cost                # (n, 8): of each sample at each target, with a minus in the last four if few; 0 if no member
    short every[8]             # the sum over all members
    short begin[16]            # charges, and charges with that sum, as a path begins
    double scale               # what a cost was multiplied by
    bint few                   # four targets or less
    int* joined                # (n,): of the run, as in the table

cdef struct Tally:             # scratch memory for constraint rows
    int* classes               # (n, T): class that each member ends in at each target
    double* base               # (R,): activity of the rows without the members
    double* total              # (T, R): what all members add at each target
    double* prefix             # (T, R): what the members before the place add
    double* pull               # (R,): multipliers
    double* need               # (T,): weight that each target needs from the members
    double* own                # (N,): weight that it has from them now
    double weight              # of all members
    double least_side          # least weight of each side of the cut

cdef struct Desk:              # scratch memory of one thread
    int n_members, T
    int* members               # (n,): samples at the node
    int* place                 # (n,): index in members, or -1
    int* targets               # (N + C,)
    double* charge             # (N + C,): price of a target that only this node uses
    double* rows               # (n, T): cost of member i at target t
    double* reach              # (n,): largest minus smallest cost of the member over the targets
    double* total              # (N + C,)
    double* prefix             # (N + C,)
    int* run                   # (n,): members in the order of a key
    double* keys               # (n,): their keys
    unsigned long long* marks  # one bit per sample, all 0 between two uses
    double* key                # (n,): a key of every sample
    double* sums               # (MOST_BINS, T): cost by bin and target
    double* weights            # (C, 3): class weights, for information gain
    int* degree                # (N,)
    int* shuffled              # (d,): features in random order
    int* redirected            # (N, 2): new targets of arcs
    Site* sites                # (N + 2 N,): of the nodes, then of the arcs; NULL where they would be of no use
    int* match                 # (N + C,): position of a target among others
    int* offered               # (N + C,): the targets before some were found to be of no use
    int n_offered
    double* shares             # (widest, C): what the members of each class cost at each target
    double* pairs              # (widest, widest): what members cost that choose between two targets
    Loom* loom                 # NULL for univariate problems
    Steps* steps               # NULL where costs are not whole numbers, or of no use
    Tally* tally               # NULL without constraints
    State* undo                # the diagram before a move that may be taken back; NULL without constraints
    double least_cut           # least weight of each side of a cut by information gain
    char* held                 # (N,): nodes that a descent leaves alone in its first round
    Memory* memory             # (2 ** MEMORY_BITS,)
    unsigned long long* settled  # (2 ** MEMORY_BITS,): fingerprints of moves that were of no use
    unsigned long long print   # fingerprint of the members, targets and costs on the desk
    Chance chance
    double deadline            # seconds on the monotonic clock
    const int* stop            # set from outside to end the work
    bint late
    State* spare               # a second copy, for moves that shift nodes between layers
    State* best                # the best diagram so far that keeps every margin
    Find finds[MOST_FINDS]     # how it came about
    int n_finds

cdef Desk* new_desk(const Table* table, Chance seed) noexcept nogil
cdef void free_desk(Desk* desk) noexcept nogil
cdef bint out_of_time(Desk* desk) noexcept nogil
cdef void seat_node(const Table* table, const State* state, Desk* desk, int node) noexcept nogil
cdef void seat_arc(const Table* table, const State* state, Desk* desk, int node, int side) noexcept nogil
cdef void offer_targets(const Table* table, const State* state, Desk* desk, int node, int layer) noexcept nogil
cdef double price_targets(const Table* table, const State* state, Desk* desk) noexcept nogil
cdef void fill_rows(const Table* table, const State* state, Desk* desk) noexcept nogil
cdef bint is_settled(const Desk* desk, unsigned long long print) noexcept nogil
cdef void mark_settled(Desk* desk, unsigned long long print) noexcept nogil
