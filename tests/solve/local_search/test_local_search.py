"""The search against slow and obvious twins: brute force over all diagrams, and all single splits."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.root_bounds.single_split_bound import best_stump
from oddlearn.solve.solver import ignore
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem


def found(problem, max_iter=300, **options):
    """Objective of the search's diagram; `evaluate` raises unless skeleton, kind and margin are kept."""
    outcome = LocalSearch(**options).search(problem, None, Budget.of(None, max_iter), ignore)
    return evaluate(problem, outcome.diagram).objective


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("block", range(5))
def test_the_optimum_of_tiny_univariate_problems_is_reached(block, tree_only):
    for seed in range(40 * block, 40 * block + 40):
        problem = tiny_problem(seed, tree_only=tree_only)
        assert found(problem) == pytest.approx(optimal_objective(problem), abs=1e-9), seed


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("block", range(5))
def test_the_optimum_of_tiny_multivariate_problems_is_reached(block, tree_only):
    for seed in range(15 * block, 15 * block + 15):
        problem = tiny_problem(seed, "multivariate", most_rows=5, tree_only=tree_only)
        assert found(problem) == pytest.approx(optimal_objective(problem), abs=1e-9), seed


# Of 4000 univariate problems of up to 7 rows and 900 multivariate ones of up to 5, those where a chain was
# seen to need more than 300 iterations; the slowest of 20 chains took 12010.
HARD = [
    (2262, "univariate", 7, False),
    (2262, "univariate", 7, True),
    (2661, "univariate", 7, False),
    (2661, "univariate", 7, True),
    (226, "multivariate", 5, False),
]


@pytest.mark.parametrize(("seed", "split", "most_rows", "tree_only"), HARD)
def test_problems_with_deep_valleys_are_solved_with_more_iterations(seed, split, most_rows, tree_only):
    problem = tiny_problem(seed, split, most_rows, tree_only)
    value = found(problem, max_iter=20_000, patience=20_000)
    assert value == pytest.approx(optimal_objective(problem), abs=1e-9)


@pytest.mark.parametrize("skeleton", ["1-1", "1-2", "1-2-2"])
@pytest.mark.parametrize("block", range(2))
def test_many_rows_on_a_line_are_cut_as_brute_force_does(block, skeleton):
    for seed in range(10 * block, 10 * block + 10):
        problem = scattered(seed, 12, 1, skeleton)
        assert found(problem) == pytest.approx(optimal_objective(problem), abs=1e-9), seed


def scattered(seed, most_rows=40, most_features=4, skeleton="1"):
    """Random rows, half of the problems on a grid with ties and the closest numbers; weights and costs."""
    random = np.random.default_rng(seed)
    n, d, n_classes = random.integers([2, 1, 2], [most_rows, most_features, 4], endpoint=True)
    X = random.random((n, d))
    if seed % 2:
        X = 1 + random.integers(0, 8, (n, d)) / 7 + random.choice([0.0, 0.0, 2**-51, 0.0012], (n, d))
    weights = [None, random.integers(1, 4, n).astype(float), random.random(n) + 0.1][seed % 3]
    costs = random.integers(0, 4, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    data = TrainingData.collect(X, random.integers(0, n_classes, n), int(n_classes), weights)
    return build_problem(
        data, Skeleton.parse(skeleton), 0.3, "univariate", cost_matrix=costs if seed % 4 else None
    )


def test_one_node_gets_the_best_of_all_single_splits():
    for seed in range(200):
        problem = scattered(seed)
        best = best_stump(problem, Budget.of(None)).cost / problem.total_weight
        assert found(problem, max_iter=10) == pytest.approx(best, abs=1e-9), seed


def test_a_margin_above_every_gap_leaves_the_constant():
    random = np.random.default_rng(0)
    X = np.linspace(0, 1, 30)[:, None] * np.ones((1, 2))
    data = TrainingData.collect(X, random.integers(0, 3, 30), 3)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.0, "multivariate", 0.1)
    constant = problem.cost.sum(axis=0).min() / 30
    assert found(problem, max_iter=20) == pytest.approx(constant)


# with hyperplanes, linear programs come in after each round of iterations, so runs of other lengths differ
@pytest.mark.parametrize("seed", range(8))
def test_more_iterations_never_end_higher(seed):
    random = np.random.default_rng(seed)
    X = random.random((80, 4))
    data = TrainingData.collect(X, random.integers(0, 3, 80), 3)
    problem = build_problem(data, Skeleton((1, 2, 4), tree_only=seed % 2 == 1), 0.05, "univariate")
    values = [found(problem, max_iter, seed=seed) for max_iter in (0, 1, 2, 5, 10, 30, 100)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]
