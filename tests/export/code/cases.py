"""Diagrams, notes and rows on which every export must agree with ``predict``."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import Notes
from oddlearn.diagram.routing import walk
from oddlearn.diagram.splits import MultivariateSplit
from tests.diagram.drawings import random_diagram

AWKWARD_LABELS = ("it's", 'say "x"\n  ??/ ', "back\\slash %s é")
AWKWARD_NAMES = ("the 'first'", 'a "quoted" name', "`back` \\ticks\\ */", "ü, {0} ?")


@dataclass(frozen=True)
class Case:
    diagram: DecisionDiagram
    notes: Notes
    X: np.ndarray

    @property
    def codes(self):
        return self.diagram.predict(self.X)

    @property
    def expected(self):
        """Labels of the rows, as plain Python values."""
        return [self.notes.class_labels[code] for code in self.codes]

    @property
    def probabilities(self):
        shares = self.notes.probabilities(self.diagram.arc_class)
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
    notes = model.notes_
    if name == "iris":
        notes = Notes(AWKWARD_NAMES, notes.class_labels, notes.arc_weights)
    return Case(model.diagram_, notes, X)


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
    reached = walk(case.diagram, case.X).reached
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
    return tied(Case(diagram, Notes(None, labels, weights), random.normal(size=(200, diagram.n_features))))


def constant():
    notes = Notes(("only",), ("no", "yes"), np.array([[3.0, 4.0]]))
    return Case(DecisionDiagram.constant(1, 2, 1), notes, np.array([[0.0], [1.5]]))


def weightless():
    """A multivariate split without weights sends every row to one side."""
    splits = (MultivariateSplit(np.zeros(2), 0.0),)
    diagram = DecisionDiagram(splits, [1], [2], [0], 2, 2)
    return Case(diagram, Notes(None, ("no", "yes"), np.ones((2, 2))), np.array([[1.0, -2.0], [0.0, 0.0]]))


WIDE = {"widths": (1, 2, 4, 4, 4), "n_classes": 10, "n_features": 6}

CASES = {
    **{f"{name} {kind}": (case_of, name, kind) for name in DATA_SETS for kind in KINDS},
    "wide univariate": (drawn, 1, "univariate"),
    "wide mixed": (drawn, 2, "mixed"),
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
