"""Class probabilities: frequencies of an arc, shrunk towards the node above; the predicted class is first."""

import numpy as np
import pytest

from oddlearn.diagram.class_probabilities import class_probabilities, keep_predicted_first
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from tests.diagram.drawings import random_diagram


def stump(negative=0, positive=1, n_classes=2):
    arcs = (np.array([1 + negative]), np.array([1 + positive]), np.array([0]))
    return DecisionDiagram((UnivariateSplit(0, 0.5),), *arcs, n_classes, 1)


def chain():
    """The root's negative arc is final, its positive one leads to node 1, whose arcs predict 0 and 1."""
    splits = (UnivariateSplit(0, 0.5), UnivariateSplit(0, 1.5))
    return DecisionDiagram(splits, np.array([2, 2]), np.array([1, 3]), np.array([0, 1]), 2, 1)


def merged():
    """Nodes 1 and 2 have one final arc each; their other arcs lead to node 3."""
    splits = tuple(UnivariateSplit(0, 0.5) for _ in range(4))
    layer = np.array([0, 1, 1, 2])
    return DecisionDiagram(splits, np.array([1, 4, 3, 4]), np.array([2, 3, 5, 5]), layer, 2, 1)


def test_an_arc_of_a_stump_is_shrunk_by_five_rows_of_the_root():
    weights = np.array([[30.0, 10.0], [0.0, 8.0]])
    root = np.array([30.5, 18.5]) / 49
    expected = [(weights[0] + 5 * root) / 45, (weights[1] + 5 * root) / 13]
    assert class_probabilities(stump(), weights, 1.0) == pytest.approx(np.array(expected), abs=1e-5)


def test_shrinkage_goes_on_from_layer_to_layer():
    weights = np.array([[40.0, 0.0], [10.0, 20.0], [9.0, 1.0], [1.0, 19.0]])
    root = np.array([50.5, 20.5]) / 71
    above = (weights[1] + 5 * root) / 35
    assert class_probabilities(chain(), weights, 1.0)[3] == pytest.approx(
        (weights[3] + 5 * above) / 25, abs=1e-5
    )


def test_a_node_of_two_arcs_has_their_mean():
    weights = np.array([[30, 10], [10, 40], [28, 2], [2, 8], [8, 2], [2, 38], [9, 1], [1, 9]], dtype=float)
    root = np.array([40.5, 50.5]) / 91
    nodes = [(weights[arc] + 5 * root) / (weights[arc].sum() + 5) for arc in (0, 1)]
    arcs = [(weights[arc] + 5 * nodes[arc - 3]) / 15 for arc in (3, 4)]
    expected = (weights[6] + 5 * (arcs[0] + arcs[1]) / 2) / 15
    assert class_probabilities(merged(), weights, 1.0)[6] == pytest.approx(expected, abs=1e-5)


def test_an_arc_without_rows_has_the_probabilities_of_its_node():
    weights = np.array([[30.0, 9.0], [0.0, 0.0]])
    assert class_probabilities(stump(), weights, 1.0)[1] == pytest.approx(
        np.array([30.5, 9.5]) / 40, abs=1e-5
    )
    nowhere = np.array([[3.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])  # nor do rows reach its node
    assert np.isfinite(class_probabilities(chain(), nowhere, 1.0)).all()


def test_of_two_pure_arcs_the_one_with_more_rows_is_more_certain():
    weights = np.array([[40.0, 0.0], [10.0, 20.0], [8.0, 0.0], [2.0, 20.0]])
    shares = class_probabilities(chain(), weights, 1.0)
    assert shares[0, 0] > shares[2, 0] > 0.5


@pytest.mark.parametrize("seed", range(50))
def test_the_class_of_an_arc_is_the_most_probable_where_it_is_the_most_frequent(seed):
    random = np.random.default_rng(seed)
    weights = random.integers(0, 4, (2, 3)) * random.choice([0.01, 1.0, 50.0], 3)
    weights[0] += random.integers(0, 200, 3)
    codes = weights.argmax(axis=1)
    if codes[0] == codes[1]:  # arcs of one node lead to different ends
        weights[0] = np.roll(weights[0], 1)
        codes = weights.argmax(axis=1)
    shares = class_probabilities(stump(*codes, 3), weights, float(random.choice([0.1, 1.0, 20.0])))
    assert shares.sum(axis=1) == pytest.approx(1.0)
    if weights[1].sum() > 0:
        assert shares.argmax(axis=1).tolist() == codes.tolist()


def test_the_predicted_class_wins_ties():
    weights = np.array([[2.0, 2.0, 1.0], [40.0, 0.0, 0.0]])
    assert class_probabilities(stump(1, 0, 3), weights, 1.0)[0].argmax() == 1


def test_a_constant_has_the_frequencies_of_all_rows_and_one_more_spread_evenly():
    shares = class_probabilities(DecisionDiagram.constant(0, 2, 1), np.array([[3.0, 1.0]]), 1.0)
    assert shares == pytest.approx(np.array([[3.5 / 5, 1.5 / 5]]), abs=1e-5)


def test_multiplying_all_weights_changes_nothing():
    weights = np.array([[40.0, 3.0], [10.0, 20.0], [9.0, 1.0], [1.0, 19.0]])
    plain = class_probabilities(chain(), weights, 1.0)
    assert class_probabilities(chain(), 7 * weights, 7.0) == pytest.approx(plain)


def slow_probabilities(diagram, weights, row_weight):
    """Shrink arc by arc, node by node; then move final arcs towards their frequencies by small steps."""
    n_classes = weights.shape[1]
    at_root = weights[:2].sum(axis=0) + row_weight / n_classes
    inside = [[] for _ in range(diagram.n_nodes)]
    inside[0].append((1.0, at_root / at_root.sum()))
    shares = np.zeros(weights.shape)
    for node in range(diagram.n_nodes):
        share = sum(part * q for part, q in inside[node]) / sum(part for part, _ in inside[node])
        for side, targets in enumerate((diagram.negative, diagram.positive)):
            own = weights[2 * node + side]
            shares[2 * node + side] = (own + 5 * row_weight * share) / (own.sum() + 5 * row_weight)
            if targets[node] < diagram.n_nodes:
                part = max(own.sum(), 1e-6 * row_weight)
                inside[targets[node]].append((part, shares[2 * node + side]))
    for arc in diagram.final_arcs:
        code, own = diagram.arc_class[arc], weights[arc]
        if own.sum() > 0 and own[code] == own.max():
            for step in np.linspace(1.0, 0.0, 2001):
                moved = own / own.sum() + step * (shares[arc] - own / own.sum())
                if moved[code] >= moved.max() - 1e-12:
                    break
            shares[arc] = moved
    return shares


@pytest.mark.parametrize("seed", range(12))
def test_probabilities_are_those_of_a_slow_twin(seed):
    random = np.random.default_rng(seed)
    diagram = random_diagram(random)
    rows, weight = random.random((60, 4)), random.choice([1.0, 2.0, 5.0], 60)
    trace, codes = diagram.route(rows), random.integers(0, 3, 60)
    weights = np.zeros((2 * diagram.n_nodes, 3))
    for node in range(diagram.n_nodes):
        at = [i for i in range(60) if _passes(diagram, rows[i], node)]
        for i in at:
            weights[2 * node + int(diagram.splits[node].side(rows[[i]])[0]), codes[i]] += weight[i]
    found = class_probabilities(diagram, weights, 2.0)
    assert trace.final_arc.size == 60
    np.testing.assert_allclose(found, slow_probabilities(diagram, weights, 2.0), atol=2e-3)


def _passes(diagram, row, node):
    at = 0
    while at < diagram.n_nodes and at != node:
        at = int((diagram.negative, diagram.positive)[int(diagram.splits[at].side(row[None])[0])][at])
    return at == node


def test_a_predicted_class_that_fell_behind_is_moved_level_with_the_first():
    shares, weights = np.array([0.2, 0.5, 0.3]), np.array([4.0, 3.0, 3.0])
    # own frequencies 0.4 0.3 0.3: a third of the way from them to the shares both classes have 0.3333
    found = keep_predicted_first(shares, weights, 0)
    assert found == pytest.approx([0.35, 0.35, 0.3], abs=2e-6)
    assert found[0] > found[1]
    # a class that is not the most frequent one stays behind
    assert keep_predicted_first(shares, weights, 2) == pytest.approx(shares, abs=2e-6)
    # without rows there is nowhere to move
    assert keep_predicted_first(shares, np.zeros(3), 0) == pytest.approx(shares, abs=2e-6)
    assert keep_predicted_first(shares, weights, 0).sum() == pytest.approx(1.0)
    assert shares.tolist() == [0.2, 0.5, 0.3]
