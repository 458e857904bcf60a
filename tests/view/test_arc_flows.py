import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import route_reference, weights_on_arcs
from oddlearn.view.arc_flows import predicted_flows, sample_flows, training_flows
from oddlearn.view.predictions import predict_rows
from tests.export.examples import drawn
from tests.report.pages import drawn as labelled


@pytest.mark.parametrize("seed", range(10))
def test_weights_on_arcs_are_those_of_a_walk_row_by_row(seed):
    diagram, _, X = drawn(seed)
    class_weight = np.random.default_rng(seed).random((len(X), 3))
    slow = np.zeros((diagram.n_arcs, 3))
    steps = route_reference(diagram, X)
    for row in range(len(X)):
        for node in np.flatnonzero(steps.reached[row]):
            slow[2 * node + int(steps.sides[row, node])] += class_weight[row]
    assert np.allclose(weights_on_arcs(diagram, X, class_weight), slow)


def counted_slowly(diagram, X, codes):
    """Count the samples of each class on each arc, one by one."""
    counts = np.zeros((diagram.n_arcs, diagram.n_classes))
    for row, code in zip(X, codes, strict=True):
        place = 0
        while place < diagram.n_nodes:
            side = int(diagram.splits[place].side(row[None])[0])
            counts[2 * place + side, code] += 1
            place = int((diagram.negative, diagram.positive)[side][place])
    return counts


@pytest.mark.parametrize("seed", range(3))
def test_flows_of_samples_are_those_counted_one_by_one(seed):
    diagram, metadata, X, y = labelled(seed)
    codes = [metadata.class_labels.index(label) for label in y]
    flows = sample_flows(diagram, metadata, predict_rows(diagram, metadata.class_labels, X, y))
    assert np.array_equal(flows.arcs, counted_slowly(diagram, X, codes))
    assert flows.total == len(X)
    assert np.array_equal(training_flows(diagram, metadata).arcs, flows.arcs)
    assert flows.unit == "training samples"


@pytest.mark.parametrize("seed", range(5))
def test_what_enters_a_node_leaves_it(seed):
    diagram, metadata, _ = drawn(seed)
    flows = training_flows(diagram, metadata)
    targets = np.column_stack([diagram.negative, diagram.positive]).ravel()
    for node in range(diagram.n_nodes):
        entering = (
            flows.arcs[targets == node].sum(axis=0)
            if node
            else metadata.arc_weights[list(diagram.final_arcs)].sum(axis=0)
        )
        assert np.array_equal(flows.nodes[node], entering)
        assert flows.node_weight(node) == flows.arc_weight(2 * node) + flows.arc_weight(2 * node + 1)
        assert sum(flows.class_shares(node)) == pytest.approx(1) or flows.node_weight(node) == 0


def test_without_labels_the_flow_is_one_strand():
    diagram, metadata, X, _ = labelled(0)
    flows = sample_flows(diagram, metadata, predict_rows(diagram, metadata.class_labels, X))
    assert flows.arcs.shape == (diagram.n_arcs, 1)
    assert not flows.has_classes
    assert flows.class_shares(0) == ()
    assert flows.nodes[0].sum() == len(X)


def test_the_unit_is_weight_where_numbers_are_not_whole():
    diagram, metadata, _ = drawn(0)
    assert training_flows(diagram, metadata).unit == "training samples"
    halves = ModelMetadata(None, metadata.class_labels, 0.3 * metadata.arc_weights)
    assert training_flows(diagram, halves).unit == "training weight"


def test_rows_flow_with_the_classes_they_are_given():
    diagram, _, X = drawn(2)
    flows = predicted_flows(diagram, X)
    assert flows.total == len(X)
    assert flows.nodes[0].tolist() == np.bincount(diagram.predict(X), minlength=3).tolist()


def test_the_constant_diagram_has_one_arc():
    metadata = ModelMetadata(None, ("a", "b"), np.array([[1, 2]]))
    flows = training_flows(DecisionDiagram.constant(1, 2, 1), metadata)
    assert (flows.arcs.sum(axis=1).tolist(), flows.total) == ([3.0], 3.0)
