import pickle

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import InvalidInputError
from tests.diagram.drawings import crossed, random_diagram

STUMP = (UnivariateSplit(0, 0.5),)


def test_samples_follow_the_drawing():
    X = np.array([[0.1, 0.1], [0.1, 0.9], [0.6, 0.1], [0.6, 0.9], [0.9, 0.9]])
    trace = crossed().route(X)
    assert trace.final_arc.tolist() == [6, 3, 4, 6, 7]
    assert trace.predicted.tolist() == [0, 1, 0, 0, 1]
    assert trace.reached.toarray().astype(int).tolist()[0] == [1, 1, 0, 1]
    steps = route_reference(crossed(), X)
    assert (steps.reached & steps.sides).astype(int).tolist()[4] == [1, 0, 1, 1]


def with_missing_sides(random, diagram):
    """Return the diagram with a random side of missing values in each univariate split."""
    sides = random.random(diagram.n_nodes) < 0.5
    splits = (
        split.with_missing(bool(side)) if isinstance(split, UnivariateSplit) else split
        for split, side in zip(diagram.splits, sides, strict=True)
    )
    return diagram.with_splits(tuple(splits))


@pytest.mark.parametrize("kind", ["univariate", "multivariate", "mixed"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_kernel_routes_as_the_plain_walk(kind, dtype):
    for seed in range(30):
        random = np.random.default_rng(seed)
        diagram = with_missing_sides(random, random_diagram(random, kind=kind))
        X = random.random((random.integers(0, 40), 4)).astype(dtype)
        X[random.random(X.shape) < 0.3 * (seed % 2)] = np.nan
        trace = diagram.route(X)
        assert np.array_equal(trace.final_arc, route_reference(diagram, X).final_arc)
        assert np.array_equal(trace.predicted, diagram.arc_class[trace.final_arc])


def test_missing_values_are_routed_by_questions_about_them():
    splits = (UnivariateSplit.is_missing(0), UnivariateSplit.is_missing(1, positive=False))
    diagram = DecisionDiagram(splits, [1, 2], [3, 4], [0, 1], 3, 2)
    X = np.array([[0.0, 0.0], [0.0, np.nan], [np.nan, 0.0], [np.nan, np.nan]])
    assert diagram.route(X).final_arc.tolist() == route_reference(diagram, X).final_arc.tolist()
    assert diagram.predict(X).tolist() == [2, 0, 1, 1]


def test_a_row_alone_is_routed_as_in_a_batch():
    random = np.random.default_rng(5)
    diagram = random_diagram(random, kind="multivariate")
    X = random.random((50, 4))
    alone = [int(diagram.predict(row[None])[0]) for row in X]
    assert alone == diagram.predict(X).tolist() == diagram.predict(np.asfortranarray(X)).tolist()


def test_the_constant_diagram_has_one_arc_and_no_nodes():
    diagram = DecisionDiagram.constant(2, 3, 5)
    assert (diagram.n_nodes, diagram.depth, diagram.n_arcs) == (0, 0, 1)
    assert diagram.predict(np.zeros((4, 5))).tolist() == [2, 2, 2, 2]
    assert diagram.route(np.zeros((4, 5))).reached.shape == (4, 0)
    assert diagram.canonical() == diagram


def test_sizes_of_the_drawing():
    diagram = crossed()
    assert (diagram.n_nodes, diagram.depth, diagram.n_arcs) == (4, 3, 8)
    assert not diagram.is_tree
    assert diagram.arc_class.tolist() == [-1, -1, -1, 1, 0, -1, 0, 1]


def test_canonical_form_forgets_the_order_within_layers():
    diagram = crossed()
    order = np.array([0, 2, 1, 3])
    position = np.array([0, 2, 1, 3, 4, 5])
    shuffled = DecisionDiagram(
        tuple(diagram.splits[node] for node in order),
        position[diagram.negative[order]],
        position[diagram.positive[order]],
        diagram.layer,
        2,
        2,
    )
    assert shuffled != diagram
    assert shuffled.canonical() == diagram.canonical()


def test_canonical_form_predicts_the_same_and_is_its_own_canonical_form():
    for seed in range(20):
        random = np.random.default_rng(seed)
        diagram = random_diagram(random)
        X = random.random((200, 4))
        form = diagram.canonical()
        assert np.array_equal(form.predict(X), diagram.predict(X))
        assert form.canonical() == form
        for layer in range(form.depth):
            assert (np.diff(form.in_degree[form.layer == layer]) <= 0).all()


def test_diagrams_are_equal_by_value_and_survive_pickle():
    assert crossed() == crossed()
    assert hash(crossed()) == hash(crossed())
    assert pickle.loads(pickle.dumps(crossed())) == crossed()


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        crossed().negative[0] = 2


@pytest.mark.parametrize(
    ("negative", "positive", "layer", "sentence"),
    [
        ([1], [1], [0], "same target"),
        ([1], [3], [0], "does not exist"),
        ([-1], [1], [0], "does not exist"),
        ([1], [2], [1], "layer by layer"),
        ([1, 2], [2, 0], [0, 1], "next layer"),
        ([2, 2], [3, 3], [0, 1], "no incoming arc"),
        ([1, 2], [3, 3], [0, 2], "next layer"),
        ([1], [2, 2], [0], "as many"),
    ],
)
def test_a_malformed_graph_is_refused(negative, positive, layer, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        DecisionDiagram(STUMP * len(negative), negative, positive, layer, 2, 1)


def test_a_constant_class_belongs_to_no_nodes_only():
    with pytest.raises(InvalidInputError, match="constant class"):
        DecisionDiagram(STUMP, [1], [2], [0], 2, 1, constant_class=0)
    with pytest.raises(InvalidInputError, match="constant class"):
        DecisionDiagram((), [], [], [], 2, 1)


def test_splits_must_fit_the_features():
    with pytest.raises(InvalidInputError, match="does not fit"):
        DecisionDiagram((UnivariateSplit(3, 0.5),), [1], [2], [0], 2, 2)


def test_sizes_and_constant_classes_that_do_not_exist_are_refused():
    with pytest.raises(InvalidInputError, match="at least one class"):
        DecisionDiagram.constant(0, 0, 1)
    with pytest.raises(InvalidInputError, match="count of features"):
        DecisionDiagram.constant(0, 1, -1)
    for code in (-1, 2):
        with pytest.raises(InvalidInputError, match="does not exist"):
            DecisionDiagram.constant(code, 2, 1)
    assert DecisionDiagram.constant(1, 2, 0).n_features == 0
