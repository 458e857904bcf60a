"""From raw units to ranks or the unit box, and back: thresholds then lie in the middle of their gaps."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray, read_only_floats
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import (
    MultivariateSplit,
    Split,
    UnivariateSplit,
    short_threshold_between,
    threshold_between,
)
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.ranked_columns import ColumnValues, rank_columns
from oddlearn.problem.row_passes import Gap
from oddlearn.problem.short_sums import THRESHOLD_SHARE, shorten_sum

# a feature that varies less than this counts as constant: dividing by its span would overflow
SMALLEST_HALF_SPAN = 1e-300

# larger tables are stored by columns, which the search then need not copy; of smaller ones the products of
# rows and weights, which add up in another order, stay as they were to the last bit
MAX_CELLS_BY_ROWS = 1_000_000

VARYING_ROWS = 1000  # rows in which two values of a column are looked for first

AnySplit = TypeVar("AnySplit", UnivariateSplit, MultivariateSplit)


@dataclass(frozen=True, eq=False)
class RankScaling:
    """Distinct values of each feature in ascending order; a value becomes its place among them.

    A univariate split sees the order of values only, so ranks lose nothing, however close values are or far
    apart. A feature with missing values (NaN) becomes two columns: in its own place one that ranks them below
    all values, and after all features one that ranks them above. A threshold on the first sends them to the
    negative side and one on the second to the positive side, or either parts them from all values.
    """

    values: ColumnValues  # (k,) of each feature, without missing ones
    has_missing: BoolArray  # (n_features,)

    @classmethod
    def rank(cls, X: NDArray[np.floating]) -> tuple[RankScaling, FloatArray]:
        """Return the scaling and the ranks (n, n_features + n_doubled), sorting columns together."""
        values, has_missing, ranks = rank_columns(X)
        scaling = cls(values, has_missing)
        if scaling.doubled.size:
            doubled, last = ranks[:, scaling.doubled], scaling.values.counts[scaling.doubled]
            second = np.where(doubled == 0, last, doubled - 1)
            ranks = np.array(np.concatenate([ranks.T, second.T]).T, order="F")
        ranks.setflags(write=False)
        return scaling, ranks

    @property
    def varies(self) -> BoolArray:
        """True for the features with two values or more, missing counted as one, shape (n_features,)."""
        return np.asarray(self.values.counts + self.has_missing > 1)

    @property
    def doubled(self) -> IntArray:
        """Features with a second column, in the order of these columns."""
        return np.flatnonzero(self.has_missing & self.varies)

    def unscale(self, diagram: DecisionDiagram) -> DecisionDiagram:
        """Return a diagram of univariate splits by rank in raw units, all thresholds finite.

        ``to_raw_units`` makes questions about missing values of those that part these from all others.
        """
        splits = (split for split in diagram.splits if isinstance(split, UnivariateSplit))
        unscaled = tuple(self._unscale_split(split) for split in splits)
        return replace(diagram, splits=unscaled, n_features=len(self.values))

    def _unscale_split(self, split: UnivariateSplit) -> UnivariateSplit:
        first = math.ceil(split.threshold)  # the lowest rank on the positive side
        n_features = len(self.values)
        if split.feature >= n_features:
            feature = int(self.doubled[split.feature - n_features])
            return UnivariateSplit(
                feature, self._threshold(feature, first), first <= self.values[feature].size
            )
        has_missing = bool(self.has_missing[split.feature])
        threshold = self._threshold(split.feature, first - has_missing)
        return UnivariateSplit(split.feature, threshold, has_missing and first <= 0)

    def _threshold(self, feature: int, n_below: int) -> float:
        """Return a threshold above so many of the feature's values."""
        values = self.values[feature]
        if values.size == 0:
            return 0.0
        if n_below <= 0:
            # all rows are positive: new rows somewhat below them are, too
            below = float(values[0] - (values[-1] - values[0] or 1.0))
            return below if math.isfinite(below) else float(values[0])
        if n_below >= values.size:
            return float(np.nextafter(values[-1], np.inf))
        return threshold_between(float(values[n_below - 1]), float(values[n_below]))


@dataclass(frozen=True)
class RawValues:
    """The values of a large table as they are: univariate splits need no ranks. NaN are missing values."""

    @staticmethod
    def varies(X: NDArray[np.floating]) -> BoolArray:
        """Return True for the columns of X with two values or more, missing counted as one."""
        varying = _has_two_values(X[:VARYING_ROWS])
        for feature in np.flatnonzero(~varying):
            varying[feature] = _has_two_values(X[:, [feature]])[0]
        return varying


def _has_two_values(X: NDArray[np.floating]) -> BoolArray:
    missing = np.isnan(X)
    differs = ((X[:1] != X) & ~(missing & missing[:1])).any(axis=0)
    return np.asarray(differs)


@dataclass(frozen=True, eq=False)
class UnitScaling:
    """Smallest and largest value of each feature, which become 0 and 1."""

    low: FloatArray  # (n_features,): raw value that maps to 0
    high: FloatArray  # (n_features,): raw value that maps to 1, unless it equals ``low``

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", read_only_floats(self.low))
        object.__setattr__(self, "high", read_only_floats(self.high))

    @classmethod
    def fit(cls, X: NDArray[np.floating]) -> UnitScaling:
        """Take the range of each column of X, shape (n, n_features), n at least 1."""
        return cls(X.min(axis=0), X.max(axis=0))

    @property
    def offset(self) -> FloatArray:
        """Raw value that maps to 0, shape (n_features,)."""
        return self.low

    @property
    def half_span(self) -> FloatArray:
        """Half of the range, which unlike the range cannot overflow; 0.5 for constant features."""
        half = self.high / 2 - self.low / 2
        return np.where(half < SMALLEST_HALF_SPAN, 0.5, half)

    def apply(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the rows of X, shape (n, n_features), in unit coordinates; many are stored by columns."""
        # halves are exact in binary, so this equals (X - low) / (high - low) wherever that is finite
        halves = np.empty(X.shape, order="F" if X.size > MAX_CELLS_BY_ROWS else "C")
        np.divide(X, 2, out=halves, dtype=np.float64)
        halves -= self.low / 2
        halves /= self.half_span
        return halves

    def unscale(self, diagram: DecisionDiagram) -> DecisionDiagram:
        """Return a unit-space diagram in raw units; ``to_raw_units`` centres the thresholds."""
        splits = tuple(split.to_raw_units(self.offset, self.half_span) for split in diagram.splits)
        return diagram.with_splits(splits)


def to_raw_units(
    scaling: RankScaling | UnitScaling,
    diagram: DecisionDiagram,
    unit_rows: FloatArray,
    raw_X: FloatArray,
    weight: FloatArray | None = None,
) -> DecisionDiagram:
    """Return the diagram in raw units, routing ``raw_X`` as the original routes ``unit_rows``.

    ``diagram``: in ranks or unit coordinates.
    ``unit_rows``, ``raw_X`` (n, n_columns), (n, n_features) float: the same samples in both units.
    ``weight`` (n,) float: their weights, 1 by default. A univariate split that no missing value reaches sends
    later ones to the side with more weight, or to the negative side if both have the same.
    """
    steps = route_reference(diagram, unit_rows)
    unscaled = scaling.unscale(diagram)
    weights = np.ones(raw_X.shape[0]) if weight is None else weight
    splits = [
        _centre_split(split, raw_X, reached, side[reached], weights[reached])
        for split, reached, side in zip(unscaled.splits, steps.reached.T, steps.sides.T, strict=True)
    ]
    raw = unscaled.with_splits(tuple(splits))
    if not np.array_equal(route_reference(raw, raw_X).final_arc, steps.final_arc):
        raise DiagramMisfitError("The diagram does not route the samples in raw units as in the unit box.")
    return raw


def _centre_split(
    split: Split, raw_X: FloatArray, reached: BoolArray, side: BoolArray, weight: FloatArray
) -> Split:
    """Return the split with its threshold in the middle half of the gap between the sides of some rows."""
    if isinstance(split, MultivariateSplit):
        rows = raw_X[reached]
        key = split.key(rows)
        return shorten_sum(_centre_threshold(split, key, side), rows, side)
    key = split.key(raw_X)[reached]  # one column: its rows are not copied
    missing = np.isnan(key)
    if not missing.any():
        heavier = bool(weight[side].sum() > weight[~side].sum())
        return _centre_threshold(split, key, side).with_missing(heavier)
    positive = bool(side[missing][0])
    if not missing.all() and (side == (missing == positive)).all():
        return UnivariateSplit.is_missing(split.feature, positive=positive)
    return _centre_threshold(split, key[~missing], side[~missing])


def _centre_threshold(split: AnySplit, key: FloatArray, side: BoolArray) -> AnySplit:
    if side.all() or not side.any():
        return _keep_one_sided(split, key, side)
    low, high = float(key[~side].max()), float(key[side].min())
    between = short_threshold_between if isinstance(split, UnivariateSplit) else threshold_between
    return split.with_threshold(between(low, high))


def _keep_one_sided(split: AnySplit, key: FloatArray, side: BoolArray) -> AnySplit:
    # a node all of whose rows take one side keeps its threshold unless rounding moved it past a row
    if side.size and side[0]:
        return split.with_threshold(min(split.threshold, float(key.min())))
    if side.size and key.max() >= split.threshold:
        return split.with_threshold(float(np.nextafter(key.max(), np.inf)))
    return split


def centre_thresholds(diagram: DecisionDiagram, data: LargeData) -> DecisionDiagram:
    """Return a diagram that routes the rows of a large table alike, its thresholds centred by one pass."""
    if diagram.n_nodes == 0:
        return diagram
    gaps = data.pass_rows(diagram).gaps
    weights = data.arc_weights(diagram).sum(axis=1).reshape(-1, 2)
    splits: list[Split] = [
        _centre_gap(split, gap, weight) if isinstance(split, UnivariateSplit) else _centre_sum_gap(split, gap)
        for gap, split, weight in zip(gaps, diagram.splits, weights, strict=True)
    ]
    return diagram.with_splits(tuple(splits))


def _centre_sum_gap(split: MultivariateSplit, gap: Gap) -> MultivariateSplit:
    """Return a weighted sum with its threshold near the middle of the gap."""
    if not (math.isfinite(gap.below) and math.isfinite(gap.above)):
        return split
    return split.with_threshold(short_threshold_between(gap.below, gap.above, THRESHOLD_SHARE))


def _centre_gap(split: UnivariateSplit, gap: Gap, weight: FloatArray) -> UnivariateSplit:
    """Return the split with its threshold in the middle half of the gap.

    Later missing values take the side with more weight unless some were there in training.
    """
    if not split.asks_missing and math.isfinite(gap.below) and math.isfinite(gap.above):
        split = split.with_threshold(short_threshold_between(gap.below, gap.above))
    has_side = gap.has_missing or split.asks_missing
    return split if has_side else split.with_missing(bool(weight[1] > weight[0]))
