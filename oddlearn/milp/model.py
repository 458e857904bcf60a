"""A mixed-integer linear program as arrays; it knows no diagrams and no solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Indicators:
    """Rows that hold when their trigger is 1: ``x[trigger] = 1  =>  matrix @ x <= upper``.

    Attributes
    ----------
    trigger : (k,) int
        Column of each row's trigger, with bounds 0 and 1.
    matrix : scipy.sparse CSR (k, n_columns)
    upper : (k,) float
    slack : (k,) float
        The most by which ``matrix @ x`` can exceed ``upper`` within the column bounds and the other rows.
    """

    trigger: IntArray
    matrix: Any
    upper: FloatArray
    slack: FloatArray

    def __len__(self) -> int:
        return int(self.trigger.size)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Minimise ``cost @ x + offset`` subject to ``lower <= matrix @ x <= upper`` and the indicators.

    Attributes
    ----------
    cost : (n_columns,) float
    offset : float
    matrix : scipy.sparse CSR (n_rows, n_columns)
    lower, upper : (n_rows,) float
    column_lower, column_upper : (n_columns,) float
    integer : (n_columns,) bool
    indicators : Indicators
    """

    cost: FloatArray
    offset: float
    matrix: Any
    lower: FloatArray
    upper: FloatArray
    column_lower: FloatArray
    column_upper: FloatArray
    integer: BoolArray
    indicators: Indicators

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.cost.size)

    @property
    def n_rows(self) -> int:
        """Number of rows, indicators not counted."""
        return int(self.lower.size)

    @property
    def n_binaries(self) -> int:
        """Number of integer columns; all have bounds within 0 and 1."""
        return int(self.integer.sum())

    def value(self, x: FloatArray) -> float:
        """Return the objective of a point."""
        return float(self.cost @ x) + self.offset

    def violation(self, x: FloatArray) -> float:
        """Return the largest distance of a point to a row, a bound, a whole number or a triggered row."""
        row = np.asarray(self.matrix @ x)
        parts = [
            self.lower - row,
            row - self.upper,
            self.column_lower - x,
            x - self.column_upper,
            np.abs(x - np.round(x))[self.integer],
            (np.asarray(self.indicators.matrix @ x) - self.indicators.upper)[
                x[self.indicators.trigger] > 0.5
            ],
        ]
        return max(0.0, *(float(part.max(initial=0.0)) for part in parts))
