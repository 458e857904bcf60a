import time

import numpy as np
import pytest

from oddlearn.bounds import costs_by_nodes, free_bounds
from oddlearn.bounds.coverage import _cheapest_choice, _regret_bound, coverage_cost
from oddlearn.bounds.stump import stump_cost
from oddlearn.diagram import Skeleton
from oddlearn.engine import Budget
from oddlearn.problem import TrainingData, evaluate, pose
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem


@pytest.mark.parametrize("block", range(10))
def test_no_free_bound_exceeds_the_optimum_of_univariate_problems(block):
    for seed in range(30 * block, 30 * block + 30):
        problem = tiny_problem(seed, tree_only=seed % 3 == 0)
        bound, evidence, _ = free_bounds(problem, 5.0)
        assert bound <= optimal_objective(problem) + 1e-9, seed
        assert max(proof.bound for proof in evidence) == bound


@pytest.mark.parametrize("block", range(10))
def test_no_free_bound_exceeds_the_optimum_of_multivariate_problems(block):
    for seed in range(12 * block, 12 * block + 12):
        problem = tiny_problem(seed, "multivariate", most_rows=5)
        optimum = optimal_objective(problem)
        bound, _, diagram = free_bounds(problem, 5.0)
        assert bound <= optimum + 1e-9, seed
        if diagram is not None:
            assert evaluate(problem, diagram).objective == pytest.approx(optimum)


def test_one_node_skeletons_are_solved_exactly_by_the_stump():
    for seed in range(60):
        drawn = tiny_problem(seed)
        problem = pose(drawn.data, Skeleton((1,)), 1.0, "univariate", drawn.margin)
        assert free_bounds(problem, 5.0)[0] == pytest.approx(optimal_objective(problem)), seed


def test_classes_left_out_must_be_paid_for():
    # five classes of 5, 4, 3, 2, 1 samples: two nodes predict three classes, so 3 samples are wrong
    codes = np.repeat(np.arange(5), [5, 4, 3, 2, 1])
    X = np.linspace(0, 1, 15)[:, None]
    problem = pose(TrainingData.collect(X, codes, 5), Skeleton.parse("1-2-4"), 0.0, "univariate")
    assert costs_by_nodes(problem)[:4] == [6.0, 3.0, 1.0, 0.0]


def test_the_regret_bound_never_exceeds_the_best_choice_of_classes():
    random = np.random.default_rng(3)
    for _ in range(200):
        cost = random.integers(0, 5, (8, 5)).astype(float)
        for count in (1, 2, 3, 4):
            assert _regret_bound(cost, count) <= _cheapest_choice(cost, count) + 1e-12
            assert coverage_cost(cost, count) == _cheapest_choice(cost, count)


def test_rows_within_the_margin_share_a_class():
    # three rows in a chain, neighbours closer than the margin, the ends further apart
    X = np.array([[0.0], [0.0007], [0.0014], [1.0]])
    data = TrainingData.collect(X, np.array([0, 1, 0, 1]), 2)
    problem = pose(data, Skeleton.parse("1-2"), 0.0, "univariate", 1e-3)
    assert costs_by_nodes(problem) == [1.0, 1.0]


def test_the_stump_gives_up_when_out_of_time():
    assert stump_cost(tiny_problem(1), Budget.of(0.0)) is None


def test_the_stump_is_quick_on_many_rows():
    random = np.random.default_rng(0)
    X = random.random((50_000, 10))
    data = TrainingData.collect(X, (X[:, 0] > 0.5).astype(int), 2)
    started = time.perf_counter()
    bound, _, _ = free_bounds(pose(data, Skeleton.parse("1-2"), 1.0, "univariate", 0.0), 10.0)
    assert time.perf_counter() - started < 5
    assert bound == 0.0
