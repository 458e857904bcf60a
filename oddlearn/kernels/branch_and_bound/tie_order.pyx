"""Ties between trees: of the best splits of a set the one with the first feature, and there with the least rank."""

from libc.math cimport INFINITY

from oddlearn.kernels.branch_and_bound.row_sets cimport RowSet
from oddlearn.kernels.branch_and_bound.split_lists cimport drop_dominated_splits, first_open_after, list_splits
from oddlearn.kernels.branch_and_bound.tree_search cimport NO_LEAF, bound_both_sides
from oddlearn.kernels.branch_and_bound.tree_solver cimport is_late


cdef int find_first_rank(TreeSolver* solver, int level, const SplitBound* best, double value) noexcept nogil:
    """Return the least rank at which the feature of the best split has a split of the same value.

    Which split of several is found first depends on the cutoff and on the bounds that are known; which is the first
    feature does not.
    """
    cdef RowSet* rows = &solver.rows[level]
    cdef double total, unused = INFINITY, price = solver.structure.price[level]
    cdef SplitBound split
    cdef int q = 0
    cdef bint exact
    list_splits(&solver.items, rows, best.feature)
    drop_dominated_splits(&solver.items, rows, False, INFINITY)
    while q < rows.n_splits and rows.split_rank[q] < best.rank and not is_late(solver):
        split.negative = split.positive = 0
        exact = bound_both_sides(solver, level, best.feature, q, NO_LEAF, value + 2 * solver.tolerance, &split)
        total = price + split.negative + split.positive
        if exact and total <= value + solver.tolerance and not solver.stopped:
            return rows.split_rank[q]
        q = first_open_after(rows, q, <int>rows.n_splits - 1, total, value + solver.tolerance, &unused)
    return best.rank
