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
    big_m: FloatArray  # (k,): the most by which ``matrix @ x`` can exceed ``upper`` in the model

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
        indicators=Indicators(rows[:0], csr_array((0, model.n_columns)), np.empty(0), np.empty(0)),
    )


def make_triggers_binary(model: LinearModel) -> LinearModel:
    """Return the model with the indicators' triggers declared binary, which in a solution they are anyway."""
    integer = model.integer.copy()
    integer[model.indicators.trigger] = True
    return replace(model, integer=integer)
