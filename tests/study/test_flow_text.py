"""What passes each node, as text and back, against rows that are led through the diagram one by one."""

import re

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.study.flow_text import (
    DiagramShape,
    NodeFlow,
    build_diagram,
    format_flows,
    parse_flows,
    parse_shape,
)
from tests.diagram.drawings import crossed, random_diagram


def walked(diagram, X):
    """Return how many rows pass each node: every row goes from node to node on its own."""
    passed = [0] * diagram.n_nodes
    for row in X:
        node = 0
        while node < diagram.n_nodes:
            passed[node] += 1
            is_positive = bool(diagram.splits[node].side(row[None, :])[0])
            node = int((diagram.positive if is_positive else diagram.negative)[node])
    return passed


def test_a_small_diagram_reads_as_it_is_drawn():
    # from 0 by 2 to 3, by 2 to class 0, by 1 to class 1, by 1 to 3
    X = np.array([[0.9, 0.9], [0.6, 0.1], [0.1, 0.9], [0.1, 0.1]])
    assert format_flows(crossed(), X) == "0:1:2:4 1:3:c1:2 1:c0:3:2 2:c0:c1:2"


@pytest.mark.parametrize("kind", ["univariate", "multivariate"])
@pytest.mark.parametrize("seed", range(5))
def test_samples_are_those_of_a_walk_of_every_row(seed, kind):
    random = np.random.default_rng(seed)
    diagram = random_diagram(random, kind=kind)
    X = random.random((60, 4))
    flows = parse_flows(format_flows(diagram, X))
    assert [flow.samples for flow in flows] == walked(diagram, X)
    assert [flow.layer for flow in flows] == diagram.layer.tolist()
    for side, given in (("negative", diagram.negative), ("positive", diagram.positive)):
        names = [getattr(flow, side) for flow in flows]
        codes = [diagram.n_nodes + int(name[1:]) if name[0] == "c" else int(name) for name in names]
        assert codes == given.tolist()


def test_the_constant_classifier_has_no_nodes():
    constant = DecisionDiagram.constant(1, 2, 2)
    assert format_flows(constant, np.zeros((3, 2))) == ""
    assert parse_flows("") == ()


def test_text_and_flows_go_back_and_forth():
    flows = (NodeFlow(0, "c0", "1", 40), NodeFlow(1, "c11", "c2", 25))
    assert parse_flows(f"{flows[0]} {flows[1]}") == flows


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("junk", "flows is 'junk', and not nodes such as 0:1:c0:80 with spaces between"),
        ("0:c0:c1", "flows is '0:c0:c1', and not nodes such as 0:1:c0:80 with spaces between"),
        ("0:c0:c1:5 ", "flows is '0:c0:c1:5 ', and not nodes such as 0:1:c0:80 with spaces between"),
        ("0:c0:-1:5", "flows is '0:c0:-1:5', and not nodes such as 0:1:c0:80 with spaces between"),
        ("0:c0:c1:²", "flows is '0:c0:c1:²', and not nodes such as 0:1:c0:80 with spaces between"),
        ("1:c0:c1:5", "flows does not list its nodes layer by layer, from one root in layer 0"),
        ("0:c0:c1:5 0:c0:c1:5", "flows does not list its nodes layer by layer"),
        ("0:1:2:9 1:3:c1:5 2:c0:c1:5 1:c0:c1:4", "flows does not list its nodes layer by layer"),
        ("0:5:6:7 1:9:9:7", "flows has an arc from node 0 to 5, which is no node below it"),
        ("0:0:c1:5", "flows has an arc from node 0 to 0, which is no node below it"),
        ("0:1:2:9 1:c0:2:5 1:c0:c1:4", "flows has an arc from node 1 to 2, which is no node below it"),
        ("0:1:c0:5 1:c1:c1:5", "flows has both arcs of node 1 lead to c1"),
        ("0:1:c0:5 1:c1:c0:5 1:c0:c1:1", "flows has no arc to node 2"),
        ("0:1:c0:5 1:c1:c0:6", "flows has 6 samples in a node, of 5 in all"),
        ("0:c1:c0:0", "flows has 0 samples in a node, of 0 in all"),
    ],
)
def test_a_text_that_is_no_diagram_is_told(text, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        parse_flows(text)


# a root, two nodes below it, and one that both of these lead to
CROSSED = "0:1:2:4 1:3:c1:2 1:c0:3:2 2:c0:c1:2"


def test_a_shape_is_what_the_nodes_make():
    assert parse_shape(CROSSED) == DiagramShape((1, 2, 1), is_tree=False, n_classes=2)
    assert parse_shape("0:1:2:4 1:c0:c1:2 1:c2:c0:2") == DiagramShape((1, 2), is_tree=True, n_classes=3)
    assert parse_shape("") == DiagramShape((), is_tree=True, n_classes=0)
    assert parse_shape(CROSSED).n_nodes == 4


def test_a_shape_fits_its_trial():
    for skeleton, n_classes in (("1-2-1", 2), ("1-2-4-8", 3)):
        parse_shape(CROSSED).check(Skeleton.parse(skeleton), False, n_classes)
    parse_shape("").check(Skeleton.tree(1), True, 1)


@pytest.mark.parametrize(
    ("skeleton", "is_tree", "n_classes", "sentence"),
    [
        ("1-2", False, 2, "flows does not fit the skeleton 1-2"),
        ("1-1-1", False, 2, "flows does not fit the skeleton 1-1-1"),
        ("1-2-4", True, 2, "flows has two arcs to one node, and the trial is about trees"),
        ("1-2-4", False, 1, "flows has a class 1, and the data have 1 classes"),
    ],
)
def test_a_shape_that_cannot_be_of_its_trial_is_told(skeleton, is_tree, n_classes, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        parse_shape(CROSSED).check(Skeleton.parse(skeleton), is_tree, n_classes)


@pytest.mark.parametrize("seed", range(5))
def test_shapes_are_those_of_the_diagrams(seed):
    random = np.random.default_rng(seed)
    diagram = random_diagram(random)
    shape = parse_shape(format_flows(diagram, random.random((60, 4))))
    assert shape.widths == tuple(np.bincount(diagram.layer))
    assert shape.is_tree == diagram.is_tree
    assert shape.n_classes == diagram.arc_class.max() + 1


@pytest.mark.parametrize("seed", range(5))
def test_the_diagram_of_a_text_has_the_nodes_and_arcs_of_the_first(seed):
    random = np.random.default_rng(seed)
    diagram = random_diagram(random)
    flows = parse_flows(format_flows(diagram, random.random((60, 4))))
    built = build_diagram(flows, diagram.n_classes)
    for name in ("negative", "positive", "layer"):
        assert getattr(built, name).tolist() == getattr(diagram, name).tolist()
    assert built.n_classes == diagram.n_classes
