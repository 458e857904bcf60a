"""Splits: which side of a node a sample takes.

A sample is on the positive side when its key is at least the threshold. The key of a univariate split is
one feature, the key of a multivariate split a weighted sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, read_only_floats
from oddlearn.diagram.json_checks import field_of, finite, numbers, text, whole
from oddlearn.errors import InvalidInputError, ModelFileError


@dataclass(frozen=True)
class UnivariateSplit:
    """Positive side when ``x[feature] >= threshold``."""

    feature: int
    threshold: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", int(self.feature))
        object.__setattr__(self, "threshold", _checked_threshold(self.threshold))
        if self.feature < 0:
            raise InvalidInputError(f"The feature of a split is counted from 0; got {self.feature}.")

    @property
    def norm(self) -> float:
        """Sum of the absolute weights: 1, the key is one feature."""
        return 1.0

    def dense_weights(self, n_features: int) -> FloatArray:
        """Return the same split's weight vector, shape (n_features,)."""
        weights = np.zeros(n_features)
        weights[self.feature] = 1.0
        return weights

    def key(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the value compared with the threshold for each row of X, shape (n,)."""
        return X[:, self.feature].astype(np.float64)

    def side(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on the positive side, shape (n,)."""
        return np.asarray(self.key(X) >= self.threshold)

    def with_threshold(self, threshold: float) -> UnivariateSplit:
        """Return the same key with another threshold."""
        return UnivariateSplit(self.feature, threshold)

    def rescaled(self, offset: FloatArray, half_span: FloatArray) -> UnivariateSplit:
        """Return the split in raw units, where unit = (raw - offset) / (2 half_span)."""
        step = self.threshold * half_span[self.feature]
        return UnivariateSplit(self.feature, float(offset[self.feature] + step + step))

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {"kind": "univariate", "feature": self.feature, "threshold": self.threshold}


@dataclass(frozen=True, eq=False)
class MultivariateSplit:
    """Positive side when ``weights . x >= threshold``."""

    weights: FloatArray
    threshold: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", read_only_floats(self.weights))
        object.__setattr__(self, "threshold", _checked_threshold(self.threshold))
        if self.weights.ndim != 1 or not np.isfinite(self.weights).all():
            raise InvalidInputError("The weights of a split are one finite number per feature.")

    @property
    def norm(self) -> float:
        """Sum of the absolute weights."""
        return float(np.abs(self.weights).sum())

    def dense_weights(self, n_features: int) -> FloatArray:
        """Return the weight vector, shape (n_features,)."""
        return self.weights[:n_features]

    def key(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the value compared with the threshold for each row of X, shape (n,).

        Summed feature by feature, so that a row's key does not depend on the other rows (a matrix
        product may round differently for different batches).
        """
        total = np.zeros(X.shape[0])
        for feature in np.flatnonzero(self.weights):
            total += self.weights[feature] * X[:, feature].astype(np.float64)
        return total

    def side(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on the positive side, shape (n,)."""
        return np.asarray(self.key(X) >= self.threshold)

    def with_threshold(self, threshold: float) -> MultivariateSplit:
        """Return the same key with another threshold."""
        return MultivariateSplit(self.weights, threshold)

    def rescaled(self, offset: FloatArray, half_span: FloatArray) -> MultivariateSplit:
        """Return the split in raw units, where unit = (raw - offset) / (2 half_span)."""
        weights = 0.5 * (self.weights / half_span)
        return MultivariateSplit(weights, float(self.threshold + weights @ offset))

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {"kind": "multivariate", "weights": self.weights.tolist(), "threshold": self.threshold}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultivariateSplit):
            return NotImplemented
        return self.threshold == other.threshold and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self.weights.tobytes(), self.threshold))


Split = UnivariateSplit | MultivariateSplit


def threshold_between(low: float, high: float) -> float:
    """Return the middle of two values, or the higher one where rounding leaves none between them."""
    middle = low / 2 + high / 2
    return float(middle if low < middle <= high else high)


def split_from_dict(document: object, where: str = "split") -> Split:
    """Read a split written by ``to_dict``; a damaged one raises ModelFileError."""
    kind = text(field_of(document, "kind", where), f"{where}.kind")
    threshold = finite(field_of(document, "threshold", where), f"{where}.threshold")
    if kind == "univariate":
        return UnivariateSplit(whole(field_of(document, "feature", where), f"{where}.feature"), threshold)
    if kind == "multivariate":
        weights = numbers(field_of(document, "weights", where), f"{where}.weights")
        return MultivariateSplit(np.array(weights), threshold)
    raise ModelFileError(f"The model file is damaged: {where}.kind {kind!r} is not a kind of split.")


def _checked_threshold(threshold: float) -> float:
    if not math.isfinite(threshold):
        raise InvalidInputError(f"The threshold of a split is a finite number; got {threshold}.")
    return float(threshold)
