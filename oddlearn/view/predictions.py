"""Labelled rows with their predictions: weights by class and arc, confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Label
from oddlearn.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Predictions:
    """Rows in the diagram's units, their predictions and, where known, their classes."""

    X: FloatArray  # (n, n_features)
    codes: IntArray | None  # (n,): true class of each row
    final_arc: IntArray  # (n,)
    predicted: IntArray  # (n,): class codes
    weights: FloatArray | None = None  # (n,): weight of each row; None is 1 each

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row, shape (n,)."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @property
    def total(self) -> float:
        """Weight of all rows; their number without weights."""
        return float(self.row_weights.sum())

    @property
    def correct(self) -> float:
        """Weight of the rows that are predicted correctly, 0 when their classes are not known."""
        return 0.0 if self.codes is None else float(self.row_weights[self.codes == self.predicted].sum())

    @property
    def weight_suffix(self) -> str:
        """Words after numbers that are sums of weights; empty for numbers of rows."""
        return "" if self.weights is None else ", weighted"

    def arc_totals(self, n_arcs: int, n_classes: int) -> FloatArray:
        """Return the weight of the rows of each class on each final arc, shape (n_arcs, n_classes)."""
        sums = np.zeros((n_arcs, n_classes))
        if self.codes is not None:
            np.add.at(sums, (self.final_arc, self.codes), self.row_weights)
        return sums

    def confusion(self, n_classes: int) -> FloatArray:
        """Return the weight of the rows of each class that are predicted as each class, [true, predicted]."""
        sums = np.zeros((n_classes, n_classes))
        if self.codes is not None:
            np.add.at(sums, (self.codes, self.predicted), self.row_weights)
        return sums


def predict_rows(
    diagram: DecisionDiagram,
    labels: Sequence[Label],
    rows: ArrayLike,
    y: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Predictions:
    """Check rows and route them through the diagram.

    ``labels``: label of each class code.
    ``rows`` (n, n_features) array-like: numbers in the diagram's units.
    ``y`` (n,) array-like or None: labels of the rows.
    ``weights`` (n,) array-like or None: weights of the rows.
    """
    X = check_rows(rows, diagram.n_features)
    codes = None if y is None else read_only_integers(encode_labels(y, labels, len(X)))
    trace = diagram.route(X)
    checked = None if weights is None else check_weights(weights, len(X))
    return Predictions(X, codes, trace.final_arc, trace.predicted, checked)


def check_rows(rows: ArrayLike, n_features: int) -> FloatArray:
    """Return the rows as a table of numbers, NaN where they are missing, or raise InvalidInputError."""
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
    if np.isinf(X).any():
        raise InvalidInputError("X holds infinite values: leave these rows out or replace them.")
    return X


def check_weights(weights: ArrayLike, n_rows: int) -> FloatArray:
    """Return the weights of rows, finite and not negative, or raise InvalidInputError."""
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


def encode_labels(y: ArrayLike, labels: Sequence[Label], n_rows: int) -> IntArray:
    """Return the class code of each label of y, or raise InvalidInputError."""
    given = np.asarray(y)
    if given.shape != (n_rows,):
        raise InvalidInputError(f"y has shape {given.shape}: give one label per row of X, here {n_rows}.")
    code_of = {label: code for code, label in enumerate(labels)}
    codes = [code_of.get(label) for label in given.tolist()]
    unknown = [label for label, code in zip(given.tolist(), codes, strict=True) if code is None]
    if unknown:
        raise InvalidInputError(
            f"y holds the label {unknown[0]!r}, which the model does not know: give labels among "
            f"{list(labels)[:10]}."
        )
    return np.array(codes, dtype=np.intp)
