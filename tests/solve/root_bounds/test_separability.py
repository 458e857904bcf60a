from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.max_margin import max_margin_hyperplane
from oddlearn.solve.root_bounds import single_split_bound
from oddlearn.solve.root_bounds.single_split_bound import SeparabilityResult, check_separability
from oddlearn.solve.root_bounds.solver import compute_root_bounds
from tests.oracles.brute_force import largest_gap


def posed(X, codes, margin=1e-4, weights=None):
    data = TrainingData.collect(X, codes, int(codes.max()) + 1, weights)
    return build_problem(data, Skeleton.parse("1-2"), 0.5, "multivariate", margin)


def test_a_separable_cloud_is_separated_and_proved():
    random = np.random.default_rng(0)
    X = random.random((3000, 8))
    key = X @ np.linspace(-1, 1, 8)
    kept = np.abs(key) > 0.02
    problem = posed(X[kept], (key[kept] > 0).astype(int))
    bounds, _, diagram = compute_root_bounds(problem, 10.0)
    value = evaluate(problem, diagram)
    assert bounds.lower_bound(problem) == value.objective == 0.0
    assert value.smallest_margin >= 1e-4


def test_an_inseparable_cloud_costs_at_least_its_lightest_sample():
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    problem = posed(corners, np.array([0, 1, 1, 0]), weights=np.array([3.0, 2.0, 5.0, 4.0]))
    assert check_separability(problem, Budget.of(5.0)).cost == 2.0
    assert compute_root_bounds(problem, 5.0)[0].lower_bound(problem) == pytest.approx(min(2 / 14, 0.25))


def test_no_time_means_no_claim():
    found = check_separability(posed(np.array([[0.0], [1.0], [0.5]]), np.array([0, 0, 1])), Budget.of(0.0))
    assert found.diagram is None
    assert found.cost == 0.0


@pytest.mark.parametrize(("gap", "separable"), [(1.2e-4, True), (0.8e-4, False)])
def test_the_margin_decides_at_the_limit(gap, separable):
    X = np.array([[0.0], [0.5], [0.5 + gap], [1.0]])
    found = check_separability(posed(X, np.array([0, 0, 1, 1])), Budget.of(5.0))
    assert (found.diagram is not None) == separable
    assert (found.cost > 0) != separable


def test_the_program_with_growing_rows_equals_the_whole_program():
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.random((60, 3))
        positive = X[:, 0] + 0.3 * X[:, 1] > 0.6
        X[positive, 0] += 0.05
        found = max_margin_hyperplane(X, positive, 1e-4, Budget.of(5.0))
        assert found.hyperplane.gap == pytest.approx(largest_gap(X[positive], X[~positive]), abs=1e-6)
        assert found.largest_gap == pytest.approx(found.hyperplane.gap, abs=1e-6)


def test_large_tables_and_more_than_two_wanted_classes_prove_nothing(monkeypatch):
    three = posed(np.array([[0.0], [1.0], [0.5]]), np.array([0, 1, 2]))
    assert check_separability(three, Budget.of(None)) == SeparabilityResult(None)
    two = posed(np.array([[0.0], [1.0], [0.5]]), np.array([0, 1, 0]))
    monkeypatch.setattr(single_split_bound, "MAX_SEPARABILITY_CELLS", 3)
    assert check_separability(two, Budget.of(None)).diagram is not None
    monkeypatch.setattr(single_split_bound, "MAX_SEPARABILITY_CELLS", 2)
    assert check_separability(two, Budget.of(None)) == SeparabilityResult(None)


def test_rows_whose_class_does_not_matter_do_not_count():
    problem = posed(np.array([[0.0], [0.5], [0.5 + 1e-6], [1.0]]), np.array([0, 0, 1, 1]))
    assert check_separability(problem, Budget.of(None)).cost > 0
    cost = problem.cost.copy()
    cost[1] = 0.25
    found = check_separability(replace(problem, cost=cost), Budget.of(None))
    assert found.diagram is not None and found.cost == 0.0


def test_what_an_inseparable_table_costs_is_its_least_cost_and_its_least_regret():
    problem = posed(np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 0]), weights=np.array([3.0, 2.0, 5.0]))
    cost = problem.cost + 0.5
    found = check_separability(replace(problem, cost=cost), Budget.of(None))
    assert found == SeparabilityResult(None, 3 * 0.5 + 2.0)
