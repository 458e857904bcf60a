"""The sweep over pairs of levels against a plain one, for each kind of number."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from tests.solve.branch_and_bound.drawn import noise_of, tree_value
from tests.solve.branch_and_bound.oracle import best_two_levels

KINDS = {"int16": (1.0, 20), "int32": (1.0, 400_000), "float64": (0.37, 20)}


def columns(random, shape, n):
    """Values of each kind: all different, few, bits, nearly all equal, or close together."""
    return {
        "distinct": random.random((n, 3)),
        "grid": random.integers(0, 5, (n, 3)) / 4,
        "bits": random.integers(0, 2, (n, 4)).astype(float),
        "rare": (random.random((n, 4)) < 0.1).astype(float) + (random.random((n, 4)) < 0.05),
        "close": 1 + random.integers(0, 30, (n, 2)) * 2.0**-52,
        "equal": np.hstack([np.full((n, 1), 0.5), random.integers(0, 2, (n, 1))]),
    }[shape]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("shape", ["distinct", "grid", "bits", "rare", "close", "equal"])
def test_two_levels_are_those_of_a_plain_sweep(kind, n_classes, shape):
    for seed in range(3):
        random = np.random.default_rng([seed, n_classes])
        problem = build(random, columns(random, shape, 24), n_classes, *KINDS[kind])
        assert WeightedItems.from_problem(problem).narrow[0].dtype == np.dtype(kind)
        prices = np.array([random.random() * 0.2, random.random()]) * (0.0, 0.5, 2.0)[seed]
        prices *= problem.cost.max()
        expected = best_two_levels(problem.data.X, problem.cost, prices)
        assert tree_value(problem, prices) == pytest.approx(expected, abs=noise_of(problem))


def build(random, X, n_classes, unit, most):
    costs = random.integers(1, most, (n_classes, n_classes)) * unit
    np.fill_diagonal(costs, 0.0)
    weights = random.integers(1, 3, len(X)) * (1.0 if unit == 1.0 else 0.731)
    data = TrainingData.collect(X, random.integers(0, n_classes, len(X)), n_classes, weights)
    return build_problem(data, Skeleton((1,)), 0.1, "univariate", cost_matrix=costs)


@pytest.mark.parametrize("weight", [31_000.0, 33_000.0, 1.9e9, 2.1e9])
def test_sums_at_the_limits_of_narrow_numbers_do_not_overflow(weight):
    """One heavy row and light ones: the widest sum is next to the largest number of its kind."""
    X = np.array([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]])
    for heavy in range(6):
        weights = np.ones(6)
        weights[heavy] = weight
        for codes, n_classes in (([0, 1, 0, 1, 0, 1], 2), ([0, 1, 2, 0, 1, 2], 3)):
            data = TrainingData.collect(X, np.array(codes), n_classes, weights)
            problem = build_problem(data, Skeleton((1,)), 0.1, "univariate")
            expected = best_two_levels(X, problem.cost, [0.0, 0.25])
            assert tree_value(problem, [0.0, 0.25]) == pytest.approx(expected)


def test_more_splits_than_lanes_are_scored_in_batches():
    random = np.random.default_rng(0)
    X = random.random((70, 2))
    codes = ((X[:, 0] * 10).astype(int) + (X[:, 1] > 0.5)) % 2
    for n_classes in (2, 3):
        problem = build_problem(TrainingData.collect(X, codes, n_classes), Skeleton((1,)), 0.1, "univariate")
        expected = best_two_levels(problem.data.X, problem.cost, [0.0, 0.5])
        assert tree_value(problem, [0.0, 0.5]) == pytest.approx(expected)
