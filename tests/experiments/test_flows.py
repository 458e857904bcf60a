"""What passes each node, as text and back, against rows that are led through the diagram one by one."""

import numpy as np
import pytest

from oddlearn.diagram import DecisionDiagram
from oddlearn.experiments.flows import Flow, flows_text, read_flows
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
    assert flows_text(crossed(), X) == "0:1:2:4 1:3:c1:2 1:c0:3:2 2:c0:c1:2"


@pytest.mark.parametrize("kind", ["univariate", "multivariate"])
@pytest.mark.parametrize("seed", range(5))
def test_samples_are_those_of_a_walk_of_every_row(seed, kind):
    random = np.random.default_rng(seed)
    diagram = random_diagram(random, kind=kind)
    X = random.random((60, 4))
    flows = read_flows(flows_text(diagram, X))
    assert [flow.samples for flow in flows] == walked(diagram, X)
    assert [flow.layer for flow in flows] == diagram.layer.tolist()
    for side, given in (("negative", diagram.negative), ("positive", diagram.positive)):
        names = [getattr(flow, side) for flow in flows]
        codes = [diagram.n_nodes + int(name[1:]) if name[0] == "c" else int(name) for name in names]
        assert codes == given.tolist()


def test_the_constant_classifier_has_no_nodes():
    constant = DecisionDiagram.constant(1, 2, 2)
    assert flows_text(constant, np.zeros((3, 2))) == ""
    assert read_flows("") == ()


def test_text_and_flows_go_back_and_forth():
    flow = Flow(2, "c0", "11", 40)
    assert read_flows(f"{flow} {flow}") == (flow, flow)
