"""Splits in rounded numbers: the shortest ones that keep every row on its side."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit, round_to_digits
from oddlearn.diagram.timestamps import TimestampKind, shortest_timestamp
from oddlearn.problem.short_sums import shorten_sum

# a rounded threshold moves by at most this share of its distance to the nearest row of each side
MAX_THRESHOLD_MOVE = 0.25

# numbers with no more significant digits are shown as they are: a fit chooses short ones
SHORT_DIGITS = 6

MAX_DIGITS = 17  # significant digits that tell all doubles apart


@dataclass(frozen=True)
class RoundedSplit:
    """A weighted sum and its threshold, as displayed."""

    features: tuple[int, ...]  # features of the terms, the one with the largest influence first
    weights: tuple[float, ...]  # coefficients of these features; the first is positive
    threshold: float
    is_flipped: bool  # True when the positive side is ``sum <= threshold``, False for ``>=``
    # True when the displayed numbers put every row on the split's side: all possible rows if they are the
    # split's own numbers, else the rows they were rounded for
    is_exact: bool
    is_timestamp: bool = False  # True for a date, time or duration: it is not rounded to digits
    missing_positive: bool = False  # side of the rows whose value is missing

    @property
    def asks_missing(self) -> bool:
        """True if the question is whether the value is missing; the threshold is infinite then."""
        return math.isinf(self.threshold)

    def side(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on the positive side by the displayed numbers."""
        key = np.zeros(X.shape[0])
        # summed in the order of the split's own key, so that an exact sum rounds as it does
        for feature, weight in sorted(zip(self.features, self.weights, strict=True)):
            key += weight * X[:, feature].astype(np.float64)
        side = key <= self.threshold if self.is_flipped else key >= self.threshold
        return np.where(np.isnan(key), self.missing_positive, side)

    def round(self, digits: int) -> RoundedSplit:
        """Return the split with numbers of so many digits; it stays exact only if no number changes."""
        if self.is_timestamp:
            return self
        weights = tuple(round_to_digits(weight, digits) for weight in self.weights)
        threshold = round_to_digits(self.threshold, digits)
        is_same = weights == self.weights and threshold == self.threshold
        return replace(self, weights=weights, threshold=threshold, is_exact=self.is_exact and is_same)


def round_splits(
    diagram: DecisionDiagram,
    X: NDArray[np.floating] | None = None,
    digits: int | None = None,
    metadata: ModelMetadata | None = None,
) -> tuple[RoundedSplit, ...]:
    """Round the split of each node such that every row of X takes the same path.

    Thresholds of single features keep all rows of X on their sides, so that rules may combine them; sums keep
    the rows that reach the node. The metadata say which features are dates and times.
    """
    if X is None:
        return tuple(round_split(split, None, digits, metadata) for split in diagram.splits)
    reached = route_reference(diagram, X).reached
    return tuple(
        round_split(split, X if isinstance(split, UnivariateSplit) else X[reached[:, node]], digits, metadata)
        for node, split in enumerate(diagram.splits)
    )


def round_split(
    split: Split,
    rows: NDArray[np.floating] | None = None,
    digits: int | None = None,
    metadata: ModelMetadata | None = None,
) -> RoundedSplit:
    """Return the split in numbers as short as the rows allow, else rounded to digits, else exact."""
    kind = _timestamp_kind(split, metadata)
    if kind is not None and not exact_split(split).asks_missing:
        return _round_timestamp(split, rows, kind)
    short = None if rows is None else shorten(split, rows)
    if short is not None:
        return short
    return exact_split(split) if digits is None else exact_split(split).round(digits)


def _timestamp_kind(split: Split, metadata: ModelMetadata | None) -> TimestampKind | None:
    """Return the kind of the date, time or duration that a univariate split compares, else None."""
    if metadata is None or not isinstance(split, UnivariateSplit):
        return None
    return metadata.feature(split.feature).timestamp_kind


def _round_timestamp(split: Split, rows: NDArray[np.floating] | None, kind: TimestampKind) -> RoundedSplit:
    """Return the split with the coarsest date or time that keeps the rows on their sides."""
    exact = replace(exact_split(split), is_timestamp=True)
    if rows is None:
        return exact
    rows = rows[~np.isnan(split.key(rows))]
    window = _window(split.threshold, *_gap(split, rows, split.side(rows)))
    return replace(exact, threshold=shortest_timestamp(split.threshold, *window, kind))


def exact_split(split: Split) -> RoundedSplit:
    """Return the split's own numbers, the largest weight first."""
    if isinstance(split, UnivariateSplit):
        missing = split.missing_positive
        return RoundedSplit((split.feature,), (1.0,), split.threshold, False, True, missing_positive=missing)
    return _sum_in_order(split, np.empty((0, split.weights.size)))


def shorten(split: Split, rows: NDArray[np.floating]) -> RoundedSplit | None:
    """Return the split's own numbers if they are short, else the shortest found that keep every row's side.

    ``rows`` (n, n_features): those in which a value of the split is missing do not matter.
    None for a long sum that has all rows on one side, or that no short numbers separate in the same way.
    """
    rows = rows[~np.isnan(split.key(rows))]
    side = split.side(rows)
    if isinstance(split, UnivariateSplit):
        if split.asks_missing or is_short(split):
            return exact_split(split)
        threshold = _shortest_between(split.threshold, *_gap(split, rows, side))
        return replace(exact_split(split), threshold=threshold)
    if is_short(split):
        return _sum_in_order(split, rows)
    short = shorten_sum(split, np.asarray(rows, dtype=np.float64), side)
    return None if short is split else _sum_in_order(short, rows)


def _sum_in_order(split: MultivariateSplit, rows: NDArray[np.floating]) -> RoundedSplit:
    """Return the numbers of a sum, the term that moves it most over the rows first."""
    used = np.flatnonzero(split.weights)
    sizes = np.abs(split.weights[used])
    moves = sizes * np.ptp(rows[:, used], axis=0) if rows.size else sizes
    order = used[np.argsort(-moves, kind="stable")]
    return _with_positive_first(order, split.weights[order], split.threshold)


def _gap(split: Split, rows: NDArray[np.floating], side: BoolArray) -> tuple[float, float]:
    """Return the nearest keys below and above; a side without rows is as far away as the other."""
    key, middle = split.key(rows), split.threshold
    low = float(key[~side].max()) if not side.all() else None
    high = float(key[side].min()) if side.any() else None
    if low is None:
        low = middle if high is None else 2 * middle - high
    return low, 2 * middle - low if high is None else high


def _window(middle: float, low: float, high: float) -> tuple[float, float]:
    """Return the range in which a rounded threshold may lie."""
    return middle - MAX_THRESHOLD_MOVE * (middle - low), middle + MAX_THRESHOLD_MOVE * (high - middle)


def _shortest_between(middle: float, low: float, high: float) -> float:
    """Return the number of fewest digits near the middle of the gap ``low < number <= high``."""
    lowest, highest = _window(middle, low, high)
    for digits in range(1, MAX_DIGITS):
        number = round_to_digits(middle, digits)
        if lowest <= number <= highest:
            return number
    return middle


def _with_positive_first(order: IntArray, weights: FloatArray, threshold: float) -> RoundedSplit:
    """Return the sum with the sign that makes its first coefficient positive."""
    is_flipped = bool(weights.size and weights[0] < 0)
    sign = -1.0 if is_flipped else 1.0
    signed = tuple(float(sign * weight) for weight in weights)
    return RoundedSplit(tuple(int(feature) for feature in order), signed, sign * threshold, is_flipped, True)


def is_short(split: Split) -> bool:
    """Return True if all numbers are shown as they are: what predict compares with."""
    numbers = [split.threshold]
    if isinstance(split, MultivariateSplit):
        numbers += split.weights[split.weights != 0].tolist()
    return all(round_to_digits(number, SHORT_DIGITS) == number for number in numbers)
