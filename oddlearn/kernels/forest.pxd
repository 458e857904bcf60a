"""The optimal tree with a price per depth, for whatever sets of items."""

from oddlearn.kernels.archive cimport Archive
from oddlearn.kernels.recall cimport Recall
from oddlearn.kernels.sorted_sets cimport Frame, Items

cdef enum:
    MOST_LEVELS = 20
    MOST_LANES = 16
    MAX_CLASSES = 64

# a cut of a set, with bounds for what lies on its two sides
cdef struct Cut:
    double value
    double negative
    double positive
    int feature
    int rank

# cuts that are looked at together, a vector lane each
cdef struct Round:
    int n
    int cut[MOST_LANES]                 # place in the list of cuts, where all are of one feature
    int interval[MOST_LANES]
    int feature[MOST_LANES]
    int rank[MOST_LANES]
    double base[MOST_LANES]             # of what lies on the negative side
    double total[MOST_LANES * MAX_CLASSES]
    double negative_leaf[MOST_LANES]
    double positive_leaf[MOST_LANES]
    # found out: bounds for the sides, and the value
    double negative[MOST_LANES]
    double positive[MOST_LANES]
    double value[MOST_LANES]

# cuts first..last of a feature that may still hold something better, and bounds for their sides
cdef struct Interval:
    int first, last
    double negative, positive

cdef class Forest:
    cdef Items items
    cdef object arrays             # what the items point into
    cdef int kind, lanes
    cdef const void* sign          # gains as narrow numbers: see stumps.h
    cdef const void* narrow_gain
    cdef void* sides               # (items, lanes): masks, of the type of the narrow numbers
    cdef void* room_for_sides
    cdef double tolerance
    cdef double slack              # how much more than needed is proved of a side with three levels: see `extra`
    cdef Frame* frames[MOST_LEVELS]
    cdef Frame* whole
    cdef Interval* intervals[2]
    cdef Recall* recall
    cdef Archive* archives[MOST_LEVELS]  # of sets with so many levels below them
    cdef int room                  # levels there are frames for
    cdef int levels                # of the present problem
    cdef double price[MOST_LEVELS]
    cdef int single[MOST_LEVELS]   # a node above has at most one child at this level
    cdef int passing[MOST_LEVELS]  # a node of this level may be worth having that only passes its set on
    cdef int below[MOST_LEVELS]    # what is allowed below a level, and at what prices, as a number
    cdef int epoch                 # of prices
    cdef double deadline
    cdef int stopped
    cdef readonly long long sweeps
    # the list of all cuts below the cutoff of one level, where it is asked for
    cdef int listing
    cdef Cut* cuts
    cdef Py_ssize_t n_cuts, room_for_cuts

    cdef take_narrow(self, sign, gain)
    cdef bint lacks_memory(self)
    cdef trace(self, int level, int place, double value, list splits)
    cdef void pose(self, int levels, const double* prices, const int* single) noexcept nogil
    cdef bint is_late(self) noexcept nogil
    cdef double solve(self, int level, double cutoff, Cut* best, int* exact) noexcept nogil
    cdef double passed_on(self, int level, double cutoff, int* exact) noexcept nogil
    cdef double split(self, int level, double cutoff, Cut* best) noexcept nogil
    cdef double two_levels(self, int level, Py_ssize_t feature, double* best, Cut* cut) noexcept nogil
    cdef void choose(self, const Interval* intervals, int n, Round* round) noexcept nogil
    cdef void put(self, int level, Py_ssize_t feature, Py_ssize_t cut, int lane, Round* round) noexcept nogil
    cdef void weigh(self, int level, Round* round) noexcept nogil
    cdef double together(self, int level, const Round* round, int k, double negative, double positive) noexcept nogil
    cdef double settle(self, int level, const Round* round, double* best, Cut* kept) noexcept nogil
    cdef bint has_few_cuts(self, int level, double cutoff) noexcept nogil
    cdef double few_cuts(self, int level, double* best, Cut* kept) noexcept nogil
    cdef void take(self, int level, const Cut* cut, double* best, Cut* kept) noexcept nogil
    cdef int keep_open(self, int level, const Round* round, const Interval* old, int before, int after,
                       double best, double* out, Interval* kept) noexcept nogil
    cdef double explore(self, int level, Py_ssize_t feature, int leaf_side, Interval range_, double* best,
                        Cut* cut) noexcept nogil
    cdef double side(self, int level, Py_ssize_t feature, Py_ssize_t cut, bint positive, double cutoff,
                     int* exact) noexcept nogil
    cdef double extra(self, int level) noexcept nogil
