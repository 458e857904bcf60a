"""The training problem as C arrays: what every move of the search reads.

Nodes are the skeleton's slots 0 .. N-1, layer by layer; `N + c` is the terminal of class c. Prices and costs are in units of
sample weight (the objective times the total weight).
"""

from libc.math cimport fmax

cpdef enum:
    EVERYTHING_POSITIVE = -1   # feature of a split that sends every sample to the positive side
    HYPERPLANE = -2            # feature of a split along a direction: see Topology.weights
    MAX_BINS = 64

cpdef enum:                    # what an ablation may turn off: bits of SearchTable.disabled
    NO_IMPROVEMENT_CACHE = 1
    SPLIT_CACHE = 2
    CACHED_NODE_PROBLEMS = 4
    INT16_BOUNDS = 8
    TRIED_HYPERPLANES = 16
    LABEL_SUMS = 32
    RARE_BINS = 64
    TARGET_ELIMINATION = 128
    COST_NOISE = 256
    FEW_MEMBERS = 512
    FOUR_LANES = 1024
    NARROW_LAYERS = 2048
    DESCENT_TARGET = 4096

cdef extern from *:
    """
    /* rounding of sums of sample weights, as a share of the limit */
    #define ODDLEARN_WEIGHT_ROUNDING 1e-9

    /* a row outside its limits by less is satisfied: below what `evaluate` allows, whose sums round differently */
    #define ODDLEARN_ROW_TOLERANCE 5e-10
    """
    const double ROW_TOLERANCE "ODDLEARN_ROW_TOLERANCE"
    const double WEIGHT_ROUNDING "ODDLEARN_WEIGHT_ROUNDING"

cdef struct Columns:
    const double* values       # (d, n): feature values; of multivariate problems in the unit box
    const int* order           # (d, n): samples by increasing value of each feature
    const float* sorted_values  # (d, n): the values in that order; NULL where they are looked up
    const int* rank            # (d, n): position of each sample in it
    const short* tied_with_next  # (d, n): in that order, INT16_INF where the next value is the same; NULL if int16 bounds are off

cdef struct Bins:
    const int* count           # (d,): number of distinct values, 0 where there are more than MAX_BINS
    const unsigned char* of_sample  # (d, n): which of them the sample has
    const double* values       # (d, MAX_BINS)
    const int* common          # (d,): the bin that most samples are in
    const int* rare            # samples in other bins, feature by feature
    const Py_ssize_t* rare_start  # (d + 1,): first of each feature

cdef struct Costs:
    const double* cost         # (C, n): cost of sending the sample to the class
    const int* label           # (n,): the class that costs nothing where all others cost the same; NULL if of no use
    const double* class_weight  # (C, n): sample weight by true class

cdef struct Layers:
    const int* of_node         # (N,)
    const int* first           # (L + 1,): first slot of each layer

cdef struct HashKeys:
    const double* weights      # (n,): a random number for every sample
    const unsigned long long* keys  # (n,): a random integer for every sample; sums may overflow
    unsigned long long salt    # another one for other costs

cdef struct ConstraintArrays:
    # Linear rows on the observables of `oddlearn.problem.observables`, by columns: assigned[i, c], reached[i, v],
    # positive[i, v], used[v], root_splits. A violated row adds its penalty times the violation to the objective.
    int R                      # rows
    int n_class_rows           # rows on assigned
    int n_node_limits
    bint node_limits_only      # all rows are limits on numbers of nodes, which growth respects: moves need no other care
    bint uses_paths            # some row is on reached or positive
    bint keeps_idle_nodes      # a node that decides nothing may be needed by a row
    const int* start           # (columns + 1,): nonzeros of each observable
    const int* row             # (nonzeros,)
    const double* coefficient  # (nonzeros,)
    const double* lower        # (R,)
    const double* upper        # (R,)
    double* penalty            # (R,): of hard rows it goes up and down with the search
    const double* base_penalty  # (R,)
    const unsigned char* is_hard  # (R,)
    const int* class_rows      # (n_class_rows,)
    # limits on numbers of nodes: sum of coefficients over the active nodes <= limit
    const double* node_limit_coefficient  # (n_node_limits, L)
    const double* node_limit   # (n_node_limits,)
    int extra_nodes            # nodes beyond the limits that a perturbation may add; a repair removes the cheapest ones
    # the minimum flow of a node and of each of its sides, by layer; 0 where there is none
    const double* flow_weight  # (n,)
    const double* min_flow     # (L,)
    const double* min_side_flow  # (L,)

cdef struct SearchTable:
    int n, d, C, N, L          # samples, features, classes, slots for nodes, layers
    bint tree_only, oblique
    double node_price, margin, tolerance
    unsigned int disabled      # what is turned off, for an ablation
    int max_terms              # of a hyperplane, counted on the user's columns; 0 for no limit
    int n_columns              # of the user
    const int* column_of       # (d,): the user's column that each feature comes from, ascending
    Columns columns
    Bins bins
    Costs costs
    Layers layers
    HashKeys hashing
    ConstraintArrays* constraints  # NULL without constraints


cdef inline bint has_constraints(const SearchTable* table) noexcept nogil:
    """Return whether moves must look at constraint rows."""
    return table.constraints != NULL and not table.constraints.node_limits_only


cdef inline Py_ssize_t max_targets(const SearchTable* table) noexcept nogil:
    """Return the largest number of targets that a node may choose from."""
    cdef Py_ssize_t width = 0
    cdef int l
    for l in range(table.L):
        width = max(width, table.layers.first[l + 1] - table.layers.first[l])
    return width + table.C


cdef inline double row_violation(const ConstraintArrays* constraints, int row, double activity) noexcept nogil:
    """Return how far a row with this activity is outside its limits."""
    cdef double violation = fmax(constraints.lower[row] - activity, activity - constraints.upper[row])
    return violation if violation > ROW_TOLERANCE else 0.0


cdef inline void add_observable(
    const ConstraintArrays* constraints, double* activity, Py_ssize_t column, double value
) noexcept nogil:
    """Add what an observable of this value does to the rows."""
    cdef int k
    for k in range(constraints.start[column], constraints.start[column + 1]):
        activity[constraints.row[k]] += value * constraints.coefficient[k]


cdef tuple read_arrays(SearchTable* table, arrays, seed)
cdef tuple read_constraints(ConstraintArrays* constraints, arrays)
