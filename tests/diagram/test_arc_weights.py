"""The weight of each class on each arc, against one row at a time."""

import numpy as np
import pytest

from oddlearn.diagram.routing import weights_on_arcs
from tests.diagram.drawings import random_diagram


def walk(diagram, row):
    """Return the arcs ``2 * node + side`` that a row takes, one after the other."""
    arcs, node = [], 0
    while node < diagram.n_nodes:
        side = int(diagram.splits[node].side(row[None])[0])
        arcs.append(2 * node + side)
        node = int((diagram.negative, diagram.positive)[side][node])
    return arcs


@pytest.mark.parametrize("seed", range(3))
def test_every_arc_weighs_what_the_rows_that_take_it_weigh(seed):
    random = np.random.default_rng(seed)
    diagram = random_diagram(random)
    X = random.random((40, diagram.n_features))
    class_weight = random.integers(0, 4, (40, diagram.n_classes)).astype(float)
    expected = np.zeros((diagram.n_arcs, diagram.n_classes))
    for row, weight in zip(X, class_weight, strict=True):
        expected[walk(diagram, row)] += weight
    assert len(np.unique(expected, axis=0)) > 2
    assert np.array_equal(weights_on_arcs(diagram, X, class_weight), expected)
