"""The unit box: every feature of the training rows mapped to 0..1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, read_only_floats
from oddlearn.diagram.diagram import DecisionDiagram

# a feature that varies less than this counts as constant: dividing by its span would overflow
SMALLEST_HALF_SPAN = 1e-300


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
