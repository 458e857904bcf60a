"""Conditions of a rule: one feature in an interval, or a weighted sum on one side of its threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray
from oddlearn.diagram.notes import Notes
from oddlearn.export.conditions import APPROXIMATE, condition, number_text, term_name
from oddlearn.export.paths import Interval, Path
from oddlearn.export.shown import ShownSplit, nearest


@dataclass(frozen=True)
class FeatureClause:
    """A feature is at least ``low`` and below ``high``; ``text`` says so, perhaps rounded."""

    text: str
    feature: int
    low: float
    high: float

    def holds(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X in the interval."""
        values = X[:, self.feature]
        return np.asarray((values >= self.low) & (values < self.high))


@dataclass(frozen=True)
class SumClause:
    """A weighted sum is on a side, 1 the positive one; ``text`` says so, perhaps rounded."""

    text: str
    shown: ShownSplit
    side: int

    def holds(self, X: NDArray[np.floating]) -> BoolArray:
        """Return True for each row of X on that side."""
        return np.asarray(self.shown.side(X) == bool(self.side))


Clause = FeatureClause | SumClause


def clauses_of(path: Path, notes: Notes, digits: int | None) -> tuple[Clause, ...]:
    """Return the conditions of a path, in the order in which it meets them."""
    single: list[Clause] = [
        FeatureClause(_interval_text(feature, interval, notes, digits), feature, *interval)
        for feature, interval in path.intervals.items()
    ]
    sums: list[Clause] = [
        SumClause(condition(_rounded(shown, digits), notes, side), shown, side)
        for shown, side in path.sums.items()
    ]
    return (*single, *sums)


def _interval_text(feature: int, interval: Interval, notes: Notes, digits: int | None) -> str:
    low, high = interval
    if math.isinf(low) or math.isinf(high):
        side = int(math.isinf(high))
        bound = ShownSplit((feature,), (1.0,), low if side else high, False, True)
        return condition(_rounded(bound, digits), notes, side)
    ends = [number if digits is None else nearest(number, digits) for number in interval]
    mark = "" if ends == [low, high] else APPROXIMATE
    return f"{mark}{number_text(ends[0])} <= {term_name(notes, feature)} < {number_text(ends[1])}"


def _rounded(shown: ShownSplit, digits: int | None) -> ShownSplit:
    return shown if digits is None else shown.rounded(digits)
