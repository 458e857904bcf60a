"""Trees with a price per node where arrays of the kernel are full: features, and stumps that are kept."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from tests.kernels.test_price_trees import build_kernel, check_bounds, draw_problem, has_splits
from tests.oracles.any_depth import AnyDepth

MAX_STUMP_SLOTS = 128


@pytest.mark.parametrize("n_features", [15, 16, 17, 31, 32, 33])
def test_tables_of_many_features_have_the_best_of_all_trees(n_features):
    n_full = 0
    for seed in range(8):
        random, problem = draw_problem([seed, n_features], (9, 12), (n_features, n_features + 1), (3, 6))
        if has_splits(problem):
            items, kernel = build_kernel(problem, random)
            check_bounds(problem, items, kernel, random, AnyDepth(problem).least_cost())
            n_full += items.features.size == n_features
    assert n_full > 4


def draw_line(seed, n_rows):
    """Return a random problem with a column of distinct values and one of two, in the order of the first."""
    random = np.random.default_rng(seed)
    X = np.column_stack([np.arange(n_rows), random.integers(0, 2, n_rows)]).astype(float)
    n_classes = int(random.choice([2, 3]))
    data = TrainingData.collect(X, random.integers(0, n_classes, n_rows), n_classes)
    price = float(random.choice([3.0, 6.0, 12.5]) / n_rows)
    return random, build_problem(data, Skeleton.tree(3), None, "univariate", node_price=price)


def least_line_cost(problem):
    """Return the least cost of a tree: intervals of the first column, all of the second or one value."""
    n, price = problem.data.n_rows, problem.node_price * problem.total_weight
    assert (np.diff(problem.data.X[:, 0]) > 0).all()
    is_high = problem.data.X[:, 1] > 0.5
    # tree[kind][start, end]: kind 0 has both values of the second column, 1 and 2 the low and the high one
    prefix = [
        np.vstack([np.zeros(problem.data.n_classes), np.cumsum(problem.cost * mask[:, None], axis=0)])
        for mask in (np.ones(n), ~is_high, is_high)
    ]
    trees = np.zeros((3, n + 1, n + 1))
    for length in range(1, n + 1):
        starts = np.arange(n + 1 - length)
        ends = starts + length
        for kind in (1, 2, 0):
            best = (prefix[kind][ends] - prefix[kind][starts]).min(axis=1)
            middles = starts[:, None] + np.arange(1, length)
            if length > 1:
                sides = trees[kind][starts[:, None], middles] + trees[kind][middles, ends[:, None]]
                best = np.minimum(best, sides.min(axis=1) + price)
            if kind == 0:
                best = np.minimum(best, trees[1][starts, ends] + trees[2][starts, ends] + price)
            trees[kind][starts, ends] = best
    leaf = problem.cost.sum(axis=0).min()
    # the root is free
    middles = np.arange(1, n)
    roots = [trees[0][0, middles] + trees[0][middles, n], trees[1:, 0, n].sum()]
    return min(leaf, *(float(np.min(root)) for root in roots))


# without bounds between neighbours (2 + 4) the stumps of every split are evaluated
@pytest.mark.parametrize("disabled", [0, 2 + 4])
def test_features_of_more_splits_than_stumps_are_kept_have_the_best_of_all_trees(disabled):
    for seed in range(3):
        random, problem = draw_line([seed, disabled], 3 * MAX_STUMP_SLOTS // 2)
        truth = least_line_cost(problem)
        items, kernel = build_kernel(problem, random, disabled)
        check_bounds(problem, items, kernel, random, truth)


def test_the_least_cost_of_lines_is_that_of_all_trees():
    for seed in range(20):
        _, problem = draw_line(seed, 10)
        assert least_line_cost(problem) == pytest.approx(AnyDepth(problem).least_cost())
