"""Rows closer to each other than the margin, which share a leaf."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget

# neighbours are searched among this many rows; if more are candidates, only equal rows, which the data has
# merged, count as conflicts
MOST_ROWS = 20_000

# larger tables are not sieved for candidates at all: one sweep would take more than half a second
MOST_ENTRIES = 4_000_000

# a sweep takes about this long per entry
SIEVE_SECONDS = 2.5e-7

# pairs of neighbours are listed up to here: beyond it the list would not fit in memory
MOST_PAIRS = 20_000_000


def inseparable_groups(problem: TrainingProblem, budget: Budget) -> IntArray:
    """Return a group id per distinct row; rows of a group take the same way through every diagram.

    Two rows that differ by less than the margin in every feature take the same side of every hyperplane, as
    ``|a.x - a.y| <= |a|_1 * max|x - y|``; so do rows joined by a chain of such pairs. Univariate splits can
    part any two distinct rows. Without the time to look, every row is a group of its own.
    """
    X = problem.data.X
    # twice the tolerance: evaluate forgives a shortfall of one
    radius = problem.margin - 2 * MARGIN_TOLERANCE
    is_slow = X.size > MOST_ENTRIES or X.size * SIEVE_SECONDS > budget.remaining()
    if radius <= 0 or is_slow:
        return np.arange(X.shape[0])
    pairs = close_pairs(X, radius)
    shape = (X.shape[0], X.shape[0])
    links = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=shape)
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def close_pairs(X: FloatArray, radius: float) -> IntArray:
    """Return pairs of rows within the radius in every feature, shape (n_pairs, 2); none if too many."""
    block = chained_blocks(X, radius)
    crowded = np.flatnonzero(np.bincount(block)[block] > 1)
    nothing = np.empty((0, 2), dtype=np.intp)
    if not 0 < crowded.size <= MOST_ROWS:
        return nothing
    # block ids as one more feature, 1 apart, keep the blocks apart in the tree
    tree = cKDTree(np.column_stack([block[crowded], X[crowded]]))
    if tree.count_neighbors(tree, radius, p=np.inf) > MOST_PAIRS:
        return nothing
    pairs = tree.query_pairs(radius, p=np.inf, output_type="ndarray")
    return np.asarray(crowded[pairs])


def grouped_costs(problem: TrainingProblem, budget: Budget) -> FloatArray:
    """Return the cost of giving each inseparable group each class, shape (n_groups, n_classes)."""
    groups = inseparable_groups(problem, budget)
    columns = [np.bincount(groups, weights=column) for column in problem.cost.T]
    return np.column_stack(columns)


def chained_blocks(X: FloatArray, radius: float) -> IntArray:
    """Return a block id per row of X (n, d); rows within the radius in every feature share a block.

    Along each feature a block is cut wherever no row follows within the radius. Smaller blocks have more
    such places, so this is repeated until a sweep over the features cuts nothing.
    """
    block = np.zeros(X.shape[0], dtype=np.intp)
    count = 0
    while count < block.max(initial=0) + 1:
        count = int(block.max(initial=0)) + 1
        for column in X.T:
            crowded = np.flatnonzero(np.bincount(block)[block] > 1)
            if crowded.size == 0:
                break
            block[crowded] = block.max() + 1 + _cut(block[crowded], column[crowded], radius)
        block = np.unique(block, return_inverse=True)[1].reshape(-1)
    return block


def _cut(block: IntArray, values: FloatArray, radius: float) -> IntArray:
    order = np.lexsort((values, block))
    starts = (np.diff(block[order]) != 0) | (np.diff(values[order]) > radius)
    cut = np.empty(block.size, dtype=np.intp)
    cut[order] = np.concatenate([[0], np.cumsum(starts)])
    return cut
