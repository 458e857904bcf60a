"""Trees of CART as limits on the nodes that can pay for themselves."""

import re

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.problem import TrainingData, tree_skeleton
from oddlearn.problem.cost_complexity import CartTree
from oddlearn.problem.training_data import row_costs
from oddlearn.problem.training_problem import build_problem
from oddlearn.problem.tree_skeleton import choose_tree_skeleton
from oddlearn.table.checks import check_costs
from tests.oracles.any_depth import AnyDepth


def draw_data(seed, n_rows=40, n_classes=3):
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, (n_rows, 3)).astype(float)
    codes = (X[:, 0] + 2 * (X[:, 1] > 2)).astype(int) % n_classes
    codes[random.random(n_rows) < 0.2] = 0
    costs = None if seed % 2 else random.integers(1, 4, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    weight = None if seed % 3 else random.random(n_rows) + 0.1
    return TrainingData.collect(X, codes, n_classes, weight), costs


def cost_rows(data, costs=None):
    return row_costs(data.class_weight, check_costs(costs, data.n_classes))


def list_costs(tree, node):
    """Return (nodes, cost) of all subtrees below a node."""
    found = [(0, tree.leaf_cost[node])]
    if tree.left[node] >= 0:
        found += [
            (1 + a + b, one + other)
            for a, one in list_costs(tree, tree.left[node])
            for b, other in list_costs(tree, tree.right[node])
        ]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_pruned_cost_is_the_least_of_all_subtrees(seed):
    data, costs = draw_data(seed)
    tree = CartTree.grow(data, cost_rows(data, costs), max_leaves=8)
    pairs = list_costs(tree, 0)
    for price in (0.0, 0.01, 0.05, 0.3):
        objectives = [cost / data.total_weight + price * max(0, nodes - 1) for nodes, cost in pairs]
        assert tree.pruned_cost(price) == pytest.approx(min(objectives))


@pytest.mark.parametrize("seed", range(6))
def test_the_leaves_cost_what_their_rows_cost(seed):
    data, costs = draw_data(seed)
    cost = cost_rows(data, costs)
    tree = CartTree.grow(data, cost, max_leaves=400)
    assert tree.leaf_cost[0] == pytest.approx(cost.sum(axis=0).min())
    assert tree.pruned_cost(0.0) == pytest.approx(cost.min(axis=1).sum() / data.total_weight)


def test_a_tree_that_is_grown_on_some_rows_has_the_cost_of_all(monkeypatch):
    data, _ = draw_data(1, n_rows=200)
    cost = cost_rows(data)
    monkeypatch.setattr("oddlearn.problem.cost_complexity.MAX_GROWN_CELLS", 90)
    tree = CartTree.grow(data, cost, max_leaves=400)
    assert tree.leaf_cost[0] == pytest.approx(cost.sum(axis=0).min())
    assert tree.pruned_cost(0.0) > cost.min(axis=1).sum() / data.total_weight


def test_the_best_tree_is_never_left_out(monkeypatch):
    """Prices of whole and half rows: ties between trees of different sizes."""
    monkeypatch.setattr(tree_skeleton, "MIN_NODES_FOR_CART", 0)
    for seed in range(40):
        data, costs = draw_data(seed, n_rows=12)
        for price in (1 / data.total_weight, 0.5 / data.total_weight, 0.03):
            skeleton = Skeleton.tree(1)
            problem = build_problem(
                data, skeleton, None, "univariate", cost_matrix=costs, node_price=float(price)
            )
            by_nodes = AnyDepth(problem).least_costs(11)
            objectives = [
                cost / data.total_weight + price * max(0, nodes - 1) for nodes, cost in enumerate(by_nodes)
            ]
            best = int(np.argmin(np.round(objectives, 9)))
            assert choose_tree_skeleton(data, float(price), costs).depth >= max(1, best)


def test_many_classes_may_have_a_low_price():
    """The best single split of eight classes leaves six of them wrong, CART none: seven nodes."""
    codes = np.repeat(np.arange(8), 20)
    data = TrainingData.collect(np.arange(160.0)[:, None], codes, 8)
    assert choose_tree_skeleton(data, 0.005).widths == Skeleton.tree_of_nodes(7).widths


def test_the_price_that_is_said_to_be_enough_is_the_least():
    random = np.random.default_rng(0)
    X = np.argsort(np.argsort(random.random((2000, 3)), axis=0), axis=0).astype(float)
    data = TrainingData.collect(X, random.integers(0, 5, 2000), 5)
    with pytest.raises(InvalidInputError, match="could pay for themselves") as refused:
        choose_tree_skeleton(data, 1e-5)
    enough = float(re.search(r"node_price of at least ([\d.e-]+)", str(refused.value)).group(1))
    assert choose_tree_skeleton(data, enough).n_nodes > 1
    with pytest.raises(InvalidInputError, match="could pay for themselves"):
        choose_tree_skeleton(data, 0.98 * enough)
