"""Diagrams, metadata and rows on which every export must agree with ``predict``."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from tests.diagram.drawings import random_diagram

AWKWARD_LABELS = ("it's", 'say "x"\n  ??/ ', "back\\slash %s é")
AWKWARD_NAMES = ("the 'first'", 'a "quoted" name', "`back` \\ticks\\ */", "ü, {0} ?")


@dataclass(frozen=True)
class Case:
    diagram: DecisionDiagram
    metadata: ModelMetadata
    X: np.ndarray

    @property
    def codes(self):
        return self.diagram.predict(self.X)

    @property
    def expected(self):
        """Labels of the rows, as plain Python values."""
        return [self.metadata.class_labels[code] for code in self.codes]

    @property
    def probabilities(self):
        shares = self.metadata.probabilities(self.diagram)
        return shares[self.diagram.route(self.X).final_arc]


def tables():
    """Five data sets; labels are text, whole numbers, booleans, ten whole numbers, and floats."""
    iris, wine, cancer, digits = load_iris(), load_wine(), load_breast_cancer(), load_digits()
    random = np.random.default_rng(0)
    grid = random.integers(0, 5, (300, 3)).astype(float)
    return {
        "iris": (iris.data, np.array(AWKWARD_LABELS)[iris.target]),
        "wine": (wine.data, wine.target * 10 - 10),
        "cancer": (cancer.data, cancer.target == 1),
        "digits": (digits.data[:600], digits.target[:600]),
        "grid": (grid, grid.sum(axis=1) % 3 - 1.0),
    }


KINDS = ("univariate", "multivariate")

DATA_SETS = ("iris", "wine", "cancer", "digits", "grid")


@cache
def fitted(name, split):
    X, y = tables()[name]
    model = OptimalDecisionDiagramClassifier(
        "1-2-4-4-4", split=split, alpha=0.005, max_iter=1, exact=None, random_state=0
    ).fit(X, y)
    return model, X


def case_of(name, split):
    """Return the diagram fitted to a data set, with its rows."""
    model, X = fitted(name, split)
    metadata = model.metadata_
    if name == "iris":
        metadata = ModelMetadata(AWKWARD_NAMES, metadata.class_labels, metadata.arc_weights)
    return Case(model.diagram_, metadata, X)


@cache
def coloured(split):
    """Return a model of text, booleans, whole numbers as categories, and numbers; and its table."""
    pandas = pytest.importorskip("pandas")
    random, n = np.random.default_rng(1), 80
    X = pandas.DataFrame(
        {
            "the colour": random.choice(["red", "it's, green", "blue"], n),
            "big": random.random(n) < 0.5,
            "floor": pandas.Categorical(random.integers(0, 4, n)),
            "sex": random.choice(["female", "male"], n),
            "age": random.normal(size=n).round(3),
        }
    )
    is_special = (X["the colour"] == "red") & X["big"] | (X["floor"] == 2) & (X["sex"] == "male")
    y = np.where(is_special | (X["age"] > 1), "yes", "no")
    model = OptimalDecisionDiagramClassifier("1-2-3-3", split=split, max_iter=3, exact=None, random_state=0)
    return model.fit(X, y), X


def tied(case):
    """Return the case with every threshold moved onto a row that reaches the node, and rows beside them."""
    reached = route_reference(case.diagram, case.X).reached
    splits = []
    for node, split in enumerate(case.diagram.splits):
        key = np.sort(split.key(case.X[reached[:, node]]))
        splits.append(split.with_threshold(float(key[key.size // 2]) if key.size else 0.0))
    diagram = case.diagram.with_splits(tuple(splits))
    beside = [_beside(split, case.X) for split in splits]
    return replace(case, diagram=diagram, X=np.vstack([case.X, *beside]))


def _beside(split, X):
    """Return rows on a univariate threshold and one step to either side of it."""
    if isinstance(split, MultivariateSplit):
        return X[:0]
    rows = np.repeat(X[:5], 3, axis=0)
    t = split.threshold
    rows[:, split.feature] = np.tile([np.nextafter(t, -np.inf), t, np.nextafter(t, np.inf)], 5)
    return rows


def drawn(seed, kind, **sizes):
    """Return a random diagram with shared nodes, and rows that lie on all of its thresholds."""
    random = np.random.default_rng(seed)
    diagram = random_diagram(random, kind=kind, **sizes)
    weights = random.random((diagram.n_arcs, diagram.n_classes)) * 10
    labels = tuple(f"class {code}" for code in range(diagram.n_classes))
    return tied(
        Case(diagram, ModelMetadata(None, labels, weights), random.normal(size=(200, diagram.n_features)))
    )


def lacking(seed, kind):
    """Return a random diagram with every kind of split, and rows with missing values in every place.

    Sums look at the last two features only, which are never missing; of the others every second one was
    missing in training.
    """
    random = np.random.default_rng(seed)
    diagram = random_diagram(random, kind=kind, **WIDE)
    diagram = diagram.with_splits(tuple(_lacking_split(random, split) for split in diagram.splits))
    features = tuple(Feature(f"f{place}", has_missing=place % 2 == 0) for place in range(WIDE["n_features"]))
    labels = tuple(f"class {code}" for code in range(diagram.n_classes))
    weights = random.random((diagram.n_arcs, diagram.n_classes)) * 10
    metadata = ModelMetadata(tuple(feature.name for feature in features), labels, weights, features)
    # float32 numbers, on which a scikit-learn tree agrees
    X = random.random((400, len(features))).astype(np.float32).astype(np.float64)
    places = slice(None) if kind == "univariate" else slice(0, -2)
    X[:, places][random.random(X[:, places].shape) < 0.3] = np.nan
    X[0, places] = np.nan
    return Case(diagram, metadata, X)


def _lacking_split(random, split):
    if isinstance(split, MultivariateSplit):
        return MultivariateSplit([0, 0, 0, 0, *split.weights[4:]], split.threshold)
    positive = bool(random.random() < 0.5)
    if random.random() < 0.3:
        return UnivariateSplit.is_missing(split.feature, positive=positive)
    return split.with_missing(positive)


@cache
def lacking_table(split):
    """Return a model of a table with missing values in columns of every kind, and rows that lack others."""
    pandas = pytest.importorskip("pandas")
    random, n = np.random.default_rng(2), 160
    X = pandas.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue", None], n),
            "town": random.choice(["a", "b", "c", *"defghijk"], n, p=[0.3, 0.3, 0.24, *[0.02] * 8]),
            "big": random.choice(np.array([True, False, None], dtype=object), n),
            "age": np.where(random.random(n) < 0.3, np.nan, random.normal(size=n).round(3)),
            "pay": random.normal(size=n).round(3),
        }
    )
    y = (X["age"].isna() & (X["pay"] > 0)) | (X["age"] > 0.5) | X["big"].isna() | (X["town"] == "d")
    model = OptimalDecisionDiagramClassifier(
        "1-2-4-4", split=split, alpha=0.0, min_frequency=8, max_iter=5, exact=None, random_state=0
    ).fit(X, np.where(y ^ (X["colour"] == "red"), "yes", "no"))
    rows = X.astype(object).where(random.random(X.shape) < 0.7, None)
    rows = rows.astype({"age": float, "pay": float})
    return model, rows


def unnamed(metadata):
    """Return the metadata without names, so that scikit-learn takes arrays without a warning."""
    return ModelMetadata(None, metadata.class_labels, metadata.arc_weights)


def constant():
    metadata = ModelMetadata(("only",), ("no", "yes"), np.array([[3.0, 4.0]]))
    return Case(DecisionDiagram.constant(1, 2, 1), metadata, np.array([[0.0], [1.5]]))


def weightless():
    """A multivariate split without weights sends every row to one side."""
    splits = (MultivariateSplit(np.zeros(2), 0.0),)
    diagram = DecisionDiagram(splits, [1], [2], [0], 2, 2)
    return Case(
        diagram, ModelMetadata(None, ("no", "yes"), np.ones((2, 2))), np.array([[1.0, -2.0], [0.0, 0.0]])
    )


WIDE = {"widths": (1, 2, 4, 4, 4), "n_classes": 10, "n_features": 6}

CASES = {
    **{f"{name} {kind}": (case_of, name, kind) for name in DATA_SETS for kind in KINDS},
    "wide univariate": (drawn, 1, "univariate"),
    "wide mixed": (drawn, 2, "mixed"),
    "missing univariate": (lacking, 3, "univariate"),
    "missing mixed": (lacking, 5, "mixed"),
    "constant": (constant,),
    "weightless": (weightless,),
}


@cache
def case(name):
    """Return a case by name; those of the data sets have rows on every threshold."""
    make, *arguments = CASES[name]
    if make is drawn:
        return drawn(*arguments, **WIDE)
    return tied(make(*arguments)) if make is case_of else make(*arguments)


every_case = pytest.mark.parametrize("name", CASES)
