"""The greedy tree: never worse than CART, within the skeleton, in the time there is."""

import time

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from oddlearn import OptimalDecisionTreeClassifier
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.greedy_tree import GreedyTree, build_greedy_tree
from oddlearn.solve.state import SolveState


def draw(seed, n_rows=120):
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(n_rows, 4)), random.integers(0, 3)) * random.choice([1e-12, 1.0, 1e9])
    n_classes = int(random.integers(2, 5))
    y = (X[:, 0] > X[:, 1]) + (X[:, 2] > 0) * random.integers(0, n_classes, n_rows)
    weight = random.choice([1.0, 2.0, 0.3], n_rows) if seed % 3 == 0 else np.ones(n_rows)
    return X, np.minimum(y, n_classes - 1), weight, n_classes


def problem_of(X, y, weight, n_classes, skeleton, alpha, split="univariate"):
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T]).astype(float)
    unit = ranks / np.maximum(1, ranks.max(axis=0))
    data = TrainingData.collect(ranks if split == "univariate" else unit, y, n_classes, weight)
    return build_problem(data, skeleton, alpha, split)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_without_a_price_its_error_is_at_most_that_of_cart_on_the_same_rows(seed, depth):
    X, y, weight, n_classes = draw(seed)
    problem = problem_of(X, y, weight, n_classes, Skeleton.tree(depth), 0.0)
    place, label = np.nonzero(problem.data.class_weight)
    rows, weights = problem.data.X[place], problem.data.class_weight[place, label]
    cart = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(rows, label, weights)
    tree = build_greedy_tree(problem, np.arange(problem.data.n_rows), seed)
    errors = weights[cart.predict(rows) != label].sum()
    assert evaluate(problem, tree).cost <= errors + 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_its_last_layer_has_the_splits_of_least_cost(seed):
    problem = problem_of(*draw(seed), Skeleton.tree(2), 0.0)
    tree = build_greedy_tree(problem, np.arange(problem.data.n_rows), seed)
    X, cost = problem.data.X, problem.cost
    above = X[:, tree.splits[0].feature] >= tree.splits[0].threshold
    least = 0.0
    for side in (X[~above], cost[~above]), (X[above], cost[above]):
        stumps = [side[1].sum(axis=0).min()]
        for feature in range(X.shape[1]):
            for threshold in np.unique(side[0][:, feature])[1:]:
                parts = (side[0][:, feature] >= threshold, side[0][:, feature] < threshold)
                stumps.append(sum(side[1][part].sum(axis=0).min() for part in parts))
        least += min(stumps)
    assert evaluate(problem, tree).cost == pytest.approx(least)


def test_a_busy_machine_that_comes_late_trains_on_all_rows_of_a_table_within_the_limit():
    X, y, weight, n_classes = draw(1, 3000)
    problem = problem_of(X, y, weight, n_classes, Skeleton.tree(4), 0.0)
    late = Budget.since(time.perf_counter() - 10.0, 10.0)
    assert GreedyTree()._select_rows(problem, late).size == problem.data.n_rows


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("skeleton", ["1", "1-2", "1-1-1", "1-2-2-2", "1-2-3-1", "1-2-4-8"])
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_it_fits_every_skeleton_and_no_split_costs_more_than_it_saves(seed, skeleton, split):
    alpha = (0.0, 0.1, 1.0)[seed % 3]
    problem = problem_of(*draw(seed), Skeleton.parse(skeleton), alpha, split)
    tree = build_greedy_tree(problem, np.arange(problem.data.n_rows), seed)
    value = evaluate(problem, tree)  # raises where the tree does not fit the skeleton or its margin
    assert value.objective <= evaluate(problem, SolveState.initial(problem).diagram).objective + 1e-12


def test_a_table_too_large_for_the_time_is_sampled_and_one_far_too_large_is_left_alone():
    X, y, weight, n_classes = draw(1, 30_000)
    problem = problem_of(X, y, weight, n_classes, Skeleton.tree(4), 0.0)
    state = SolveState.initial(problem)
    assert GreedyTree().run(state, Budget.of(1e-9), lambda event: None).diagram is state.diagram
    rows = GreedyTree()._select_rows(problem, Budget.of(0.02))
    assert 1000 <= rows.size < problem.data.n_rows
    assert np.unique(rows).size == rows.size
    sampled = build_greedy_tree(problem, rows, 0)
    assert evaluate(problem, sampled).objective < state.objective


@pytest.mark.parametrize("seed", range(8))
def test_a_fit_is_never_worse_than_cart(seed):
    X, y, weight, _ = draw(seed, 400)
    cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y, weight)
    options = {"alpha": 0.0, "exact": None, "max_iter": 1, "time_limit": None, "random_state": 0}
    model = OptimalDecisionTreeClassifier(3, **options).fit(X, y, weight)
    assert model.score(X, y, weight) >= cart.score(X, y, weight) - 1e-12
