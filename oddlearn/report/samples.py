"""The rows a page shows: checked, and the few of them that are written into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.labels import Label
from oddlearn.errors import InvalidInputError

# rows written into the page, and how long their text may be
MOST_ROWS = 200
MOST_CHARACTERS = 1_000_000

# characters of a row's name
LONGEST_NAME = 40


@dataclass(frozen=True, eq=False)
class Samples:
    """Rows in the diagram's units, what they are called and, where known, their classes.

    Attributes
    ----------
    X : (n, n_features) float
    codes : (n,) int or None
        True class of each row.
    final_arc, predicted : (n,) int
        Where the diagram sends each row.
    names : tuple of str
    weights : (n,) float or None
        What each row counts; None is 1 each.
    """

    X: FloatArray
    codes: IntArray | None
    final_arc: IntArray
    predicted: IntArray
    names: tuple[str, ...]
    weights: FloatArray | None = None

    @property
    def row_weights(self) -> FloatArray:
        """What each row counts, shape (n,)."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @property
    def total(self) -> float:
        """Weight of all rows, their number without weights."""
        return float(self.row_weights.sum())

    @property
    def right(self) -> float:
        """Weight of the rows predicted right, 0 when their classes are not known."""
        return 0.0 if self.codes is None else float(self.row_weights[self.codes == self.predicted].sum())

    @property
    def said(self) -> str:
        """What is said after numbers that count weights; nothing for numbers of rows."""
        return "" if self.weights is None else ", weighted"

    def confusion(self, n_classes: int) -> FloatArray:
        """Return the weight of the rows of each class that are given each class, [true, predicted]."""
        sums = np.zeros((n_classes, n_classes))
        if self.codes is not None:
            np.add.at(sums, (self.codes, self.predicted), self.row_weights)
        return sums


def samples_of(
    diagram: DecisionDiagram,
    labels: Sequence[Label],
    rows: ArrayLike,
    y: ArrayLike | None,
    names: Sequence[str],
    weights: ArrayLike | None = None,
) -> Samples:
    """Send checked rows through the diagram.

    Parameters
    ----------
    diagram : DecisionDiagram
    labels : sequence
        Label of each class code.
    rows : (n, n_features) array-like
        Numbers in the diagram's units.
    y : (n,) array-like or None
        Labels of the rows.
    names : sequence of str
        One per row.
    weights : (n,) array-like or None
        What each row counts.
    """
    X = checked_numbers(rows, diagram.n_features)
    codes = None if y is None else read_only_integers(coded(y, labels, len(X)))
    trace = diagram.route(X)
    cut = tuple(name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…" for name in names)
    checked = None if weights is None else checked_weights(weights, len(X))
    return Samples(X, codes, trace.final_arc, trace.predicted, cut, checked)


def checked_numbers(rows: ArrayLike, n_features: int) -> FloatArray:
    """Return the rows as a table of finite numbers; anything else is refused."""
    try:
        X = read_only_floats(rows)
    except (TypeError, ValueError) as problem:
        raise InvalidInputError(f"X cannot be read as a table of numbers ({problem}).") from None
    if X.ndim != 2 or X.shape[1] != n_features:
        raise InvalidInputError(
            f"X has shape {X.shape}: give rows of the {n_features} features that the diagram was trained on."
        )
    if not len(X):
        raise InvalidInputError("X has no rows: give at least one, or leave X out.")
    if not np.isfinite(X).all():
        raise InvalidInputError("X holds missing or infinite values: leave these rows out or fill them in.")
    return X


def checked_weights(weights: ArrayLike, n_rows: int) -> FloatArray:
    """Return the weights of rows, finite and not negative; anything else is refused."""
    try:
        values = read_only_floats(weights)
    except (TypeError, ValueError) as problem:
        raise InvalidInputError(f"sample_weight cannot be read as numbers ({problem}).") from None
    if values.shape != (n_rows,):
        raise InvalidInputError(
            f"sample_weight has shape {values.shape}: give one weight per row of X, here {n_rows}."
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise InvalidInputError("sample_weight holds weights that are no numbers or below 0: give 0 or more.")
    return values


def coded(y: ArrayLike, labels: Sequence[Label], n_rows: int) -> IntArray:
    """Return the class code of each label of y."""
    given = np.asarray(y)
    if given.shape != (n_rows,):
        raise InvalidInputError(f"y has shape {given.shape}: give one label per row of X, here {n_rows}.")
    places = {label: code for code, label in enumerate(labels)}
    codes = [places.get(label) for label in given.tolist()]
    unknown = [label for label, code in zip(given.tolist(), codes, strict=True) if code is None]
    if unknown:
        raise InvalidInputError(
            f"y holds the label {unknown[0]!r}, which the model does not know: give labels among "
            f"{list(labels)[:10]}."
        )
    return np.array(codes, dtype=np.intp)


def row_names(X: Any, n_rows: int) -> tuple[str, ...]:  # noqa: ANN401
    """Return the names of the rows of a frame, or their numbers counted from 0."""
    index = getattr(X, "index", None)
    if index is None or callable(index):  # a list has a method of this name
        return tuple(str(place) for place in range(n_rows))
    return tuple(str(name) for name in index)


def chosen_rows(n_rows: int) -> IntArray:
    """Return the rows that go into the page: all, or some spread evenly over the table."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, MOST_ROWS)).round().astype(np.intp))
