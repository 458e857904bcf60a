"""Limits on nodes and flows against counting by hand, on random diagrams."""

import numpy as np
import pytest

from oddlearn.constraints import MaxDepth, MaxNodes, MaxNodesPerLayer, MinFlow, MinFlowPerArc
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import constraint_statuses, evaluate
from oddlearn.problem.training_problem import build_problem
from tests.solve.milp.solving import random_diagram


def problem(seed, *constraints, weighted=True, skeleton="1-2-3"):
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, (30, 2)) / 5
    weight = random.integers(1, 4, 30).astype(float) if weighted else None
    data = TrainingData.collect(X, random.integers(0, 2, 30), 2, weight)
    return build_problem(data, Skeleton.parse(skeleton), 0.1, "univariate", 1e-3, None, constraints)


def arcs_by_hand(posed, diagram):
    """Return the weight on the negative and positive arc of each node, sent down row by row."""
    weight = posed.data.class_weight.sum(axis=1)
    flow = np.zeros((diagram.n_nodes, 2))
    for row, own in zip(posed.data.X, weight, strict=True):
        node = 0
        while node < diagram.n_nodes:
            side = int(diagram.splits[node].side(row[None])[0])
            flow[node, side] += own
            node = int((diagram.negative, diagram.positive)[side][node])
    return flow


@pytest.mark.parametrize("seed", range(30))
def test_violations_are_those_counted_by_hand(seed):
    posed = problem(seed)
    diagram = random_diagram(posed, seed)
    if diagram.n_nodes == 0:
        return
    flow = arcs_by_hand(posed, diagram)
    layers = np.bincount(diagram.layer, minlength=3)
    total = posed.data.total_weight
    expected = {
        MaxNodes(2): max(0, diagram.n_nodes - 2),
        MaxDepth(1): diagram.n_nodes - 1,
        MaxDepth(7): 0,
        MaxNodesPerLayer(1): max(0, layers.max() - 1),
        MaxNodesPerLayer((1, 1, 0)): max(layers[1] - 1, layers[2], 0),
        MinFlow(25): max(0.0, 25 - flow.sum(axis=1).min()),
        MinFlow(0.4): max(0.0, np.ceil(0.4 * total) - flow.sum(axis=1).min()),
    }
    for constraint, violation in expected.items():
        assert evaluate(problem(seed, constraint), diagram).raw_violation == pytest.approx(violation)
    is_constant = diagram.n_nodes == 1 and flow.min() == 0
    per_arc = evaluate(problem(seed, MinFlowPerArc(9)), diagram).raw_violation
    assert per_arc == pytest.approx(0.0 if is_constant else max(0.0, 9 - flow.min()))


def test_the_constant_diagram_keeps_every_limit():
    limits = (MaxNodes(1), MaxDepth(1), MaxNodesPerLayer(1), MinFlow(1.0), MinFlowPerArc(1.0))
    posed = problem(0, *limits)
    constant = DecisionDiagram.constant(1, 2, 2)
    assert evaluate(posed, constant).raw_violation == 0
    told = constraint_statuses(posed, constant)
    assert [entry.reached for entry in told[:2]] == ["1 node", "1 layer"]
    assert "one class" in told[-1].reached and told[-1].slack == np.inf


def test_a_root_that_passes_everything_on_to_a_node_has_an_empty_arc():
    everything_up, halves = UnivariateSplit(0, -1.0), UnivariateSplit(0, 0.5)
    diagram = DecisionDiagram((everything_up, halves), [2, 2], [1, 3], [0, 1], 2, 2)
    assert evaluate(problem(0, MinFlowPerArc(1)), diagram).raw_violation == 1


def test_requirements_say_what_is_reached_and_what_is_left():
    posed = problem(1, MaxNodes(2), MinFlow(5), MinFlowPerArc(3), weighted=False)
    splits = (UnivariateSplit(0, 0.5), UnivariateSplit(1, 0.5))
    diagram = DecisionDiagram(splits, [2, 2], [1, 3], [0, 1], 2, 2)
    flow = arcs_by_hand(posed, diagram)
    nodes, at_nodes, on_arcs = constraint_statuses(posed, diagram)
    assert (nodes.reached, nodes.slack) == ("2 nodes", 0)
    assert at_nodes.slack == flow.sum(axis=1).min() - 5
    assert on_arcs.reached == f"{flow.min():g} samples on the arc with the fewest"


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (MaxNodes(1), "at most 1 node"),
        (MaxNodes(2), "at most 2 nodes"),
        (MaxNodesPerLayer(1), "at most 1 node in a layer"),
        (MaxNodesPerLayer((1, 2, 1)), "at most 1, 2, 1 nodes in the layers"),
        (MaxDepth(1), "at most 1 layer of nodes"),
        (MaxDepth(2), "at most 2 layers of nodes"),
        (MinFlow(1), "at least 1 sample through every node"),
        (MinFlow(2), "at least 2 samples through every node"),
        (MinFlow(0.05), "at least 5 % of the samples through every node"),
        (MinFlowPerArc(1), "at least 1 sample on every arc"),
        (MinFlowPerArc(20), "at least 20 samples on every arc"),
    ],
)
def test_limits_are_said_in_words(constraint, words):
    assert constraint.describe() == words


def test_shares_are_shares_of_the_sample_weights():
    posed = problem(2, MinFlow(0.5))
    least = -posed.rows.matrix[[0]].toarray()[0, posed.layout.used[1]]
    assert least == np.ceil(0.5 * posed.data.total_weight)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: MaxNodes(0), "at least 1"),
        (lambda: MaxNodes(2.5), "whole number"),
        (lambda: MaxNodes(True), "whole number"),
        (lambda: MaxDepth(0), "at least 1"),
        (lambda: MaxNodesPerLayer([0, 1]), "at least 1"),
        (lambda: MaxNodesPerLayer([]), "empty"),
        (lambda: MaxNodesPerLayer("1-2"), "whole number"),
        (lambda: MinFlow(0), "at least 1"),
        (lambda: MinFlow(0.0), "above 0"),
        (lambda: MinFlow(1.5), "from 0 to 1"),
        (lambda: MinFlow(float("nan")), "from 0 to 1"),
        (lambda: MinFlowPerArc(-3), "at least 1"),
        (lambda: problem(0, MinFlow(1000)), "the training data have"),
        (lambda: problem(0, MinFlowPerArc(1000)), "the training data have"),
        (lambda: problem(0, MaxNodesPerLayer([1, 2])), "3 layers"),
    ],
)
def test_limits_without_sense_are_refused(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        make()
