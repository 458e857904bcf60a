"""Hyperplanes: separable data costs nothing and says so, and so does what two layers can do."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.local_search.subsample import snap_thresholds
from oddlearn.solve.solver import ignore
from tests.fakes import train


def separable(seed, d, n=150, gap=0.02, skeleton="1-2-4"):
    """Rows at least half the gap away from a random plane through the middle of the box."""
    random = np.random.default_rng(seed)
    X, normal = random.random((6 * n, d)), random.normal(size=d)
    key = (X - 0.5) @ (normal / np.abs(normal).sum())
    kept = np.flatnonzero(np.abs(key) >= gap / 2)[:n]
    data = TrainingData.collect(X[kept], (key[kept] > 0).astype(int), 2)
    return build_problem(data, Skeleton.parse(skeleton), 0.1, "multivariate")


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("seed", range(4))
def test_separable_data_is_separated_and_proved_optimal(seed, d):
    problem = separable(seed, d)
    trained = train(problem, LocalSearch(), Budget.of(10.0))
    value = evaluate(problem, trained.diagram)
    assert value.cost == 0
    assert value.n_nodes == 1
    assert value.objective - trained.lower_bound <= OPTIMALITY_TOLERANCE


@pytest.mark.parametrize("d", [2, 3, 5, 10])
@pytest.mark.parametrize("seed", range(4))
def test_the_search_separates_separable_data_without_help(seed, d):
    problem = separable(seed, d)
    outcome = LocalSearch().search(problem, None, Budget.of(None, 300), ignore, lower_bound=0.0)
    assert evaluate(problem, outcome.diagram).objective == 0


def checkerboard(seed, angle, split, n=200, gap=0.04):
    """Two classes in the four quadrants of a turned cross, a band around its arms left empty."""
    random = np.random.default_rng(seed)
    X = random.random((3 * n, 2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    key = (X - 0.5) @ turn
    kept = np.flatnonzero((np.abs(key) > gap).all(axis=1))[:n]
    codes = ((key[kept] > 0).sum(axis=1) == 1).astype(int)
    return build_problem(TrainingData.collect(X[kept], codes, 2), Skeleton.parse("1-2"), 0.01, split)


TURNED = [(seed, angle) for seed in range(6) for angle in (0.0, 0.2, 0.4, np.pi / 4)]


@pytest.mark.parametrize(("seed", "angle"), TURNED)
def test_a_turned_checkerboard_takes_three_hyperplanes(seed, angle):
    problem = checkerboard(seed, angle, "multivariate")
    # one search of five may end in a local optimum
    outcomes = (train(problem, LocalSearch(seed=number), Budget.of(None, 1000)) for number in range(2))
    assert any(evaluate(problem, outcome.diagram).cost == 0 for outcome in outcomes)


@pytest.mark.parametrize("seed", range(3))
def test_a_straight_checkerboard_takes_three_thresholds(seed):
    problem = checkerboard(seed, 0.0, "univariate")
    outcome = LocalSearch().search(problem, None, Budget.of(None, 1000), ignore)
    value = evaluate(problem, outcome.diagram)
    assert (value.cost, value.n_nodes) == (0, 3)


def test_the_four_corners_need_two_parallel_hyperplanes():
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    data = TrainingData.collect(corners, np.array([0, 1, 1, 0]), 2)
    for skeleton in ("1-1", "1-2"):
        problem = build_problem(data, Skeleton.parse(skeleton), 0.1, "multivariate")
        value = evaluate(problem, train(problem, LocalSearch(), Budget.of(5.0, 200)).diagram)
        assert (value.cost, value.n_nodes) == (0, 2)


def ladder(margin):
    """Rows at 0, 0.2, ..., 1 along the first feature and the other way round along the second."""
    step = np.linspace(0, 1, 6)
    data = TrainingData.collect(np.column_stack([step, 1 - step]), np.arange(6) % 2, 2)
    return build_problem(data, Skeleton.parse("1-2"), 0.1, "multivariate", margin)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # the key of the second node is twice that of the first
        (0.35, 0.7, (0.3, 1.0)),  # the gap at 0.3 would be nearer: it has no row on both sides at this node
        (0.45, 1.9, (0.5, 1.8)),
        (0.71, -3.0, (0.7, 1.8)),
        (-1.0, 9.0, (0.1, 1.8)),
        (0.99, 0.5, (0.9, 2.0)),  # one row: no gap, all to the positive side
    ],
)
def test_hyperplanes_of_a_sample_move_to_the_nearest_gap_of_the_rows_that_reach_them(first, second, expected):
    problem = ladder(0.01)
    splits = (MultivariateSplit([1.0, 0.0], first), MultivariateSplit([2.0, 0.0], second))
    diagram = DecisionDiagram(splits, [2, 3], [1, 2], [0, 1], 2, 2)
    moved = snap_thresholds(problem, diagram)
    assert [split.threshold for split in moved.splits] == pytest.approx(expected)
    assert [split.weights.tolist() for split in moved.splits] == [[1.0, 0.0], [2.0, 0.0]]
    assert evaluate(problem, moved).n_nodes >= 1  # it is a solution of the problem


def test_hyperplanes_of_a_sample_leave_gaps_narrower_than_the_margin_and_nodes_that_no_row_reaches():
    step = np.array([0.0, 0.05, 0.4, 0.45, 1.0])
    data = TrainingData.collect(step[:, None], np.arange(5) % 2, 2)
    problem = build_problem(data, Skeleton.parse("1-1"), 0.1, "multivariate", 0.1)
    splits = (MultivariateSplit([4.0], 0.1), MultivariateSplit([1.0], 0.77))
    diagram = DecisionDiagram(splits, [2, 3], [1, 2], [0, 1], 2, 1)
    snapped = snap_thresholds(problem, diagram)
    assert [split.threshold for split in snapped.splits] == pytest.approx([0.9, 0.725])
    wide = replace(problem, margin=0.6)
    moved = snap_thresholds(wide, DecisionDiagram(splits, [1, 3], [2, 2], [0, 1], 2, 1))
    assert [split.threshold for split in moved.splits] == pytest.approx([0.0, 0.77])
    assert moved.splits[0].side(problem.data.X).all()
