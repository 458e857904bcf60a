"""Trees without a depth limit: only the price of their nodes limits them."""

import numpy as np
import pytest
from sklearn.base import clone

import oddlearn
from oddlearn import OptimalDecisionTreeClassifier
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.problem.tree_skeleton import choose_tree_skeleton
from oddlearn.solve.branch_and_bound.layer_widths import enumerate_layer_widths
from tests.oracles.any_depth import AnyDepth


def draw_table(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (int(random.integers(4, 12)), 2)).astype(float)
    y = random.integers(0, int(random.integers(2, 4)), len(X))
    y[:2] = 0, 1
    return X, y, float(random.choice([0.02, 0.05, 1 / len(X), 0.15]))


@pytest.mark.filterwarnings("ignore::oddlearn.errors.UnpredictedClassWarning")
def test_the_best_of_all_trees_is_found_and_proved():
    for seed in range(15):
        X, y, price = draw_table(seed)
        model = OptimalDecisionTreeClassifier(None, node_price=price, random_state=0).fit(X, y)
        data = TrainingData.collect(X, y, int(y.max()) + 1)
        problem = build_problem(data, Skeleton.tree(1), None, "univariate", node_price=price)
        assert model.objective_ == pytest.approx(AnyDepth(problem).least_cost() / len(y))
        assert model.is_optimal_


def test_a_chain_deeper_than_other_trees_may_be():
    X = np.arange(30.0)[:, None]
    y = np.arange(30) % 2
    model = OptimalDecisionTreeClassifier(None, node_price=0.001, random_state=0).fit(X, y)
    assert model.n_nodes_ == 29
    assert model.objective_ == pytest.approx(0.028)
    assert model.is_optimal_


def test_a_model_of_any_depth_is_saved_cloned_and_verified():
    X, y, price = draw_table(3)
    model = OptimalDecisionTreeClassifier(None, node_price=price, random_state=0).fit(X, y)
    read = oddlearn.from_json(model.to_json())
    assert read.max_depth is None
    assert clone(model).max_depth is None
    assert np.array_equal(read.predict(X), model.predict(X))
    oddlearn.verify(read, X, y)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"node_price": 0.0}, "nothing would limit the tree"),
        ({"alpha": 0.1}, "give node_price"),
        ({"split": "multivariate"}, "give a depth"),
        ({"node_price": 1e-5}, "nodes could pay for themselves"),
    ],
)
def test_what_leaves_the_depth_open_is_refused_with_a_sentence(given, words):
    random = np.random.default_rng(0)
    X, y = random.random((400, 3)), random.integers(0, 2, 400)
    with pytest.raises(InvalidInputError, match=words):
        OptimalDecisionTreeClassifier(None, **given).fit(X, y)


@pytest.mark.parametrize("n_nodes", [1, 2, 3, 5, 8])
def test_the_skeleton_of_so_many_nodes_has_exactly_their_trees(n_nodes):
    layers = tuple(2**layer for layer in range(n_nodes))
    shapes = [widths for count in range(1, n_nodes + 1) for widths in enumerate_layer_widths(count, layers)]
    padded = np.array([widths + (0,) * (n_nodes - len(widths)) for widths in shapes])
    assert Skeleton.tree_of_nodes(n_nodes).widths == tuple(padded.max(axis=0).tolist())


def test_every_tree_that_is_better_than_a_stump_is_in_the_skeleton():
    for seed in range(30):
        X, y, price = draw_table(seed)
        data = TrainingData.collect(X, y, int(y.max()) + 1)
        problem = build_problem(data, Skeleton.tree(1), None, "univariate", node_price=price)
        costs = AnyDepth(problem).least_costs(8)
        objectives = [cost / len(y) + price * max(0, nodes - 1) for nodes, cost in enumerate(costs)]
        best = int(np.argmin(np.round(objectives, 9)))
        assert choose_tree_skeleton(data, price).depth >= best


def test_a_depth_of_none_is_a_skeleton_by_the_table():
    model = OptimalDecisionTreeClassifier(None, node_price=0.1)
    assert validate_parameters(model.get_params(deep=False), model._skeleton()).skeleton is None
