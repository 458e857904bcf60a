"""Weighted sums in short numbers: weights and thresholds of few digits that keep every row on its side.

A fit ends with it, so that the numbers a reader sees are the numbers ``predict`` uses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.splits import (
    SAFE_DIGITS,
    MultivariateSplit,
    round_to_digits,
    short_threshold_between,
)

# terms left out may move the sum by this share of what all terms may, all together
MAX_DROPPED_SHARE = 0.01

# and a rounded weight may move it by this share: rows to come lie elsewhere than those of training
MAX_ROUNDED_SHARE = 0.02

# the middle share of the gap in which the threshold lies
THRESHOLD_SHARE = 0.25

MIN_GAP_SHARE = 0.5  # short weights keep this share of the gap between the two sides

# a gap below this share of the terms it is computed from may be a rounding error
RELATIVE_ERROR = 1e-12

# with at most so many terms each weight is shortened by itself, with each of these weights of the first term
MAX_READABLE_TERMS = 8
FIRST_WEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)

# of longer sums, which nobody reads term by term, the first weight keeps at least so many digits: fewer would
# turn the hyperplane more than new rows allow
MIN_DIGITS = 4

# rows x terms up to which all first weights are tried, and up to which weights are rounded at all
MAX_TRIED_VALUES = 200_000
MAX_VALUES = 1_000_000


def shorten_sum(split: MultivariateSplit, rows: FloatArray, side: BoolArray) -> MultivariateSplit:
    """Return a weighted sum of few short numbers that puts every row on its side.

    ``rows`` (n, n_features) float, ``side`` (n,) bool: the rows at the node, and which are positive.
    The split itself if all rows are on one side, if there are too many terms, or if no shorter numbers keep
    the sides apart.
    """
    if side.all() or not side.any() or len(rows) * np.count_nonzero(split.weights) > MAX_VALUES:
        return split
    terms = Terms.collect(split, rows, side)
    if terms is None:
        return split
    for weights in terms.list_short():
        short = terms.build(weights, split.weights.size)
        if short is not None and np.array_equal(short.side(rows), side):
            return short
    return split


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a sum that matter, the one that moves it most first."""

    features: IntArray  # (k,)
    weights: FloatArray  # (k,): the first is 1 or -1
    columns: FloatArray  # (n, k): values of the features
    side: BoolArray  # (n,)
    moves: FloatArray  # (k,): how far the term moves the sum over the rows
    gap: float  # between the two sides

    @classmethod
    def collect(cls, split: MultivariateSplit, rows: FloatArray, side: BoolArray) -> Terms | None:
        """Leave out the terms that move the sum least, as many as may be; None if the sides overlap."""
        used = np.flatnonzero(split.weights)
        with np.errstate(over="ignore"):
            moves = np.abs(split.weights[used]) * np.ptp(rows[:, used], axis=0)
        order = used[np.argsort(-moves, kind="stable")]
        moves = -np.sort(-moves, kind="stable")
        order, moves = order[moves > 0], moves[moves > 0]
        if not order.size or not np.isfinite(moves).all():
            return None
        weights = split.weights[order] / abs(split.weights[order[0]])
        columns = np.asarray(rows[:, order], dtype=np.float64)
        n_kept = order.size - int(np.sum(np.cumsum(moves[::-1]) <= MAX_DROPPED_SHARE * moves.sum()))
        gaps = [measure_gap(columns[:, :count], weights[:count], side) for count in (n_kept, order.size)]
        for count, gap in zip((n_kept, order.size), gaps, strict=True):
            if gap is not None and (gaps[1] is None or _width(gap) >= MIN_GAP_SHARE * _width(gaps[1])):
                kept = slice(None, count)
                return cls(order[kept], weights[kept], columns[:, kept], side, moves[kept], _width(gap))
        return None

    def list_short(self) -> list[FloatArray]:
        """Return weights that keep the sides apart, the shortest first."""
        if self.features.size > MAX_READABLE_TERMS:
            return self._round_together()
        firsts = FIRST_WEIGHTS if self.columns.size <= MAX_TRIED_VALUES else FIRST_WEIGHTS[:1]
        found = [self._round_each(float(first)) for first in firsts]
        return sorted((weights for weights in found if weights is not None), key=count_digits)

    def _round_each(self, first: float) -> FloatArray | None:
        """Round one weight after the other, least moves first; each may take its part of the gap."""
        weights, n_terms = self.weights * first, self.weights.size
        key = self.columns @ weights
        for place in range(n_terms - 1, 0, -1):
            share = 1.0 - (1.0 - MIN_GAP_SHARE) * (n_terms - place) / n_terms
            column, exact = self.columns[:, place], weights[place]
            most = MAX_ROUNDED_SHARE * self.moves.sum() / self.moves[place] * abs(exact)
            for number in _short_numbers(exact, most):
                moved = key + (number - exact) * column
                if self._key_gap(moved) >= share * first * self.gap:
                    weights[place], key = number, moved
                    break
        return weights if measure_gap(self.columns, weights, self.side) is not None else None

    def _round_together(self) -> list[FloatArray]:
        """Round all weights to so many digits; terms that move the sum less get fewer."""
        fewer = np.floor(np.log10(self.moves[0] / self.moves)).astype(int)
        for digits in range(MIN_DIGITS, SAFE_DIGITS):
            kept = np.maximum(1, digits - fewer)
            pairs = zip(self.weights.tolist(), kept.tolist(), strict=True)
            short = np.array([round_to_digits(weight, count) for weight, count in pairs])
            gap = measure_gap(self.columns, short, self.side)
            if gap is not None and _width(gap) >= MIN_GAP_SHARE * self.gap:
                return [short]
        return []

    def _key_gap(self, key: FloatArray) -> float:
        return float(key[self.side].min() - key[~self.side].max())

    def build(self, weights: FloatArray, n_features: int) -> MultivariateSplit | None:
        """Return the split with these weights, its threshold of few digits near the middle of the gap."""
        gap = measure_gap(self.columns, weights, self.side)
        if gap is None:
            return None
        dense = np.zeros(n_features)
        dense[self.features] = weights
        return MultivariateSplit(dense, short_threshold_between(*gap, THRESHOLD_SHARE))


def measure_gap(columns: FloatArray, weights: FloatArray, side: BoolArray) -> tuple[float, float] | None:
    """Return the largest negative and the smallest positive sum, None if they are not in this order."""
    key = columns @ weights
    low, high = float(key[~side].max()), float(key[side].min())
    error = RELATIVE_ERROR * float((np.abs(columns) @ np.abs(weights)).max())
    return (low, high) if high - low > error else None


def count_digits(weights: FloatArray) -> int:
    """Return how many digits and points are written for some weights; a weight of 1 is not written."""
    texts = [f"{abs(weight):g}" for weight in weights.tolist()]
    return sum(len(text) for text in texts if text != "1")


def _short_numbers(exact: float, most: float) -> list[float]:
    """Return the number as an integer, with 1, 2, ... digits, and itself, unless it changes by more."""
    integer = float(round(exact)) if abs(exact) < 100.0 else 0.0
    digits = [round_to_digits(exact, count) for count in range(1, SAFE_DIGITS)]
    return [n for n in (integer, *digits, exact) if n != 0.0 and abs(n - exact) <= most]


def _width(gap: tuple[float, float]) -> float:
    return gap[1] - gap[0]
