"""Sets that were solved bound similar ones, but not where a row that differs may forbid a cut."""

import numpy as np

from oddlearn.diagram import Skeleton
from oddlearn.problem import TrainingData, pose
from tests.branch.drawn import MARGIN, kernel_of
from tests.branch.oracle import best_tree_cost

LEVELS = 3


def test_a_set_with_a_crowded_row_more_says_nothing():
    """Below a cut of the first column a parity of the next two, above it one of the last two.

    A row in between closes the gap of the third column. With it, the lower rows cost 10 in two levels, and
    that cut is looked at first; without it they are similar, but cost nothing.
    """
    low, middle, high = 0.5, 0.5 + 0.6 * MARGIN, 0.5 + 1.2 * MARGIN
    below = [[0, 0, low, 0, 0], [0, 0, high, 0, 0], [0, 1, low, 0, 0], [0, 1, high, 0, 0]]
    above = [[1, 0, low, 0, 0], [1, 0, low, 0, 1], [1, 0, low, 1, 0], [1, 0, low, 1, 1]]
    x = np.array([*below, [0.5, 0, middle, 0, 0], *above])
    weights = np.array([10.0, 10.0, 10.0, 10.0, 1.0, 10.0, 10.0, 10.0, 10.0])
    data = TrainingData.collect(x, np.array([0, 1, 1, 0, 0, 0, 1, 1, 0]), 2, weights)
    problem = pose(data, Skeleton.parse("1"), 0.1, "univariate", MARGIN)
    prices, single = np.zeros(LEVELS), np.zeros(LEVELS, dtype=np.int32)
    assert best_tree_cost(problem, prices, single) == 0
    items, kernel = kernel_of(problem, LEVELS, SLACK=0.5)
    value, is_exact = kernel.bound(prices, single, items.own(5.0), 100.0)
    assert (items.total(value), is_exact) == (0.0, True)


def test_a_crowded_row_says_nothing_among_rows_that_cost_the_same_either():
    """The same picture with ten rows, told apart by noise, in the place of each row of weight 10."""
    low, middle, high = 0.5, 0.5 + 0.6 * MARGIN, 0.5 + 1.2 * MARGIN
    below = [[0, 0, low, 0, 0], [0, 0, high, 0, 0], [0, 1, low, 0, 0], [0, 1, high, 0, 0]]
    above = [[1, 0, low, 0, 0], [1, 0, low, 0, 1], [1, 0, low, 1, 0], [1, 0, low, 1, 1]]
    x = np.array([*np.repeat(below + above, 10, axis=0), [0.5, 0, middle, 0, 0]])
    noise = np.random.default_rng(5).permutation(len(x)) / len(x)
    codes = np.array([*np.repeat([0, 1, 1, 0, 0, 1, 1, 0], 10), 0])
    data = TrainingData.collect(np.column_stack([x, noise]), codes, 2)
    problem = pose(data, Skeleton.parse("1"), 0.1, "univariate", MARGIN)
    prices, single = np.zeros(LEVELS), np.zeros(LEVELS, dtype=np.int32)
    _, kernel = kernel_of(problem, LEVELS, SLACK=0.5)
    assert kernel.bound(prices, single, 5.0, 100.0) == (0.0, True)


def test_similar_sets_are_looked_at_once():
    """Noise without any structure: next to nothing is gained, and all cuts are alike."""
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((120, 4)), random.integers(0, 2, 120), 2)
    problem = pose(data, Skeleton.parse("1"), 0.1, "univariate", 1e-9)
    n_cuts = 4 * 119
    for levels, cutoff in ((4, 28.0), (5, 22.0)):
        single = np.array([0, *[1] * (levels - 1)], dtype=np.int32)
        _, kernel = kernel_of(problem, levels)
        bound, _ = kernel.bound(np.zeros(levels), single, cutoff, 100.0)
        assert bound >= cutoff
        # pairs of cuts alone would be n_cuts ** 2, 16 to a sweep
        assert kernel.sweeps < 3 * n_cuts
