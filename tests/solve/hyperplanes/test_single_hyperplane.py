"""The best single hyperplane by branch and cut, against all ways to part a few rows."""

import math
from itertools import product

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.branch_and_cut import SingleHyperplaneSearch
from tests.oracles.brute_force import largest_gap

SECONDS = 30.0


def posed(X, codes, margin=1e-4, weights=None, cost_matrix=None):
    data = TrainingData.collect(X, codes, int(codes.max()) + 1, weights)
    return build_problem(data, Skeleton.parse("1-2"), 0.5, "multivariate", margin, cost_matrix)


def least_cost(problem):
    """Try all ways to put the rows on two sides, and all pairs of classes."""
    X, cost = problem.data.X, problem.cost
    least = cost.sum(axis=0).min()
    for bits in product([False, True], repeat=len(X) - 1):
        side = np.array([False, *bits])
        paid = cost[side].sum(axis=0).min() + cost[~side].sum(axis=0).min()
        if paid < least and side.any() and largest_gap(X[side], X[~side]) >= problem.margin:
            least = paid
    return least


def random_problem(seed):
    random = np.random.default_rng(seed)
    n, d, n_classes = random.integers(4, 9), random.integers(1, 4), random.integers(2, 4)
    on_grid = random.random() < 0.5
    X = random.integers(0, 3, (n, d)) / 2.0 if on_grid else random.random((n, d))
    codes = random.permutation(np.arange(n) % n_classes)
    weights = random.integers(1, 4, n).astype(float)
    margin = float(random.choice([1e-4, 0.05, 0.3]))
    costs = None
    if random.random() < 0.3:
        costs = random.integers(1, 4, (n_classes, n_classes)).astype(float)
        np.fill_diagonal(costs, 0.0)
    return posed(X, codes, margin, weights, costs)


@pytest.mark.parametrize("seed", range(80))
def test_the_bound_is_never_above_the_best_of_all_ways_to_part_the_rows(seed):
    problem = random_problem(seed)
    least = least_cost(problem)
    search = SingleHyperplaneSearch(problem)
    search.run(math.inf, Budget.of(SECONDS))
    assert search.lower_bound <= least + 1e-9
    # rows that gave way need keep no margin in the relaxation: with a narrow one nothing is lost
    if problem.margin < 1e-3:
        assert search.lower_bound == pytest.approx(least)
    if search.diagram is not None:
        assert evaluate(problem, search.diagram).cost >= least - 1e-9


@pytest.mark.parametrize("seed", range(40))
def test_a_search_that_is_cut_short_and_goes_on_reaches_the_same_bound(seed):
    problem = random_problem(seed)
    whole, parts = SingleHyperplaneSearch(problem), SingleHyperplaneSearch(problem)
    whole.run(math.inf, Budget.of(SECONDS))
    bounds = []
    for cutoff in (*np.linspace(0.0, whole.lower_bound, 5), math.inf):
        parts.run(float(cutoff), Budget.of(SECONDS))
        bounds.append(parts.lower_bound)
    assert bounds == sorted(bounds)
    assert parts.lower_bound == pytest.approx(whole.lower_bound)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_best_direction_is_kept_whenever_it_was_tried(order):
    X = np.array([[0.0, 0.0], [0.1, 1.0], [0.2, 0.1], [1.0, 0.9], [0.9, 0.2], [0.8, 0.8]])
    problem = posed(X, np.array([0, 0, 0, 1, 1, 1]))
    search = SingleHyperplaneSearch(problem)
    for feature in order:
        search._try_direction(np.eye(2)[feature])
    assert evaluate(problem, search.diagram).cost == 0


def test_a_cutoff_ends_the_work_and_is_the_bound():
    random = np.random.default_rng(0)
    problem = posed(random.random((60, 3)), random.integers(0, 2, 60))
    search = SingleHyperplaneSearch(problem)
    search.run(2.0, Budget.of(SECONDS))
    assert search.lower_bound == 2.0


def test_without_time_nothing_is_claimed():
    random = np.random.default_rng(0)
    problem = posed(random.random((60, 3)), random.integers(0, 2, 60))
    search = SingleHyperplaneSearch(problem)
    search.run(math.inf, Budget.of(0.0))
    assert search.lower_bound == 0.0
    assert search.diagram is None


@pytest.mark.parametrize(("n_rows", "d", "seed"), [(20, 3, 12), (24, 4, 5), (24, 4, 11), (30, 3, 13)])
def test_a_search_that_must_branch_ends_soon_with_the_cost_of_its_diagram(n_rows, d, seed):
    random = np.random.default_rng(seed)
    X, codes = random.random((n_rows, d)), random.permutation(np.arange(n_rows) % 2)
    search, budget = SingleHyperplaneSearch(posed(X, codes)), Budget.of(None).limit_work(0.3)
    search.run(math.inf, budget)
    assert search.is_solved and search.n_nodes > 1 and not budget.expired
    assert search.lower_bound == pytest.approx(evaluate(search.problem, search.diagram).cost)
