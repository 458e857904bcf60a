"""Scratch memory of one search thread: every array listed once, for an arena."""

from oddlearn.kernels.common.arena cimport take
from oddlearn.kernels.local_search.diagram_state cimport lay_out_state
from oddlearn.kernels.local_search.search_table cimport MAX_BINS, max_targets

cdef enum:
    MAX_CACHED_NUMBERS = 8000000  # costs in all cached node problems together


cdef void lay_out_workspace(Workspace* ws, const SearchTable* table, Arena* arena) noexcept nogil:
    """Take all memory of the workspace but that of cached node problems."""
    lay_out_problem(&ws.problem, table, arena)
    lay_out_scratch(ws, table, arena)
    ws.caches.splits = <CachedSplit*>take(arena, (1 << CACHE_BITS) * sizeof(CachedSplit))
    ws.caches.no_improvement = <unsigned long long*>take(arena, (1 << CACHE_BITS) * sizeof(unsigned long long))
    lay_out_state(&ws.copies.best, table, arena)
    lay_out_state(&ws.copies.spare, table, arena)
    if table.oblique:
        lay_out_oblique(&ws.oblique, table, arena)
    if table.columns.tied_with_next != NULL:
        ws.int16.costs = <short*>take(arena, 8 * <size_t>table.n * sizeof(short))
        ws.int16.tied_with_next = <short*>take(arena, table.n * sizeof(short))
    if table.constraints != NULL:
        lay_out_state(&ws.copies.undo, table, arena)
        lay_out_constrained(&ws.constrained, table, arena)


cdef void lay_out_problem(NodeProblem* problem, const SearchTable* table, Arena* arena) noexcept nogil:
    """Take the arrays of a node's problem."""
    cdef size_t n = table.n, n_all = table.N + table.C, width = max_targets(table)
    problem.members = <int*>take(arena, n * sizeof(int))
    problem.position = <int*>take(arena, n * sizeof(int))
    problem.targets = <int*>take(arena, n_all * sizeof(int))
    problem.target_price = <double*>take(arena, n_all * sizeof(double))
    problem.costs = <double*>take(arena, n * width * sizeof(double))
    problem.total_costs = <double*>take(arena, n_all * sizeof(double))
    problem.class_costs = <double*>take(arena, width * table.C * sizeof(double))
    problem.all_targets = <int*>take(arena, n_all * sizeof(int))


cdef void lay_out_scratch(Workspace* ws, const SearchTable* table, Arena* arena) noexcept nogil:
    """Take the scratch arrays of splits and moves."""
    cdef size_t n = table.n, n_all = table.N + table.C, width = max_targets(table)
    cdef SplitScratch* scratch = &ws.scratch
    scratch.prefix = <double*>take(arena, n_all * sizeof(double))
    scratch.sorted_members = <int*>take(arena, n * sizeof(int))
    scratch.keys = <double*>take(arena, n * sizeof(double))
    scratch.marks = <unsigned long long*>take(arena, (n + 63) // 64 * sizeof(unsigned long long))
    scratch.bin_sums = <double*>take(arena, MAX_BINS * width * sizeof(double))
    scratch.projection = <double*>take(arena, n * sizeof(double))
    scratch.pair_costs = <double*>take(arena, width * width * sizeof(double))
    scratch.match = <int*>take(arena, n_all * sizeof(int))
    ws.gain.class_weights = <double*>take(arena, 3 * table.C * sizeof(double))
    ws.gain.features = <int*>take(arena, table.d * sizeof(int))
    ws.moves.in_degree = <int*>take(arena, table.N * sizeof(int))
    ws.moves.redirected = <int*>take(arena, 2 * table.N * sizeof(int))
    ws.moves.is_frozen = <char*>take(arena, table.N * sizeof(char))


cdef void lay_out_oblique(ObliqueWorkspace* oblique, const SearchTable* table, Arena* arena) noexcept nogil:
    """Take the arrays for hyperplanes."""
    cdef size_t n = table.n, d = table.d
    oblique.decided = <int*>take(arena, n * sizeof(int))
    oblique.columns = <double*>take(arena, n * d * sizeof(double))
    oblique.normal = <double*>take(arena, d * sizeof(double))
    oblique.best_normal = <double*>take(arena, d * sizeof(double))
    oblique.dense = <double*>take(arena, d * sizeof(double))
    oblique.terms = <int*>take(arena, d * sizeof(int))
    oblique.is_chosen = <char*>take(arena, table.n_columns)
    oblique.slope = <double*>take(arena, table.n_columns * sizeof(double))
    oblique.distance = <double*>take(arena, n * sizeof(double))
    oblique.change = <double*>take(arena, n * sizeof(double))
    oblique.preference = <double*>take(arena, n * sizeof(double))
    oblique.work = <double*>take(arena, 6 * (n + d + 1) * sizeof(double))
    oblique.sort_key = <double*>take(arena, n * sizeof(double))
    oblique.sort_id = <int*>take(arena, n * sizeof(int))
    oblique.tried_hash = <unsigned long long*>take(arena, table.N * sizeof(unsigned long long))


cdef void lay_out_constrained(ConstraintWorkspace* work, const SearchTable* table, Arena* arena) noexcept nogil:
    """Take the arrays for constraint rows."""
    cdef size_t width = max_targets(table), n_rows = table.constraints.R
    work.leaf_class = <int*>take(arena, table.n * width * sizeof(int))
    work.base_activity = <double*>take(arena, n_rows * sizeof(double))
    work.total_activity = <double*>take(arena, width * n_rows * sizeof(double))
    work.prefix_activity = <double*>take(arena, width * n_rows * sizeof(double))
    work.multiplier = <double*>take(arena, n_rows * sizeof(double))
    work.missing_flow = <double*>take(arena, (table.N + table.C) * sizeof(double))
    work.own_flow = <double*>take(arena, table.N * sizeof(double))


cdef CachedNodeProblem* lay_out_cached_problems(const SearchTable* table, Arena* arena) noexcept nogil:
    """Take room for one problem per node and arc; nothing where that is too much."""
    cdef Py_ssize_t n = table.n, width = max_targets(table), k
    cdef CachedNodeProblem cached
    cdef CachedNodeProblem* problems
    if 3 * table.N * n * width > MAX_CACHED_NUMBERS:
        return NULL
    problems = <CachedNodeProblem*>take(arena, 3 * table.N * sizeof(CachedNodeProblem))
    cached.n_members = cached.n_targets = 0
    for k in range(3 * table.N):
        cached.members = <int*>take(arena, n * sizeof(int))
        cached.targets = <int*>take(arena, width * sizeof(int))
        cached.target_price = <double*>take(arena, width * sizeof(double))
        cached.costs = <double*>take(arena, n * width * sizeof(double))
        cached.split_bounds = <double*>take(arena, table.d * sizeof(double))
        if problems != NULL:
            problems[k] = cached
    return problems
