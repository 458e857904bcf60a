"""Hyperplanes turned towards a regression: never a worse objective, the same topology, a wider view."""

from itertools import pairwise

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import costs_to_go
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.best_threshold import find_best_threshold
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.polish import (
    EVEN_DEVIATION,
    MAX_STRETCH,
    NodeSides,
    choose_stretch,
    regularise_hyperplanes,
    separate_nodes,
)
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import ignore
from tests.oracles.tiny import tiny_problem

SECONDS = 30.0


def blobs(seed, n=80):
    """Return two clouds that a hyperplane parts but for a few rows."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % 2
    X = random.normal(size=(n, 4)) + 1.2 * codes[:, None]
    low, high = X.min(axis=0), X.max(axis=0)
    data = TrainingData.collect((X - low) / (high - low), codes, 2)
    return build_problem(data, Skeleton.parse("1-2-2"), 0.1, "multivariate")


@pytest.mark.parametrize("seed", range(6))
def test_the_objective_and_the_topology_stay(seed):
    problem = blobs(seed)
    found = LocalSearch(seed=seed).search(problem, None, Budget.of(SECONDS, 20), ignore).diagram
    soft = regularise_hyperplanes(problem, found, Budget.of(SECONDS))
    assert evaluate(problem, soft).objective <= evaluate(problem, found).objective + 1e-12
    assert np.array_equal([soft.negative, soft.positive], [found.negative, found.positive])


@pytest.mark.parametrize("seed", range(40))
def test_tiny_problems_with_weights_and_costs_get_no_worse(seed):
    problem = tiny_problem(seed, "multivariate")
    found = LocalSearch(seed=seed).search(problem, None, Budget.of(SECONDS, 5), ignore).diagram
    soft = regularise_hyperplanes(problem, found, Budget.of(SECONDS))
    assert evaluate(problem, soft).objective <= evaluate(problem, found).objective + 1e-12


def test_without_time_the_diagram_is_the_same():
    problem = blobs(0)
    found = LocalSearch().search(problem, None, Budget.of(SECONDS, 5), ignore).diagram
    assert regularise_hyperplanes(problem, found, Budget.of(0.0)) is found


def test_a_hyperplane_on_one_feature_turns_to_the_direction_of_the_clouds():
    random = np.random.default_rng(3)
    codes = np.arange(60) % 2
    X = random.random((60, 2)) * 0.3 + 0.6 * codes[:, None]
    problem = build_problem(TrainingData.collect(X, codes, 2), Skeleton.parse("1"), 0.1, "multivariate")
    arcs = (np.array([1]), np.array([2]), np.array([0]))
    slanted = DecisionDiagram((MultivariateSplit(np.array([1.0, 0.0]), 0.45),), *arcs, 2, 2)
    soft = regularise_hyperplanes(problem, slanted, Budget.of(SECONDS))
    weights = soft.splits[0].weights
    assert weights[1] / weights[0] == pytest.approx(1.0, abs=0.3)
    assert evaluate(problem, soft).cost == 0.0


def test_rows_on_their_better_side_stay_there():
    problem = blobs(2)
    found = LocalSearch(seed=2).search(problem, None, Budget.of(SECONDS, 20), ignore).diagram
    reached = np.ones(problem.data.n_rows, dtype=bool)
    sides = NodeSides.from_problem(problem, reached, problem.cost[:, 0], problem.cost[:, 1])
    before = found.splits[0]
    after = sides.regularise(before, Budget.of(SECONDS))
    assert not np.allclose(after.weights, before.weights)
    right = before.side(sides.rows) == (sides.positive < sides.negative)
    assert np.array_equal(after.side(sides.rows)[right], before.side(sides.rows)[right])


def test_stretched_columns_are_spread_evenly_unless_they_hardly_vary():
    random = np.random.default_rng(0)
    X = np.column_stack([random.random(400), 0.5 * random.random(400), np.arange(400) == 3, np.ones(400)])
    weight = random.integers(1, 4, 400)
    repeated = np.repeat(X, weight, axis=0)  # a row of weight 2 counts as two rows
    stretch = choose_stretch(X, weight.astype(float))
    assert (repeated * stretch).std(axis=0)[:2] == pytest.approx(EVEN_DEVIATION)
    assert stretch[2:] == pytest.approx(MAX_STRETCH)


@pytest.mark.parametrize("scale", [0.6, 1.5])
def test_the_regression_does_not_depend_on_the_unit_of_a_column(scale):
    problem = blobs(1)
    costs = problem.cost[:, 0], problem.cost[:, 1]
    every = np.ones(problem.data.n_rows, dtype=bool)
    units = np.array([scale, 1.0, 1.0, 1.0])
    turned = []
    for table, weights in ((problem.data.X, np.ones(4)), (problem.data.X * units, 1.0 / units)):
        start = MultivariateSplit(weights / np.abs(weights).sum(), 2.0 / np.abs(weights).sum())
        sides = NodeSides(table, every, *costs, 1.0, 1e-6)
        turned.append(sides.regularise(start, Budget.of(SECONDS)).weights / weights)
    assert turned[0] / turned[0][1] == pytest.approx(turned[1] / turned[1][1], rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_threshold_is_the_best_of_all_gaps(seed):
    random = np.random.default_rng(seed)
    key = random.integers(0, 6, 9) / 5
    negative, positive = random.integers(0, 3, (2, 9)).astype(float)
    margin = float(random.choice([0.1, 0.3]))
    values = np.unique(key)
    tried = []
    for low, high in pairwise(values):
        if high - low >= margin:
            cost = negative[key <= low].sum() + positive[key >= high].sum()
            tried.append((cost, -round(high - low, 9), (low + high) / 2))
    cost, threshold = find_best_threshold(key, negative, positive, margin)
    if not tried:
        assert cost == np.inf
        return
    assert cost == pytest.approx(min(tried)[0])
    widest = {middle for paid, gap, middle in tried if (paid, gap) == min(tried)[:2]}
    assert min(abs(threshold - middle) for middle in widest) < 1e-9


def line_diagram(first, second):
    """Return two nodes on a line: the first sends its negative side to the second."""
    splits = tuple(MultivariateSplit(np.array([1.0]), threshold) for threshold in (first, second))
    return DecisionDiagram(splits, np.array([1, 2]), np.array([2, 3]), np.array([0, 1]), 2, 1)


# classes 0 1 0 on a line: the second node divides the first two, the first node takes off the third
LINE = build_problem(
    TrainingData.collect(np.array([[0.0], [0.2], [0.6], [1.0]]), np.array([0, 1, 0, 0]), 2),
    Skeleton.parse("1-2"),
    0.1,
    "multivariate",
)


@pytest.mark.parametrize("thresholds", [(0.8, 0.1), (0.4, 0.3), (0.4, 0.1)])
def test_every_node_is_separated_that_can_be(thresholds):
    before = line_diagram(*thresholds)
    after = separate_nodes(LINE, before, Budget.of(SECONDS))
    assert evaluate(LINE, after).cost == 0.0
    assert separate_nodes(LINE, after, Budget.of(SECONDS)) is after


def test_without_time_no_node_is_separated():
    before = line_diagram(0.8, 0.3)
    assert separate_nodes(LINE, before, Budget.of(0.0)) is before


def test_a_node_that_cannot_be_separated_stays():
    data = TrainingData.collect(np.array([[0.0], [0.2], [0.6]]), np.array([0, 1, 0]), 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.1, "multivariate")
    arcs = (np.array([1]), np.array([2]), np.array([0]))
    before = DecisionDiagram((MultivariateSplit(np.array([1.0]), 0.1),), *arcs, 2, 1)
    assert separate_nodes(problem, before, Budget.of(SECONDS)) is before


def test_costs_to_go_are_those_of_the_terminal_that_each_row_reaches():
    costs = costs_to_go(line_diagram(0.4, 0.1), LINE.data.X, LINE.cost)
    assert [one.tolist() for one in costs] == [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 0], [1, 0, 1, 1]]
