"""A mixed-integer linear program as arrays, independent of diagrams and of solvers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Indicators:
    """Rows that hold when their trigger is 1: ``x[trigger] = 1  =>  matrix @ x <= upper``."""

    trigger: IntArray  # (k,): column of each row's trigger, with bounds 0 and 1
    matrix: Any  # scipy.sparse CSR (k, n_columns)
    upper: FloatArray  # (k,)
    # (k,): the most by which ``matrix @ x`` can exceed ``upper`` within the column bounds and the other rows
    big_m: FloatArray

    def __len__(self) -> int:
        return int(self.trigger.size)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Minimise ``cost @ x + offset`` subject to ``lower <= matrix @ x <= upper`` and the indicators."""

    cost: FloatArray  # (n_columns,)
    offset: float
    matrix: Any  # scipy.sparse CSR (n_rows, n_columns)
    lower: FloatArray  # (n_rows,)
    upper: FloatArray  # (n_rows,)
    column_lower: FloatArray  # (n_columns,)
    column_upper: FloatArray  # (n_columns,)
    integer: BoolArray  # (n_columns,)
    indicators: Indicators

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.cost.size)

    @property
    def n_rows(self) -> int:
        """Number of rows, indicators not counted."""
        return int(self.lower.size)

    def value(self, x: FloatArray) -> float:
        """Return the objective of a point."""
        return float(self.cost @ x) + self.offset

    def violation(self, x: FloatArray) -> float:
        """Return the largest distance of a point to a row, a bound, an integer or a triggered row."""
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


def linearise_indicators(model: LinearModel) -> LinearModel:
    """Return the model with every indicator as a row: ``matrix @ x + big_m * trigger <= upper + big_m``."""
    indicators = model.indicators
    rows = np.arange(len(indicators))
    big_m = csr_array((indicators.big_m, (rows, indicators.trigger)), shape=indicators.matrix.shape)
    return replace(
        model,
        matrix=csr_array(vstack([model.matrix, indicators.matrix + big_m], format="csr")),
        lower=np.concatenate([model.lower, np.full(len(indicators), -np.inf)]),
        upper=np.concatenate([model.upper, indicators.upper + indicators.big_m]),
        indicators=_no_indicators(model.n_columns),
    )


def make_triggers_binary(model: LinearModel) -> LinearModel:
    """Return the model with the indicators' triggers declared binary, which in a solution they are anyway."""
    integer = model.integer.copy()
    integer[model.indicators.trigger] = True
    return replace(model, integer=integer)


def _no_indicators(n_columns: int) -> Indicators:
    matrix = csr_array((0, n_columns))
    return Indicators(np.empty(0, dtype=np.intp), matrix, np.empty(0), np.empty(0))
