"""The state of the search for optimal trees: items, one set of rows per level, caches of bounds, and the time."""

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_LEVELS
from oddlearn.kernels.branch_and_bound.row_sets cimport ItemArrays, RowSet
from oddlearn.kernels.branch_and_bound.similarity_cache cimport SimilarityCache
from oddlearn.kernels.branch_and_bound.transposition_table cimport TranspositionTable
from oddlearn.kernels.common.arena cimport Arena
from oddlearn.kernels.common.clock cimport monotonic

# A split of a set, with bounds for its two sides; its value is their sum and the price of the split.
cdef struct SplitBound:
    double value
    double negative
    double positive
    int feature                # -1: no split
    int rank                   # the negative side has ranks up to this one

# A growing list; its memory is its own.
cdef struct SplitList:
    SplitBound* splits
    Py_ssize_t n, capacity

# Listed splits first..last of a feature that may still hold something better, and bounds for their sides.
cdef struct SplitRange:
    int first, last
    double negative, positive

# Gains in the narrowest numbers that hold all their sums, for vector code: see paired_stumps.h.
cdef struct LaneGains:
    int kind, n_lanes
    const void* signed_gain    # (n,): gain of class 0, or minus the gain of another class
    const void* gain           # (n,)
    void* side                 # (n, n_lanes): masks

# The levels of the trees that are searched for.
cdef struct TreeStructure:
    int levels
    int epoch                  # of prices
    double price[MAX_LEVELS]   # of a split
    bint max_one_child[MAX_LEVELS]     # a node of the level above has at most one child at this level
    int n_leaves[MAX_LEVELS]   # of the largest tree of a level's set, at most as many as there are classes
    double least_price[MAX_LEVELS]     # of a split at a level or below
    bint may_pass_through[MAX_LEVELS]  # a node of this level may be worth having that only passes its set on
    int code[MAX_LEVELS]       # what is allowed below a level, and at what prices, as a number

cdef struct TreeSolver:
    ItemArrays items
    LaneGains lanes
    TreeStructure structure
    double tolerance
    double side_slack          # how much more than needed is proved of a side with three levels: see `extra_cutoff`
    int max_levels             # levels there is memory for
    RowSet rows[MAX_LEVELS]
    RowSet all_rows
    SplitRange* ranges[2]
    TranspositionTable table
    SimilarityCache caches[MAX_LEVELS]  # of sets with so many levels below them
    int part, n_parts          # of the splits of the root that are searched: see `find_block`
    SplitList* split_list      # where all splits of one level below the cutoff go, if not NULL
    int listed_level
    double deadline
    double work, max_work      # done so far and allowed, in about a nanosecond each: see `count_work`
    int stopped
    size_t list_bytes, max_list_bytes  # of all lists of splits, and allowed
    bint is_out_of_memory      # what stopped it
    long long sweeps           # calls of the vector code

cdef void lay_out_tree_solver(TreeSolver* solver, int log_entries, Arena* arena) noexcept nogil
cdef void set_structure(TreeSolver* solver, int levels, const double* prices, const int* max_one_child) noexcept nogil
cdef void clear_bounds(TreeSolver* solver) noexcept nogil
cdef SplitRange find_block(const RowSet* rows, int n_blocks, int block) noexcept nogil
cdef void record_split(TreeSolver* solver, int level, const SplitBound* split, double* best,
                       SplitBound* kept) noexcept nogil


cdef inline bint is_late(TreeSolver* solver) noexcept nogil:
    """Return True if the search must end; once true it stays true."""
    if not solver.stopped and (solver.work >= solver.max_work or monotonic() >= solver.deadline):
        solver.stopped = True
    return solver.stopped


cdef inline void count_work(TreeSolver* solver, const RowSet* rows, double per_cell) noexcept nogil:
    """Count work on all features of a set. It depends on nothing but the problem, unlike the time it takes."""
    solver.work += per_cell * rows.n * (rows.n_active + 6)  # 6: what is done once for all features
