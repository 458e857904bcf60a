"""Groups of rows closer to each other than the margin, which no hyperplane separates."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget

# with more candidates no pairs are searched: only equal rows, which the data has merged, are inseparable
MAX_CANDIDATES = 20_000

# size of the table: one sweep over a larger one would take more than half a second
MAX_ENTRIES = 4_000_000

SWEEP_SECONDS = 2.5e-7  # seconds of a sweep per entry
MAX_PAIRS = 20_000_000  # with more pairs the list would not fit in memory


def inseparable_groups(problem: TrainingProblem, budget: Budget) -> IntArray:
    """Return a group id per distinct row; rows of a group take the same path through every diagram.

    Two rows that differ by less than the margin in every feature take the same side of every hyperplane, as
    ``|a.x - a.y| <= |a|_1 * max|x - y|``; so do rows linked by a chain of such pairs. Univariate splits can
    separate any two distinct rows. If there is no time to search, every row is a group of its own.
    """
    X = problem.data.X
    # twice the tolerance: evaluate accepts a margin that is too small by one
    radius = problem.margin - 2 * MARGIN_TOLERANCE
    is_slow = X.size > MAX_ENTRIES or X.size * SWEEP_SECONDS > budget.remaining()
    if radius <= 0 or is_slow:
        return np.arange(X.shape[0])
    pairs = close_pairs(X, radius)
    shape = (X.shape[0], X.shape[0])
    links = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=shape)
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def close_pairs(X: FloatArray, radius: float) -> IntArray:
    """Return pairs of rows within the radius in every feature, shape (n_pairs, 2); none if too many."""
    block = single_linkage_blocks(X, radius)
    candidates = np.flatnonzero(np.bincount(block)[block] > 1)
    none = np.empty((0, 2), dtype=np.intp)
    if not 0 < candidates.size <= MAX_CANDIDATES:
        return none
    # block ids as one more feature, 1 apart, keep the blocks apart in the tree
    tree = cKDTree(np.column_stack([block[candidates], X[candidates]]))
    if tree.count_neighbors(tree, radius, p=np.inf) > MAX_PAIRS:
        return none
    pairs = tree.query_pairs(radius, p=np.inf, output_type="ndarray")
    return np.asarray(candidates[pairs])


def inseparable_row_costs(problem: TrainingProblem, budget: Budget) -> FloatArray:
    """Return the cost of assigning each inseparable group to each class, shape (n_groups, n_classes)."""
    groups = inseparable_groups(problem, budget)
    columns = [np.bincount(groups, weights=column) for column in problem.cost.T]
    return np.column_stack(columns)


def single_linkage_blocks(X: FloatArray, radius: float) -> IntArray:
    """Return a block id per row of X (n, d); rows within the radius in every feature share a block.

    Along each feature a block is divided where the next value is farther than the radius. Smaller blocks
    have more such places, so this is repeated until a sweep over the features divides nothing.
    """
    block = np.zeros(X.shape[0], dtype=np.intp)
    count = 0
    while count < block.max(initial=0) + 1:
        count = int(block.max(initial=0)) + 1
        for column in X.T:
            candidates = np.flatnonzero(np.bincount(block)[block] > 1)
            if candidates.size == 0:
                break
            divided = _divide_blocks(block[candidates], column[candidates], radius)
            block[candidates] = block.max() + 1 + divided
        block = np.unique(block, return_inverse=True)[1].reshape(-1)
    return block


def _divide_blocks(block: IntArray, values: FloatArray, radius: float) -> IntArray:
    """Return new block ids, divided where values (n,) of one block are farther apart than the radius."""
    order = np.lexsort((values, block))
    starts = (np.diff(block[order]) != 0) | (np.diff(values[order]) > radius)
    divided = np.empty(block.size, dtype=np.intp)
    divided[order] = np.concatenate([[0], np.cumsum(starts)])
    return divided
