"""The training problem and one diagram on it, as C arrays: what every move of the search reads and writes.

Nodes are the skeleton's slots 0 .. N-1, layer by layer; `N + c` is the terminal of class c. A slot that no arc reaches is
inactive. `child[2 * v]` is the negative target of v, `child[2 * v + 1]` the positive one. Prices and costs are in units of
sample weight (the objective times the total weight).
"""

from oddlearn.kernels.local_search.constraint_arrays cimport Rules

cdef enum:
    EVERYTHING_POSITIVE = -1   # feature of a split that sends every sample to the positive side
    MOST_BINS = 64
    HYPERPLANE = -2            # feature of a split along a direction: see State.weights

cdef struct Table:
    int n, d, C, N, L
    bint tree_only, oblique
    double price, margin, tolerance
    const double* columns      # (d, n): feature values, unit box
    const int* order           # (d, n): samples by increasing value of each feature
    const double* ordered      # (d, n): the values in that order
    const int* rank            # (d, n): position of each sample in it
    const int* joined          # (d, n): in that order, 32767 where the next value is the same; NULL where costs are not whole
    const int* n_bins          # (d,): number of distinct values, 0 where there are more than MOST_BINS
    const unsigned char* bins  # (d, n): which of them the sample has
    const double* bin_values   # (d, MOST_BINS)
    const int* common          # (d,): the value that most samples have
    const int* rare            # samples that have another, feature by feature
    const Py_ssize_t* rare_first  # (d + 1,): where each feature's begin
    const double* cost         # (C, n): cost of sending the sample to the class
    const int* label           # (n,): the class that costs nothing where all others cost the same; NULL if of no use
    const double* weight       # (C, n): sample weight by true class
    const int* layer           # (N,)
    const int* first           # (L + 1,): first slot of each layer
    const double* chalk        # (n,): a random number for every sample, to take fingerprints with
    const unsigned long long* tags  # (n,): the same, as whole numbers that may overflow
    unsigned long long salt    # of fingerprints: another for other costs
    Rules* rules               # NULL without constraints

cdef struct State:
    int* child                 # (N, 2)
    int* feature               # (N,)
    double* threshold          # (N,)
    double* weights            # (N, d), hyperplanes only
    char* side                 # (N, n): 1 where the sample would take the positive side
    double* value              # (N, n): cost of the sample if it started at the node
    int* at                    # (L, n): the node of that layer on the sample's path, or -1
    int* indegree              # (N,): arcs from active nodes; the root has 1
    unsigned long long* side_print   # (N,): fingerprint of the node's sides
    unsigned long long* value_print  # (N,): fingerprint of the node's values, made of its sides' and its targets'
    unsigned long long* arc_print    # (N, 2): fingerprint of the samples on the arc
    int n_active
    double objective           # with constraints: the plain one and the penalty of broken rows
    # with constraints only
    double plain               # cost and price of nodes
    double penalty
    double excess              # largest distance of a hard row to its limits
    bint parted                # samples leave the root on both sides
    int* ends                  # (N, n): class that the sample ends in if it starts at the node
    int* rank                  # (N,): slot of an active node when the free slots of its layer come last
    double* activity           # (R,): of each row
    double* flow               # (N, 2): weight of the samples on each side

cdef State* new_state(const Table* table) noexcept nogil
cdef void free_state(State* state) noexcept nogil
cdef void copy_state(const Table* table, State* target, const State* source) noexcept nogil
cdef void make_constant(const Table* table, State* state) noexcept nogil
cdef void activate(const Table* table, State* state) noexcept nogil
cdef int orphans(const Table* table, const State* state, int node, int* degree) noexcept nogil
cdef void set_sides(const Table* table, State* state, int node, double* key) noexcept nogil
cdef void set_values(const Table* table, State* state, int node) noexcept nogil
cdef void locate(const Table* table, State* state, int from_layer) noexcept nogil
cdef void settle(const Table* table, State* state) noexcept nogil
cdef bint collapse(const Table* table, State* state) noexcept nogil
cdef void project(const Table* table, const State* state, int node, double* key) noexcept nogil
cdef bint keeps_margin(const Table* table, const State* state, int node, const int* members, int count, double* key) noexcept nogil

cdef inline bint is_ruled(const Table* table) noexcept nogil:
    """Whether moves must look at constraint rows."""
    return table.rules != NULL and not table.rules.counts_only


cdef inline unsigned long long mix_print(unsigned long long print, unsigned long long other) noexcept nogil:
    """The fingerprint with another one in it."""
    print = (print ^ other) * 0x9E3779B97F4A7C15ULL
    return print ^ (print >> 29)


cdef inline unsigned long long mix(unsigned long long print, double number) noexcept nogil:
    """The fingerprint with one more number in it."""
    cdef unsigned long long bits = (<unsigned long long*>&number)[0]
    return mix_print(print, bits)


cdef inline unsigned long long print_of(const Table* table, const State* state, int target) noexcept nogil:
    """Fingerprint of what the target costs."""
    return state.value_print[target] if target < table.N else <unsigned long long>target + table.salt


cdef inline const double* value_row(const Table* table, const State* state, int target) noexcept nogil:
    """Cost of every sample if it continued at the target, a node or a terminal."""
    if target < table.N:
        return state.value + <Py_ssize_t>target * table.n
    return table.cost + <Py_ssize_t>(target - table.N) * table.n
