"""Models and pages the tests of the report share."""

import json
import math
from html.parser import HTMLParser

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import weights_on_arcs
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from tests.diagram.drawings import random_diagram

NASTY = (
    "</script><script>window.injected=1</script>",
    '"><img src=x onerror="window.injected=1">',
    "a & b < c {{data}} '",
    "<!--\u2028javascript:alert(1)//",
)
PLAIN = ("age", "income", "debts", "years")


def noted(diagram, X, codes, names=None, labels=None, features=()):
    """Return the metadata of a diagram trained on these rows."""
    weights = weights_on_arcs(diagram, X, np.eye(diagram.n_classes)[codes])
    return ModelMetadata(names, labels or tuple(range(diagram.n_classes)), weights, features)


def drawn(seed, kind="mixed", names=PLAIN, labels=("one", "two", "three"), n_rows=60):
    """Return a random diagram of 9 nodes, its metadata, rows of which some lie on thresholds, and labels."""
    random = np.random.default_rng(seed)
    diagram, ties = tied(random_diagram(random, kind=kind), random)
    X = np.vstack([random.random((n_rows, 4)), ties])
    codes = random.integers(0, 3, len(X))
    return diagram, noted(diagram, X, codes, names, labels), X, np.array(labels)[codes]


def tied(diagram, random):
    """Return the diagram with other thresholds, and rows that lie on them or just below: 10 per node."""
    splits, rows = [], []
    for split in diagram.splits:
        on = random.random((60, diagram.n_features))
        # first a row whose sum comes out smaller when it is added up the other way round
        backwards = on[:, ::-1] @ np.diag(split.dense_weights(diagram.n_features)[::-1])
        on = on[np.argsort(np.cumsum(backwards, axis=1)[:, -1] - split.key(on), kind="stable")][:5]
        split = split.with_threshold(float(split.key(on)[0]))
        if isinstance(split, UnivariateSplit):
            on[:, split.feature] = split.threshold
        below = on.copy()
        below[:, int(np.argmax(np.abs(split.dense_weights(diagram.n_features))))] -= 1e-15
        splits.append(split)
        rows += [on, below]
    return diagram.with_splits(tuple(splits)), np.vstack(rows)


def coloured():
    """Return a diagram on a number, a boolean and a colour, with its metadata, rows and labels.

    0: colour = red ? (1: owner is true ? yes : no) : (2: 0.5 size + [colour = blue] >= 1.25 ? yes : no)
    """
    features = (
        Feature("size"),
        Feature("owner", kind="boolean"),
        Feature("colour", "red", "category"),
        Feature("colour", "green", "category"),
        Feature("colour", "blue", "category"),
    )
    splits = (UnivariateSplit(2, 0.5), MultivariateSplit([0.5, 0, 0, 0, 1.0], 1.25), UnivariateSplit(1, 0.5))
    diagram = DecisionDiagram(splits, [1, 3, 3], [2, 4, 4], [0, 1, 1], 2, 5)
    random = np.random.default_rng(0)
    colour = np.eye(4)[random.integers(0, 4, 60)][:, :3]  # the fourth is none of those known
    X = np.column_stack([random.integers(0, 6, 60), random.integers(0, 2, 60), colour]).astype(float)
    codes = random.integers(0, 2, 60)
    names = tuple(feature.name for feature in features)
    metadata = noted(diagram, X, codes, names, ("no", "yes"), features)
    return diagram, metadata, X, np.array(["no", "yes"])[codes]


def lacking():
    """Return a diagram on a number and a boolean that may be missing and one that is not; rows, labels.

    0: age is missing ? (1: owner is missing ? yes : no) : (2: age >= 41 ? (3: pay >= 2 or missing) : no)
    """
    features = (
        Feature("age", has_missing=True),
        Feature("owner", kind="boolean"),
        Feature("owner", kind="missing"),
        Feature("pay", has_missing=True),
    )
    splits = (
        UnivariateSplit.is_missing(0),
        UnivariateSplit(0, 41.0),
        UnivariateSplit(2, 0.5),
        UnivariateSplit(3, 2.0, missing_positive=True),
    )
    diagram = DecisionDiagram(splits, [1, 4, 4, 4], [2, 3, 5, 5], [0, 1, 1, 2], 2, 4)
    random = np.random.default_rng(0)
    owner = random.integers(0, 3, 60)
    X = np.column_stack([random.integers(20, 60, 60), owner == 1, owner == 2, random.random(60) * 4])
    X[::3, 0] = X[1::4, 3] = np.nan
    codes = random.integers(0, 2, len(X))
    names = tuple(feature.name for feature in features)
    metadata = noted(diagram, X, codes, names, ("no", "yes"), features)
    return diagram, metadata, X, np.array(["no", "yes"])[codes]


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text of its scripts."""

    def __init__(self, page):
        super().__init__()
        self.found, self.scripts, self.text = [], [], []
        self._inside = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)


def embedded(page):
    """Return what the page's script reads."""
    return json.loads(Elements(page).scripts[0])


def followed(data, values):
    """Return the final arc of a sample by the embedded content, in plain Python."""
    place = arc = 0
    while place < len(data["nodes"]):
        node = data["nodes"][place]
        key = 0.0
        for feature, weight in zip(node["features"], node["weights"], strict=True):
            key += weight * (math.nan if values[feature] is None else values[feature])
        if node["missing"] is not None and key != key:
            side = node["missing"]
        else:
            side = 1 - node["missing"] if node["threshold"] is None else int(key >= node["threshold"])
        arc, place = 2 * place + side, node["targets"][side]
    return arc
