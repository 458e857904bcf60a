"""Splits: which side of a node a sample takes.

A sample is on the positive side when its key is at least the threshold. The key of a univariate split is
one feature, the key of a multivariate split a weighted sum. Where the feature of a univariate split is
missing (NaN), the split itself says which side is taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray, read_only_floats
from oddlearn.diagram.json_checks import (
    read_field,
    require_field,
    require_finite,
    require_int,
    require_numbers,
    require_text,
)
from oddlearn.errors import InvalidInputError, ModelFileError

BLOCK_ROWS = 4096  # rows whose keys are summed together

# up to so many rows, so many terms of each row are summed by one call: a call takes longer than a term
FEW_ROWS, BLOCK_FEATURES = 1000, 256

SAFE_DIGITS = 15  # significant digits that every double keeps


@dataclass(frozen=True)
class UnivariateSplit:
    """Positive side when ``x[feature] >= threshold``, or when it is missing and ``missing_positive``.

    Parameters
    ----------
    feature : int
    threshold : float
        Finite, or infinite to ask whether the value is missing: ``inf`` with ``missing_positive`` sends the
        missing values alone to the positive side, ``-inf`` without it all others.
    missing_positive : bool
        Side of the rows whose value is missing (NaN).
    """

    feature: int
    threshold: float
    missing_positive: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", int(self.feature))
        object.__setattr__(self, "threshold", float(self.threshold))
        object.__setattr__(self, "missing_positive", bool(self.missing_positive))
        if self.feature < 0:
            raise InvalidInputError(f"The feature of a split is counted from 0; got {self.feature}.")
        if self.threshold != (math.inf if self.missing_positive else -math.inf):
            _check_threshold(self.threshold)

    @classmethod
    def is_missing(cls, feature: int, *, positive: bool = True) -> UnivariateSplit:
        """Return the split that sends missing values to one side and all others to the other."""
        return cls(feature, math.inf if positive else -math.inf, positive)

    @property
    def asks_missing(self) -> bool:
        """True if the question is whether the value is missing."""
        return math.isinf(self.threshold)

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
        """Return the value compared with the threshold for each row of X, NaN if missing, shape (n,)."""
        return X[:, self.feature].astype(np.float64)

    def side(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on the positive side, shape (n,)."""
        return self.compare(np.asarray(X[:, self.feature], dtype=np.float64))

    def compare(self, key: FloatArray) -> BoolArray:
        """Return True for each key on the positive side."""
        # NaN is neither below the threshold nor at or above it
        return ~(key < self.threshold) if self.missing_positive else np.asarray(key >= self.threshold)

    def with_threshold(self, threshold: float) -> UnivariateSplit:
        """Return the same key and side of missing values with another threshold."""
        return replace(self, threshold=threshold)

    def with_missing(self, positive: bool) -> UnivariateSplit:
        """Return the same question about present values with another side of missing ones."""
        return replace(self, missing_positive=positive)

    def to_raw_units(self, offset: FloatArray, half_span: FloatArray) -> UnivariateSplit:
        """Return the split in raw units, where unit = (raw - offset) / (2 half_span)."""
        step = self.threshold * half_span[self.feature]
        return self.with_threshold(float(offset[self.feature] + step + step))

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content; the threshold is None if the question is whether the value is missing."""
        return {
            "kind": "univariate",
            "feature": self.feature,
            "threshold": None if self.asks_missing else self.threshold,
            "missing": "positive" if self.missing_positive else "negative",
        }


@dataclass(frozen=True, eq=False)
class MultivariateSplit:
    """Positive side when ``weights @ x >= threshold``."""

    weights: FloatArray
    threshold: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", read_only_floats(self.weights))
        object.__setattr__(self, "threshold", _check_threshold(self.threshold))
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
        used = np.flatnonzero(self.weights)
        if X.shape[0] <= FEW_ROWS:
            return self._add_terms(X, used, total)
        for first in range(0, X.shape[0], BLOCK_ROWS):
            # a block stays in the cache of the processor while its columns are read one by one
            rows, part = X[first : first + BLOCK_ROWS], total[first : first + BLOCK_ROWS]
            for feature in used.tolist():
                part += self.weights[feature] * np.asarray(rows[:, feature], dtype=np.float64)
        return total

    def _add_terms(self, X: NDArray[np.floating], used: IntArray, total: FloatArray) -> FloatArray:
        """Return the total of each row plus its terms, in their order: running sums of many features each."""
        for first in range(0, used.size, BLOCK_FEATURES):
            block = used[first : first + BLOCK_FEATURES]
            terms = self.weights[block] * np.asarray(X[:, block], dtype=np.float64)
            terms[:, 0] += total
            total = np.cumsum(terms, axis=1)[:, -1].copy()
        return total

    def side(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on the positive side, shape (n,)."""
        return self.compare(self.key(X))

    def compare(self, key: FloatArray) -> BoolArray:
        """Return True for each key on the positive side."""
        return np.asarray(key >= self.threshold)

    def with_threshold(self, threshold: float) -> MultivariateSplit:
        """Return the same key with another threshold."""
        return MultivariateSplit(self.weights, threshold)

    def to_raw_units(self, offset: FloatArray, half_span: FloatArray) -> MultivariateSplit:
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

SplitKind = Literal["univariate", "multivariate"]


def threshold_between(low: float, high: float) -> float:
    """Return the middle of two values, or the higher one where rounding leaves none between them."""
    middle = low / 2 + high / 2
    # 0.10955 reads better than 0.10955000000000001, and no value lies between the two
    for threshold in (round_to_digits(middle, SAFE_DIGITS), middle):
        if low < threshold <= high:
            return float(threshold)
    return float(high)


def short_threshold_between(low: float, high: float, share: float = 0.5) -> float:
    """Return the number of fewest digits in this middle share of a gap: a threshold that is easy to read."""
    middle, rest = threshold_between(low, high), (1.0 - share) / 2
    lowest, highest = low + (high * rest - low * rest), high - (high * rest - low * rest)
    if low < 0.0 and lowest <= 0.0 <= highest:
        return 0.0
    for digits in range(1, SAFE_DIGITS):
        number = round_to_digits(middle, digits)
        if low < number and lowest <= number <= highest:
            return number
    return middle


def round_to_digits(value: float, digits: int) -> float:
    """Return a number rounded to so many significant digits."""
    return float(f"{value:.{digits}g}")


def split_from_dict(document: object, where: str = "split") -> Split:
    """Read a split written by ``to_dict``; a damaged one raises ModelFileError."""
    kind = read_field(document, "kind", where, require_text)
    if kind == "univariate":
        return _univariate_from(document, where)
    if kind == "multivariate":
        weights = np.array(read_field(document, "weights", where, require_numbers))
        return MultivariateSplit(weights, read_field(document, "threshold", where, require_finite))
    raise ModelFileError(f"The model file is damaged: {where}.kind {kind!r} is not a kind of split.")


def _univariate_from(document: object, where: str) -> UnivariateSplit:
    feature = read_field(document, "feature", where, require_int)
    side = read_field(document, "missing", where, require_text)
    if side not in ("positive", "negative"):
        raise ModelFileError(
            f'The model file is damaged: {where}.missing must be "positive" or "negative", not {side!r}.'
        )
    threshold = require_field(document, "threshold", where)
    if threshold is None:
        return UnivariateSplit.is_missing(feature, positive=side == "positive")
    return UnivariateSplit(feature, require_finite(threshold, f"{where}.threshold"), side == "positive")


def _check_threshold(threshold: float) -> float:
    if not math.isfinite(threshold):
        raise InvalidInputError(f"The threshold of a split is a finite number; got {threshold}.")
    return float(threshold)
