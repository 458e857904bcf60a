import time

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.regret import regrets
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.root_bounds.class_count_bound import (
    ClassCountRelaxation,
    _min_subset_cost,
    class_count_cost,
)
from oddlearn.solve.root_bounds.single_split_bound import best_stump
from oddlearn.solve.root_bounds.solver import compute_root_bounds, costs_by_node_count
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem


@pytest.mark.parametrize("block", range(5))
def test_no_free_bound_exceeds_the_optimum_of_univariate_problems(block):
    for seed in range(30 * block, 30 * block + 30):
        problem = tiny_problem(seed, tree_only=seed % 3 == 0)
        bounds, evidence, _ = compute_root_bounds(problem, 5.0)
        assert bounds.lower_bound(problem) <= optimal_objective(problem) + 1e-9, seed
        assert max(proof.bound for proof in evidence) == bounds.lower_bound(problem)


@pytest.mark.parametrize("block", range(5))
def test_no_free_bound_exceeds_the_optimum_of_multivariate_problems(block):
    for seed in range(12 * block, 12 * block + 12):
        problem = tiny_problem(seed, "multivariate", most_rows=5)
        optimum = optimal_objective(problem)
        bounds, _, diagram = compute_root_bounds(problem, 5.0)
        assert bounds.lower_bound(problem) <= optimum + 1e-9, seed
        if diagram is not None:
            assert evaluate(problem, diagram).objective == pytest.approx(optimum)


def test_one_node_skeletons_are_solved_exactly_by_the_stump():
    for seed in range(60):
        drawn = tiny_problem(seed)
        problem = build_problem(drawn.data, Skeleton((1,)), 1.0, "univariate", drawn.margin)
        bound = compute_root_bounds(problem, 5.0)[0].lower_bound(problem)
        assert bound == pytest.approx(optimal_objective(problem)), seed


def test_classes_left_out_must_be_paid_for():
    # five classes of 5, 4, 3, 2, 1 samples: two nodes predict three classes, so 3 samples are wrong
    codes = np.repeat(np.arange(5), [5, 4, 3, 2, 1])
    X = np.linspace(0, 1, 15)[:, None]
    problem = build_problem(TrainingData.collect(X, codes, 5), Skeleton.parse("1-2-4"), 0.0, "univariate")
    assert costs_by_node_count(problem, Budget.of(None))[:4] == [6.0, 3.0, 1.0, 0.0]


def class_costs(random, n_groups, n_classes):
    """Random costs, or weights of errors when rows of several classes share a group."""
    if random.random() < 0.5:
        return random.integers(0, 5, (n_groups, n_classes)).astype(float)
    weights = random.integers(0, 9, (n_groups, n_classes)) * (random.random((n_groups, n_classes)) < 0.4)
    return weights.sum(axis=1, keepdims=True) - weights.astype(float)


def test_no_relaxation_bound_exceeds_the_best_choice_of_classes():
    random = np.random.default_rng(3)
    for _ in range(300):
        cost = class_costs(random, int(random.integers(1, 9)), int(random.integers(2, 7)))
        relaxation = ClassCountRelaxation.from_costs(cost)
        for count in range(1, cost.shape[1]):
            best = _min_subset_cost(cost, count, Budget.of(None))
            assert relaxation.cost(count) <= best + 1e-12
            assert class_count_cost(cost, relaxation, count, Budget.of(None)) == best
            assert class_count_cost(cost, relaxation, count, Budget.of(0.0)) == relaxation.cost(count)
        assert relaxation.cost(cost.shape[1]) == cost.min(axis=1).sum()


def test_the_relaxation_bound_of_one_class_is_the_best_constant():
    random = np.random.default_rng(4)
    for _ in range(50):
        cost = class_costs(random, 8, 5)
        assert ClassCountRelaxation.from_costs(cost).cost(1) == pytest.approx(cost.sum(axis=0).min())


def test_large_costs_do_not_lift_the_relaxation_bound_above_the_best_choice():
    random = np.random.default_rng(5)
    for _ in range(100):
        cost = class_costs(random, 200, 5) * random.choice([1.0, 0.1, 1e15], (200, 1)) + random.random(
            (200, 5)
        )
        for count in (1, 2, 3, 4):
            best = _min_subset_cost(cost, count, Budget.of(None))
            assert ClassCountRelaxation.from_costs(cost).cost(count) <= best * (1 + 1e-12)


def test_many_classes_take_little_time_and_are_still_bounded():
    # 19 classes, class c of c + 1 samples: the two lightest pay when 17 of them are predicted
    codes = np.repeat(np.arange(19), np.arange(1, 20) * 20)
    X = np.random.default_rng(0).random((codes.size, 4))
    problem = build_problem(
        TrainingData.collect(X, codes, 19), Skeleton.parse("1-2-4-8-16"), 0.0, "univariate"
    )
    started = time.thread_time()
    costs = costs_by_node_count(problem, Budget.of(None))
    assert time.thread_time() - started < 1.0
    assert costs[15:] == [60.0, 20.0, 0.0, 0.0]
    assert costs[0] == 20 * sum(range(1, 18))


def test_rows_within_the_margin_share_a_class():
    # three rows in a chain, neighbours closer than the margin, the ends further apart
    X = np.array([[0.0], [0.0007], [0.0014], [1.0]])
    data = TrainingData.collect(X, np.array([0, 1, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.0, "multivariate", 1e-3)
    assert costs_by_node_count(problem, Budget.of(None)) == [1.0, 1.0]
    # univariate splits have no margin
    problem = build_problem(data, Skeleton.parse("1-2"), 0.0, "univariate")
    assert costs_by_node_count(problem, Budget.of(None)) == [0.0, 0.0]


def test_the_stump_proves_nothing_when_out_of_time():
    stump = best_stump(tiny_problem(1), Budget.of(0.0))
    assert not stump.is_complete
    assert stump.diagram is None


def test_the_stump_is_a_solution_of_the_cost_it_tells():
    for seed in range(200):
        problem = tiny_problem(seed)
        stump, diagram = best_stump(problem, Budget.of(None)), compute_root_bounds(problem, 5.0)[2]
        constant = problem.cost.sum(axis=0).min()
        assert stump.is_complete
        assert (diagram is None) == (stump.cost == pytest.approx(constant, abs=1e-9)), seed
        if diagram is not None:
            assert evaluate(problem, diagram).cost == pytest.approx(stump.cost), seed


def test_neighbouring_numbers_are_parted_without_a_margin():
    X = np.array([[0.5], [np.nextafter(0.5, 1.0)]])
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 1]), 2), Skeleton((1,)), 0.0, "univariate", 0.0
    )
    assert evaluate(problem, compute_root_bounds(problem, 5.0)[2]).cost == 0.0


def test_the_stump_is_quick_on_many_rows():
    random = np.random.default_rng(0)
    X = random.random((50_000, 10))
    data = TrainingData.collect(X, (X[:, 0] > 0.5).astype(int), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 1.0, "univariate", 0.0)
    started = time.thread_time()
    bounds, _, _ = compute_root_bounds(problem, 10.0)
    assert time.thread_time() - started < 5
    assert bounds.lower_bound(problem) == 0.0


def test_little_time_is_kept_on_many_rows():
    random = np.random.default_rng(0)
    X = random.random((150_000, 20))
    data = TrainingData.collect(X, random.integers(0, 5, 150_000), 5)
    problem = build_problem(data, Skeleton.parse("1-2-4"), 0.1, "univariate")
    started = time.thread_time()
    bounds, _, _ = compute_root_bounds(problem, 0.01)
    assert time.thread_time() - started < 0.5
    assert bounds.lower_bound(problem) >= 0.0


def test_without_time_only_equal_rows_are_in_conflict():
    data = TrainingData.collect(np.array([[0.0], [0.0], [0.0007], [1.0]]), np.array([0, 1, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.0, "univariate", 1e-3)
    assert costs_by_node_count(problem, Budget.of(0.0)) == [1.0, 1.0]


def test_the_regret_of_a_row_is_what_its_second_class_costs_more():
    cost = np.array([[3.0, 1.0, 2.5], [1.0, 1.0, 9.0]])
    assert regrets(cost).tolist() == [1.5, 0.0]
    assert regrets(cost[:, :1]).tolist() == [0.0, 0.0]
