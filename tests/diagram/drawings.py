"""Small diagrams used by the tests."""

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit


def crossed():
    """Two features, two classes, node 3 has two incoming arcs.

                 0: x0 >= 0.5
               /              \\
       1: x1 >= 0.5          2: x1 >= 0.3
        /        \\           /         \\
       3       class 1    class 0        3: x0 >= 0.8 ? class 1 : class 0
    """
    tests = ((0, 0.5), (1, 0.5), (1, 0.3), (0, 0.8))
    splits = tuple(UnivariateSplit(feature, threshold) for feature, threshold in tests)
    return DecisionDiagram(splits, [1, 3, 4, 4], [2, 5, 3, 5], [0, 1, 1, 2], 2, 2)


def random_diagram(random, widths=(1, 2, 3, 3), n_classes=3, n_features=4, kind="univariate"):
    """Return a random diagram that uses every slot of the widths."""
    n_nodes = sum(widths)
    first = np.concatenate([[0], np.cumsum(widths)])
    layer = np.repeat(np.arange(len(widths)), widths)
    while True:
        pairs = [[_target(random, first, level, n_nodes, n_classes) for _ in (0, 1)] for level in layer]
        targets = np.array(pairs)
        reached = set(targets.ravel().tolist())
        if (targets[:, 0] != targets[:, 1]).all() and reached >= set(range(1, n_nodes)):
            splits = tuple(_split(random, n_features, kind) for _ in range(n_nodes))
            return DecisionDiagram(splits, targets[:, 0], targets[:, 1], layer, n_classes, n_features)


def _target(random, first, level, n_nodes, n_classes):
    if level + 2 < len(first) and random.random() < 0.9:
        return random.integers(first[level + 1], first[level + 2])
    return n_nodes + random.integers(n_classes)


def _split(random, n_features, kind):
    if kind == "univariate" or (kind == "mixed" and random.random() < 0.5):
        return UnivariateSplit(random.integers(n_features), random.random())
    weights = random.normal(size=n_features) * (random.random(n_features) < 0.7)
    return MultivariateSplit(weights, random.normal() * 0.3)
