import numpy as np
import pytest

from oddlearn.diagram import DecisionDiagram, Notes, walk
from oddlearn.diagram.trace import weights_on_arcs
from oddlearn.export.flows import flows_of, flows_of_rows, share_text
from tests.diagram.drawings import crossed
from tests.export.examples import drawn, older


@pytest.mark.parametrize("seed", range(10))
def test_weights_on_arcs_are_those_of_a_walk_row_by_row(seed):
    diagram, _, X = drawn(seed)
    class_weight = np.random.default_rng(seed).random((len(X), 3))
    slow = np.zeros((diagram.n_arcs, 3))
    steps = walk(diagram, X)
    for row in range(len(X)):
        for node in np.flatnonzero(steps.reached[row]):
            slow[2 * node + int(steps.sides[row, node])] += class_weight[row]
    assert np.allclose(weights_on_arcs(diagram, X, class_weight), slow)


@pytest.mark.parametrize("seed", range(10))
def test_older_notes_agree_with_newer_ones_wherever_they_tell(seed):
    diagram, notes, X = drawn(seed)
    new, old = flows_of(diagram, notes), flows_of(diagram, older(diagram, notes))
    assert not np.isnan(new.on_arc).any()
    assert (np.isnan(old.on_arc) | (old.on_arc == new.on_arc)).all()
    assert (np.isnan(old.mix) | (old.mix == new.mix)).all()
    counted = flows_of(diagram, older(diagram, notes), X)
    assert np.array_equal(counted.on_arc, new.on_arc)


def test_older_notes_do_not_tell_of_arcs_to_shared_nodes():
    # node 3 is shared: arcs 2 (from node 1) and 5 (from node 2)
    weights = np.array([[0, 0], [0, 0], [0, 0], [1, 4], [5, 0], [0, 0], [2, 1], [0, 3]])
    flows = flows_of(crossed(), Notes(None, ("a", "b"), weights))
    assert np.flatnonzero(np.isnan(flows.on_arc)).tolist() == [0, 1, 2, 5]
    assert flows.mix[0].tolist() == [8, 8]
    assert np.isnan(flows.mix[1:3]).all()
    assert flows.mix[3].tolist() == [2, 4]


def test_rows_of_weighted_samples_do_not_tell_either():
    diagram, notes, X = drawn(0)
    doubled = Notes(None, notes.class_labels, 2.5 * older(diagram, notes).arc_weights)
    assert np.isnan(flows_of(diagram, doubled, X).on_arc).any()


def test_the_unit_is_weight_where_numbers_are_not_whole():
    diagram, notes, _ = drawn(0)
    assert flows_of(diagram, notes).unit == "samples"
    halves = Notes(None, notes.class_labels, 0.3 * notes.arc_weights)
    assert flows_of(diagram, halves).unit == "weight"


def test_rows_flow_with_the_classes_they_are_given():
    diagram, _, X = drawn(2)
    flows = flows_of_rows(diagram, X)
    assert flows.total == len(X)
    assert flows.mix[0].tolist() == np.bincount(diagram.predict(X), minlength=3).tolist()


def test_a_share_is_never_rounded_to_nothing_or_to_everything():
    texts = [share_text(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)]
    assert texts == ["0 %", "<1 %", "50 %", ">99 %", "100 %"]


def test_the_constant_diagram_has_one_arc():
    flows = flows_of(DecisionDiagram.constant(1, 2, 1), Notes(None, ("a", "b"), np.array([[1, 2]])))
    assert (flows.on_arc.tolist(), flows.total) == ([3.0], 3.0)
