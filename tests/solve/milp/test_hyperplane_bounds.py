"""Limits of hyperplanes in the model: for every routing there is one within them, and none is wider."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.milp.context import HyperplaneBounds, scale_ranks


def problem(seed, split, n_rows=9):
    random = np.random.default_rng(seed)
    X = random.random((n_rows, 4)).round(1) * [1.0, 3.0, 0.0, -2.0] + [0.0, -1.0, 0.7, 5.0]
    data = TrainingData.collect(X, random.integers(0, 2, n_rows), 2)
    return build_problem(data, Skeleton.parse("1-2"), 0.1, split, 0.01)


@pytest.mark.parametrize("seed", range(5))
def test_tight_bounds_are_the_largest_coordinates_from_the_middle(seed):
    posed = problem(seed, "multivariate")
    X, bounds = posed.data.X, HyperplaneBounds.from_problem(posed, False)
    assert bounds.features.tolist() == [0, 1, 3]  # a constant column has no weight
    used = X[:, [0, 1, 3]]
    assert np.array_equal(bounds.coordinates, used)
    middle = [(min(column) + max(column)) / 2 for column in used.T]
    assert bounds.centre == pytest.approx(middle)
    radius = [max(abs(value - centre) for value, centre in zip(row, middle, strict=True)) for row in used]
    assert bounds.radius == pytest.approx(radius)
    assert bounds.gap == pytest.approx(0.01 - 2e-9)
    assert (bounds.low, bounds.high) == pytest.approx((-max(radius), max(radius)))
    # what a row can miss a side by, over all weights of absolute sum 1 and all thresholds
    assert bounds.big_m_negative == pytest.approx(np.array(radius) + bounds.gap + max(radius))
    assert bounds.big_m_positive == pytest.approx(np.array(radius) + max(radius))
    random = np.random.default_rng(seed)
    for _ in range(200):
        weights = random.normal(size=3) * (random.random(3) < 0.6)
        weights /= max(1.0, np.abs(weights).sum())
        key, threshold = (used - middle) @ weights, random.uniform(bounds.low, bounds.high)
        assert (key + bounds.gap - threshold <= bounds.big_m_negative + 1e-12).all()
        assert (threshold - key <= bounds.big_m_positive + 1e-12).all()


def test_the_paper_bounds_are_those_of_the_unit_box():
    posed = problem(0, "multivariate")
    bounds = HyperplaneBounds.from_problem(posed, True)
    limit = np.abs(posed.data.X).max()
    assert bounds.features.tolist() == [0, 1, 2, 3] and not bounds.centre.any()
    assert bounds.radius == pytest.approx(np.abs(posed.data.X).sum(axis=1))
    assert (bounds.low, bounds.high) == (-limit, limit)
    data = TrainingData.collect(np.array([[0.2], [0.5]]), np.array([0, 1]), 2)
    small = build_problem(data, Skeleton.parse("1"), 0.1, "multivariate", 0.01)
    assert HyperplaneBounds.from_problem(small, True).high == 1.0


def test_one_row_has_a_threshold_at_its_gap():
    data = TrainingData.collect(np.array([[0.2]]), np.array([0]), 2)
    bounds = HyperplaneBounds.from_problem(
        build_problem(data, Skeleton.parse("1"), 0.1, "multivariate", 0.01), False
    )
    assert (bounds.low, bounds.high, bounds.radius.tolist()) == (0.0, bounds.gap, [0.0])


@pytest.mark.parametrize("seed", range(4))
def test_ranks_fill_the_box_and_differ_by_two_gaps_at_least(seed):
    posed = problem(seed, "univariate")
    scaled, gap = scale_ranks(posed.data.ranked_columns)
    largest = 1
    for column, given in zip(scaled.T, posed.data.X.T, strict=True):
        values, ranks = np.unique(given, return_inverse=True)
        assert column == pytest.approx(ranks / max(1, values.size - 1))
        largest = max(largest, values.size - 1)
    assert gap == pytest.approx(0.5 / largest)
    assert HyperplaneBounds.from_problem(posed, False).gap == gap
