"""A split in the numbers that are shown: its own, or shorter ones that part the same rows the same way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit

# a shortened threshold moves by at most this share of its distance to the nearest row of each side
MOST_MOVED = 0.25

# terms folded into the threshold can move the sum by this share of what all terms can, all together
FOLDED_SHARE = 0.1

# rounded coefficients keep this share of the gap between the two sides
KEPT_GAP = 0.25

# as many digits tell all doubles apart
ALL_DIGITS = 17

# a gap below this share of the terms it is computed from may be a rounding error
ROUNDING = 1e-12


@dataclass(frozen=True)
class ShownSplit:
    """A weighted sum and its threshold, as printed.

    Attributes
    ----------
    features : tuple of int
        Of the terms, the heaviest first.
    weights : tuple of float
        Of these features; the first is positive.
    threshold : float
    is_flipped : bool
        True when the positive side is the one of small sums, ``sum <= threshold``, else ``sum >= threshold``.
    is_exact : bool
        True when the shown numbers put every row on the split's side: all rows there can be if they are the
        split's own, else those they were chosen for.
    """

    features: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    is_flipped: bool
    is_exact: bool

    def side(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on the positive side, by the shown numbers."""
        key = np.zeros(X.shape[0])
        # summed in the order of the split's own key, so that an exact sum rounds as it does
        for feature, weight in sorted(zip(self.features, self.weights, strict=True)):
            key += weight * X[:, feature].astype(np.float64)
        return np.asarray(key <= self.threshold if self.is_flipped else key >= self.threshold)

    def rounded(self, digits: int) -> ShownSplit:
        """Return it with rounded numbers; it stays exact only where that loses nothing."""
        weights = tuple(nearest(weight, digits) for weight in self.weights)
        threshold = nearest(self.threshold, digits)
        kept = weights == self.weights and threshold == self.threshold
        return replace(self, weights=weights, threshold=threshold, is_exact=self.is_exact and kept)


def exact(split: Split) -> ShownSplit:
    """Return the split's own numbers, the largest weight first."""
    if isinstance(split, UnivariateSplit):
        return ShownSplit((split.feature,), (1.0,), split.threshold, False, True)
    used = np.flatnonzero(split.weights)
    order = used[np.argsort(-np.abs(split.weights[used]), kind="stable")]
    return _turned(order, split.weights[order], split.threshold)


def shortened(split: Split, rows: NDArray[np.floating]) -> ShownSplit | None:
    """Return the shortest numbers found that put every row on the split's side.

    Parameters
    ----------
    split : Split
    rows : (n, n_features) float

    Returns
    -------
    ShownSplit or None
        None for a sum that has all rows on one side, or that no short numbers part as it does.
    """
    side = split.side(rows)
    if isinstance(split, UnivariateSplit):
        threshold = _near(split.threshold, *_gap(split, rows, side))
        return ShownSplit((split.feature,), (1.0,), threshold, False, True)
    if side.all() or not side.any():
        return None
    return _short_sum(split, np.asarray(rows, dtype=np.float64), side)


def _gap(split: Split, rows: NDArray[np.floating], side: BoolArray) -> tuple[float, float]:
    """Return the nearest keys below and above; a side without rows is as far away as the other."""
    key, middle = split.key(rows), split.threshold
    low = float(key[~side].max()) if not side.all() else None
    high = float(key[side].min()) if side.any() else None
    if low is None:
        low = middle if high is None else 2 * middle - high
    return low, 2 * middle - low if high is None else high


def _near(middle: float, low: float, high: float) -> float:
    """Return the number of fewest digits near the middle of a gap from above ``low`` to ``high``."""
    lowest = middle - MOST_MOVED * (middle - low)
    highest = middle + MOST_MOVED * (high - middle)
    for digits in range(1, ALL_DIGITS):
        number = nearest(middle, digits)
        if lowest <= number <= highest:
            return number
    return middle


def _short_sum(split: MultivariateSplit, rows: FloatArray, side: BoolArray) -> ShownSplit | None:
    """Fold small terms into the threshold, take the first coefficient as 1, and round the others."""
    reach = np.abs(split.weights) * np.ptp(rows, axis=0)
    order = np.argsort(-reach, kind="stable")
    order = order[reach[order] > 0]
    moves = reach[order]
    fewest = int(np.searchsorted(np.cumsum(moves), (1 - FOLDED_SHARE) * moves.sum())) + 1
    weights = split.weights[order] / abs(split.weights[order[0]])
    columns = rows[:, order]
    for count in range(min(fewest, len(order)), len(order) + 1):
        if _parting(columns[:, :count], weights[:count], side) is not None:
            return _short_weights(order[:count], columns[:, :count], weights[:count], moves[:count], side)
    return None


def _short_weights(
    order: IntArray, columns: FloatArray, weights: FloatArray, moves: FloatArray, side: BoolArray
) -> ShownSplit | None:
    """Round the coefficients to as few digits as keep the sides; terms that move the sum less get fewer."""
    gap = _parting(columns, weights, side)
    if gap is None:
        return None
    fewer = np.floor(np.log10(moves[0] / moves)).astype(int)
    for digits in range(1, ALL_DIGITS):
        kept = np.maximum(1, digits - fewer)
        short = np.array([nearest(w, int(n)) for w, n in zip(weights, kept, strict=True)])
        found = _parting(columns, short, side)
        if found is not None and found[1] - found[0] >= KEPT_GAP * (gap[1] - gap[0]):
            threshold = _near((found[0] + found[1]) / 2, *found)
            return _turned(order, short, threshold)
    return None


def _parting(columns: FloatArray, weights: FloatArray, side: BoolArray) -> tuple[float, float] | None:
    """Return the largest sum of the negative and the smallest of the positive rows, None if not in order."""
    key = columns @ weights
    low, high = float(key[~side].max()), float(key[side].min())
    noise = ROUNDING * float((np.abs(columns) @ np.abs(weights)).max())
    return (low, high) if high - low > noise else None


def _turned(order: IntArray, weights: FloatArray, threshold: float) -> ShownSplit:
    """Return the sum with the sign that makes its first coefficient positive."""
    flip = bool(weights.size and weights[0] < 0)
    sign = -1.0 if flip else 1.0
    shown = tuple(float(sign * weight) for weight in weights)
    return ShownSplit(tuple(int(feature) for feature in order), shown, sign * threshold, flip, True)


def nearest(value: float, digits: int) -> float:
    """Return a number rounded to so many significant digits."""
    return float(f"{value:.{digits}g}")
