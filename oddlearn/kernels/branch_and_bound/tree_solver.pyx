"""Memory and structure of the search for optimal trees."""

from libc.math cimport INFINITY
from libc.stdlib cimport realloc

from oddlearn.kernels.branch_and_bound.row_sets cimport lay_out_row_set
from oddlearn.kernels.branch_and_bound.similarity_cache cimport clear_cache, lay_out_cache
from oddlearn.kernels.branch_and_bound.transposition_table cimport clear_table, lay_out_table
from oddlearn.kernels.common.arena cimport take

cdef enum:
    LAST_EPOCH = 2000          # epochs and levels share the bits of a code: 2000 * 2 ** MAX_LEVELS is below 2 ** 31
    BYTES_PER_MASK = 32        # of an item: one vector


cdef void lay_out_tree_solver(TreeSolver* solver, int log_entries, Arena* arena) noexcept nogil:
    """Take memory for the levels, the caches and the vector code; items and levels are set."""
    cdef Py_ssize_t n = solver.items.n
    cdef int level
    for level in range(solver.max_levels):
        lay_out_row_set(&solver.items, &solver.rows[level], arena)
        lay_out_cache(&solver.items, &solver.caches[level], arena)
    lay_out_row_set(&solver.items, &solver.all_rows, arena)
    lay_out_table(&solver.table, log_entries, arena)
    solver.ranges[0] = <SplitRange*>take(arena, (n + 1) * sizeof(SplitRange))
    solver.ranges[1] = <SplitRange*>take(arena, (n + 1) * sizeof(SplitRange))
    solver.lanes.side = take(arena, n * BYTES_PER_MASK)


cdef void set_structure(TreeSolver* solver, int levels, const double* prices, const int* max_one_child) noexcept nogil:
    """Set the levels of the present problem, and give what lies below each a code."""
    cdef TreeStructure* structure = &solver.structure
    cdef int level, code = 1, n_leaves = 1
    cdef bint is_wide = False      # some level from the second below on has room for two children
    structure.levels = levels
    for level in range(levels - 1, -1, -1):
        structure.price[level] = prices[level]
        structure.least_price[level] = min(prices[level], structure.least_price[level + 1] if level + 1 < levels else INFINITY)
        structure.max_one_child[level] = max_one_child[level]
        # one side is a leaf where the next level has one child
        n_leaves += 1 if level + 1 < levels and max_one_child[level + 1] else n_leaves
        n_leaves = min(n_leaves, solver.items.n_classes)
        structure.n_leaves[level] = n_leaves
        structure.code[level] = code + structure.epoch * (1 << MAX_LEVELS)
        code = 2 * code + max_one_child[level]
        # chains of levels with one child gain as much from a split at their end
        structure.may_pass_through[level] = level + 1 < levels and max_one_child[level + 1] and is_wide
        is_wide = is_wide or (level + 1 < levels and not max_one_child[level + 1])


cdef void clear_bounds(TreeSolver* solver) noexcept nogil:
    """Make all stored bounds unusable: those of another epoch have other codes."""
    cdef int level
    solver.structure.epoch += 1
    if solver.structure.epoch == LAST_EPOCH:
        solver.structure.epoch = 0
        clear_table(&solver.table)
        for level in range(solver.max_levels):
            clear_cache(&solver.caches[level])


cdef void record_split(TreeSolver* solver, int level, const SplitBound* split, double* best,
                       SplitBound* kept) noexcept nogil:
    """Record a split that is better than the best: as the new best, or in the list of all."""
    cdef SplitList* split_list = solver.split_list
    cdef SplitBound* larger
    cdef size_t capacity, n_bytes
    if split_list == NULL or solver.listed_level != level:
        best[0] = split.value
        kept[0] = split[0]
        return
    if split_list.n == split_list.capacity:
        capacity = 2 * split_list.capacity + 64
        n_bytes = capacity * sizeof(SplitBound)
        larger = NULL
        # the old memory may be needed until the new one is filled
        if solver.list_bytes + n_bytes <= solver.max_list_bytes:
            larger = <SplitBound*>realloc(split_list.splits, n_bytes)
        if larger == NULL:
            solver.stopped = solver.is_out_of_memory = True
            return
        solver.list_bytes += n_bytes - split_list.capacity * sizeof(SplitBound)
        split_list.splits = larger
        split_list.capacity = capacity
    split_list.splits[split_list.n] = split[0]
    split_list.n += 1


cdef SplitRange find_block(const RowSet* rows, int n_blocks, int block) noexcept nogil:
    """Return one of several blocks of the listed splits, divided by the largest costs of their negative sides.

    The block of a split depends on the set and the split alone, not on which others are listed: solvers that have
    one block each have every split between them.
    """
    cdef SplitRange range_
    cdef double start = rows.base * block / n_blocks, end = rows.base * (block + 1) / n_blocks
    cdef int first = 0, last = <int>rows.n_splits - 1
    while block > 0 and first <= last and rows.split_base[first] < start:
        first += 1
    while block < n_blocks - 1 and last >= first and rows.split_base[last] >= end:
        last -= 1
    range_.first, range_.last, range_.negative, range_.positive = first, last, 0, 0
    return range_
