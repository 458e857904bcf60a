"""From raw units to the unit box, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, read_only_floats
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import walk
from oddlearn.diagram.splits import Split, UnivariateSplit, threshold_between
from oddlearn.errors import DiagramMisfitError

# a feature that varies less than this counts as constant: dividing by its span would overflow
SMALLEST_HALF_SPAN = 1e-300


@dataclass(frozen=True, eq=False)
class RankScaling:
    """Distinct values of each feature in ascending order; a value becomes its place among them.

    A univariate split sees the order of values only, so ranks lose nothing, however close values are or far
    apart.
    """

    values: tuple[FloatArray, ...]

    @classmethod
    def fit(cls, X: NDArray[np.floating]) -> RankScaling:
        """List the values of each column of X, shape (n, n_features), n at least 1."""
        return cls(tuple(read_only_floats(np.unique(column) + 0.0) for column in X.T))

    @property
    def varies(self) -> BoolArray:
        """True for the features with two values or more, shape (n_features,)."""
        return np.array([values.size > 1 for values in self.values], dtype=bool)

    def apply(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the ranks of the rows of X, shape (n, n_features), all of whose values are known."""
        ranks = np.empty(X.shape, order="F")
        for feature, values in enumerate(self.values):
            ranks[:, feature] = np.searchsorted(values, X[:, feature])
        return np.ascontiguousarray(ranks)

    def lift(self, diagram: DecisionDiagram) -> DecisionDiagram:
        """Return a diagram of univariate splits by rank in raw units; see also ``lifting.lift_on``."""
        splits = (split for split in diagram.splits if isinstance(split, UnivariateSplit))
        return diagram.with_splits(tuple(self._lift_split(split) for split in splits))

    def _lift_split(self, split: UnivariateSplit) -> UnivariateSplit:
        values = self.values[split.feature]
        first = math.ceil(split.threshold)  # the lowest rank on the positive side
        if first <= 0:
            # all rows are positive: new rows somewhat below them are, too
            below = float(values[0] - (values[-1] - values[0] or 1.0))
            return split.with_threshold(below if math.isfinite(below) else float(values[0]))
        if first >= values.size:
            return split.with_threshold(float(np.nextafter(values[-1], np.inf)))
        return split.with_threshold(threshold_between(float(values[first - 1]), float(values[first])))


@dataclass(frozen=True, eq=False)
class UnitScaling:
    """Smallest and largest value of each feature, which become 0 and 1.

    Parameters
    ----------
    low, high : (n_features,) float
        Raw value that maps to 0 and to 1. A feature with ``low == high`` maps ``low`` to 0.
    """

    low: FloatArray
    high: FloatArray

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
        """Return the rows of X, shape (n, n_features), in unit coordinates."""
        # halves are exact in binary, so this equals (X - low) / (high - low) wherever that is finite
        halves = np.asarray(X, dtype=np.float64) / 2 - self.low / 2
        return np.asarray(halves / self.half_span)

    def lift(self, diagram: DecisionDiagram) -> DecisionDiagram:
        """Return a unit-space diagram in raw units; see ``lifting.lift_on`` for thresholds in the gaps."""
        splits = tuple(split.rescaled(self.offset, self.half_span) for split in diagram.splits)
        return diagram.with_splits(splits)


def lift_on(
    scaling: RankScaling | UnitScaling, diagram: DecisionDiagram, unit_rows: FloatArray, raw_rows: FloatArray
) -> DecisionDiagram:
    """Return the diagram in raw units, routing ``raw_rows`` as the original routes ``unit_rows``.

    Parameters
    ----------
    scaling : RankScaling or UnitScaling
    diagram : DecisionDiagram
        In ranks or unit coordinates.
    unit_rows, raw_rows : (n, n_features) float
        The same samples in both units.
    """
    steps = walk(diagram, unit_rows)
    lifted = scaling.lift(diagram)
    splits = [
        _centred(split, raw_rows[reached], side[reached])
        for split, reached, side in zip(lifted.splits, steps.reached.T, steps.sides.T, strict=True)
    ]
    raw = lifted.with_splits(tuple(splits))
    if not np.array_equal(walk(raw, raw_rows).final_arc, steps.final_arc):
        raise DiagramMisfitError("The diagram does not route the samples in raw units as in the unit box.")
    return raw


def _centred(split: Split, rows: FloatArray, side: BoolArray) -> Split:
    if side.all() or not side.any():
        return _one_sided(split, rows, side)
    key = split.key(rows)
    low, high = float(key[~side].max()), float(key[side].min())
    middle = low / 2 + high / 2
    return split.with_threshold(middle if low < middle <= high else high)


def _one_sided(split: Split, rows: FloatArray, side: BoolArray) -> Split:
    # a node all of whose rows take one side keeps its threshold unless rounding moved it past a row
    key = split.key(rows)
    if side.size and side[0]:
        return split.with_threshold(min(split.threshold, float(key.min())))
    if side.size and key.max() >= split.threshold:
        return split.with_threshold(float(np.nextafter(key.max(), np.inf)))
    return split
