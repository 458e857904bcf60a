import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import export_text

from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import UnsupportedError
from oddlearn.export.code import export_sklearn
from tests.diagram.drawings import crossed
from tests.export.code.cases import DATA_SETS, case, case_of, constant, fitted, lacking, unnamed


@pytest.mark.parametrize("name", [f"{name} univariate" for name in (*DATA_SETS, "wide")])
def test_the_tree_agrees_with_predict_on_every_row_it_was_made_sure_for(name):
    given = case(name)
    single = given.X.astype(np.float32).astype(np.float64)
    tree = export_sklearn(given.diagram, unnamed(given.metadata), X=single, unroll=True)
    codes = given.diagram.predict(single)
    assert tree.predict(single).tolist() == [given.metadata.class_labels[code] for code in codes]


@pytest.mark.parametrize("name", DATA_SETS)
def test_the_tree_agrees_on_rows_that_lie_on_the_thresholds_of_a_data_set(name):
    given = case(f"{name} univariate")
    X = fitted(name, "univariate")[1]
    tree = export_sklearn(given.diagram, unnamed(given.metadata), X=X, unroll=True)
    assert tree.predict(X).tolist() == given.expected[: len(X)]


@pytest.mark.parametrize("name", DATA_SETS)
def test_the_tree_of_a_fitted_model_agrees_on_the_training_rows(name):
    model, X = fitted(name, "univariate")
    tree = export_sklearn(model, X=X, unroll=True)
    assert np.array_equal(tree.predict(X), model.predict(X))
    assert np.allclose(tree.predict_proba(X), model.predict_proba(X), atol=1e-12)
    assert np.array_equal(tree.classes_, model.classes_)


@pytest.mark.parametrize("seed", range(5))
def test_missing_values_take_the_side_of_the_diagram(seed):
    given = lacking(seed, "univariate")
    tree = export_sklearn(given.diagram, unnamed(given.metadata), X=given.X, unroll=True)
    assert tree.predict(given.X).tolist() == given.expected
    assert pickle.loads(pickle.dumps(tree)).predict(given.X).tolist() == given.expected


def stump(threshold):
    diagram = DecisionDiagram((UnivariateSplit(0, threshold),), [1], [2], [0], 2, 1)
    return diagram, ModelMetadata(None, ("low", "high"), np.array([[3.0, 1.0], [0.0, 5.0]]))


@pytest.mark.parametrize("threshold", [0.5, 0.1, 1 / 3, -0.1, 0.0, 1e-50, 3.0e38, 1e300, -1e300, 16777217.0])
def test_without_rows_it_agrees_on_all_numbers_of_single_precision(threshold):
    diagram, metadata = stump(threshold)
    with np.errstate(over="ignore"):
        near = np.float32(threshold)
    beside = [np.nextafter(near, np.float32(limit)) for limit in (-np.inf, np.inf)]
    steps = [near, *beside, 0.0, -1.0, 1.0]
    X = np.array([value for value in steps if np.isfinite(value)], dtype=np.float64)[:, None]
    expected = [metadata.class_labels[code] for code in diagram.predict(X)]
    assert export_sklearn(diagram, metadata).predict(X).tolist() == expected


def test_with_rows_on_a_threshold_it_is_moved_to_agree():
    # 0.1 is a little below the float32 next to it, 0.3 a little above its own
    for threshold in (0.1, 0.3):
        diagram, metadata = stump(threshold)
        X = np.array([[threshold], [threshold - 0.01], [threshold + 0.01]])
        assert export_sklearn(diagram, metadata, X=X).predict(X).tolist() == ["high", "low", "high"]


def test_rows_that_single_precision_cannot_tell_apart_are_refused():
    diagram, metadata = stump(0.3)
    X = np.array([[0.3], [np.nextafter(0.3, 0)]])
    with pytest.raises(UnsupportedError, match="both sides of node 0"):
        export_sklearn(diagram, metadata, X=X)


def test_rows_that_do_not_reach_a_node_do_not_matter_to_it():
    splits = (UnivariateSplit(1, 0.5), UnivariateSplit(0, 0.3))
    diagram = DecisionDiagram(splits, [1, 2], [3, 3], [0, 1], 2, 2)
    X = np.array([[0.3, 1.0], [np.nextafter(0.3, 0), 0.0]])
    tree = export_sklearn(diagram, ModelMetadata(None, (0, 1), np.zeros((4, 2))), X=X)
    assert tree.predict(X).tolist() == diagram.predict(X).tolist() == [1, 0]


def test_a_multivariate_diagram_is_refused():
    given = case_of("iris", "multivariate")
    with pytest.raises(UnsupportedError, match="multivariate splits"):
        export_sklearn(given.diagram, given.metadata, unroll=True)


def test_shared_nodes_are_copied_only_when_asked_for():
    metadata = ModelMetadata(None, (0, 1), np.ones((8, 2)))
    with pytest.raises(UnsupportedError, match="unroll=True"):
        export_sklearn(crossed(), metadata)
    tree = export_sklearn(crossed(), metadata, unroll=True)
    # node 3 twice, and so its two ends
    assert tree.tree_.node_count == 5 + 6
    assert tree.get_depth() == 3
    assert tree.tree_.weighted_n_node_samples[0] == pytest.approx(4 * 2)


def test_the_classes_of_a_node_are_those_of_its_branches_by_their_weights():
    splits = (UnivariateSplit(0, 0.5), UnivariateSplit(0, 0.2))
    diagram = DecisionDiagram(splits, [1, 2], [2, 3], [0, 1], 2, 1)
    weights = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [0.0, 6.0]])
    tree = export_sklearn(diagram, ModelMetadata(None, (0, 1), weights)).tree_
    inner, positive = tree.children_left[0], tree.children_right[0]
    leaves = tree.value[[tree.children_left[inner], tree.children_right[inner], positive], 0, 0]
    assert leaves[0] > leaves[1] + 0.1
    assert tree.value[inner, 0, 0] == pytest.approx(leaves[:2] @ [4, 6] / 10)
    assert tree.value[0, 0, 0] == pytest.approx(leaves @ [4, 6, 2] / 12)
    assert tree.weighted_n_node_samples[[0, inner, positive]] == pytest.approx([12, 10, 2])


def test_a_node_that_no_sample_reached_has_the_mean_of_its_leaves():
    splits = (UnivariateSplit(0, 0.5), UnivariateSplit(0, 0.2))
    diagram = DecisionDiagram(splits, [1, 2], [2, 3], [0, 1], 2, 1)
    weights = np.array([[0.0, 0.0], [2.0, 6.0], [0.0, 0.0], [0.0, 0.0]])
    tree = export_sklearn(diagram, ModelMetadata(None, (0, 1), weights)).tree_
    inner = tree.children_left[0]
    below = [tree.children_left[inner], tree.children_right[inner]]
    assert tree.value[inner, 0] == pytest.approx(tree.value[below, 0].mean(axis=0))
    assert tree.value[0, 0] == pytest.approx(tree.value[tree.children_right[0], 0])


def test_a_diagram_with_too_many_paths_is_refused():
    layers = 18
    splits = (UnivariateSplit(0, 0.5),) * (2 * layers - 1)
    negative = [1, *(2 * layer + 1 for layer in range(1, layers - 1) for _ in (0, 1)), 35, 36]
    positive = [2, *(2 * layer + 2 for layer in range(1, layers - 1) for _ in (0, 1)), 36, 35]
    diagram = DecisionDiagram(splits, negative, positive, [0, *np.repeat(range(1, layers), 2)], 2, 1)
    with pytest.raises(UnsupportedError, match="524287 nodes and leaves"):
        export_sklearn(diagram, ModelMetadata(None, (0, 1), np.zeros((2 * len(splits), 2))), unroll=True)


def test_the_constant_diagram_is_a_leaf():
    given = constant()
    tree = export_sklearn(given.diagram, unnamed(given.metadata))
    assert tree.predict(given.X).tolist() == ["yes", "yes"]
    assert tree.tree_.node_count == 1


def test_a_class_chosen_for_its_costs_stays_chosen():
    X, y = np.array([[0.0]] * 5 + [[1.0]]), [0, 0, 0, 0, 1, 1]
    costs = [[0, 1], [100, 0]]
    model = OptimalDecisionDiagramClassifier("1", cost_matrix=costs, max_iter=5, exact=None).fit(X, y)
    assert model.predict_proba(X[:1])[0, 0] > 0.5
    assert export_sklearn(model, X=X).predict(X).tolist() == model.predict(X).tolist() == [1] * 6


def test_the_tree_can_be_read_kept_and_trained_again():
    diagram, X = fitted("iris", "univariate")
    y = diagram.predict(X)
    model = OptimalDecisionTreeClassifier(max_depth=2, max_iter=5, exact=None, random_state=0).fit(X, y)
    tree = export_sklearn(model, X=X)
    assert "class: it's" in export_text(tree)
    assert np.array_equal(pickle.loads(pickle.dumps(tree)).predict(X), model.predict(X))
    assert clone(tree).fit(X, y).score(X, y) == 1.0
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert tree.tree_.n_node_samples[0] == len(X)


@pytest.mark.parametrize(("limit", "is_taken"), [(0, True), (-1, False)])
def test_as_many_copies_as_are_allowed_are_made(limit, is_taken, monkeypatch):
    metadata = ModelMetadata(None, (0, 1), np.ones((8, 2)))
    n_copies = export_sklearn(crossed(), metadata, unroll=True).tree_.node_count
    monkeypatch.setattr("oddlearn.export.code.sklearn_tree.MAX_COPIES", n_copies + limit)
    if is_taken:
        assert export_sklearn(crossed(), metadata, unroll=True).tree_.node_count == n_copies
    else:
        with pytest.raises(UnsupportedError, match=f"has {n_copies} nodes and leaves"):
            export_sklearn(crossed(), metadata, unroll=True)
