"""The state of the search for trees with a price per node: items, one set of rows per depth, the cache, the time."""

from oddlearn.kernels.branch_and_bound.price_cache cimport PriceCache
from oddlearn.kernels.branch_and_bound.price_sets cimport Cost, Hash, PriceProblem, PriceSet
from oddlearn.kernels.branch_and_bound.price_similar cimport SimilarSets
from oddlearn.kernels.common.clock cimport monotonic

cdef enum:
    MAX_PRICE_DEPTH = 250      # sets on one path: a frame of the recursion each
    MAX_STUMP_SLOTS = 128      # splits of a feature whose stumps are kept for their neighbours

cdef enum StopReason:
    NOT_STOPPED = 0
    ASKED_TO_STOP = 1          # by the caller, the deadline or the limit on work
    OUT_OF_MEMORY = 2
    TOO_DEEP = 3

# Stumps of the splits of one feature that were evaluated: a bound for each side and each active feature.
cdef struct StumpMemory:
    Py_ssize_t n_slots, n_active
    int* slot_of               # (splits of the feature,): -1 where not evaluated
    Cost* bound                # (slots, 2, n_active)
    size_t capacity            # bytes

# The best tree found for a set.
cdef struct BestTree:
    Cost upper                 # its cost
    int split                  # -1: a leaf
    Cost side_upper[2]

cdef struct PriceSolver:
    PriceProblem problem
    PriceCache cache
    SimilarSets similar
    PriceSet sets[MAX_PRICE_DEPTH]
    StumpMemory stumps[MAX_PRICE_DEPTH]
    BestTree best[MAX_PRICE_DEPTH]
    unsigned char* is_in       # (n,)
    Cost* prefix               # (n, 2): scratch of scan_classes
    int* end_gain              # (2 d, 2): scratch of price_boxes
    Py_ssize_t* stamp_of       # (n,): scratch of price_boxes
    Py_ssize_t stamp
    size_t bytes, max_bytes    # of the sets on the path
    double deadline, work, max_work, next_check
    StopReason stopped
    Py_ssize_t n_solved, n_evaluated

cdef inline bint must_stop(PriceSolver* solver) noexcept nogil:
    """Return True when the time or the work is over, or when it was stopped for another reason."""
    if solver.stopped == NOT_STOPPED and solver.work >= solver.next_check:
        if solver.work >= solver.max_work or monotonic() >= solver.deadline:
            solver.stopped = ASKED_TO_STOP
        solver.next_check = min(solver.max_work, solver.work + 2e5)
    return solver.stopped != NOT_STOPPED
