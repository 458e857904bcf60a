"""Diagrams with notes and rows, for the tests of exporters."""

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import Notes
from oddlearn.diagram.routing import weights_on_arcs
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from tests.diagram.drawings import random_diagram

AWKWARD_NAMES = ("a < b", 'say "x"', "price in $ & more", "a long name of a feature with many words " * 3)


def drawn(seed, kind="mixed", widths=(1, 2, 3, 3), names=AWKWARD_NAMES):
    """Return a random diagram, its notes and the rows they tell of."""
    random = np.random.default_rng(seed)
    diagram = random_diagram(random, widths, kind=kind)
    # few digits, so that rows lie on thresholds too
    X = random.random((300, 4)).round(2)
    splits = [split.with_threshold(round(split.threshold, 2)) for split in diagram.splits]
    diagram = diagram.with_splits(tuple(splits))
    weights = weights_on_arcs(diagram, X, np.eye(3)[random.integers(0, 3, 300)])
    return diagram, Notes(names, ("one", "<two>", "three"), weights), X


# one row per feature: what people ask about
PEOPLE = (
    Feature("age"),
    Feature("colour", "red", "category"),
    Feature("colour", "blue", "category"),
    Feature("smoker", None, "boolean"),
)


def people_notes(n_arcs):
    """Return notes without counts on the features of PEOPLE."""
    names = tuple(feature.name for feature in PEOPLE)
    return Notes(names, ("well", "ill"), np.zeros((n_arcs, 2)), PEOPLE)


def chain(*tests):
    """Return the diagram that asks one test after another, and says class 1 as soon as one is met.

    A test is a pair of feature and threshold, or of weights and threshold.
    """
    n_nodes = len(tests)
    splits = tuple(_split(key, threshold) for key, threshold in tests)
    following = [*range(1, n_nodes), n_nodes]
    return DecisionDiagram(splits, following, [n_nodes + 1] * n_nodes, range(n_nodes), 2, 4)


def _split(key, threshold):
    if isinstance(key, int):
        return UnivariateSplit(key, threshold)
    return MultivariateSplit(np.array(key), threshold)
