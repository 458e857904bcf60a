"""Models rewritten for solvers that lack indicators, or take only binary triggers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, vstack

from oddlearn.milp.model import Indicators, LinearModel


def lowered(model: LinearModel) -> LinearModel:
    """Return the model with every indicator as a row: ``matrix @ x + slack * trigger <= upper + slack``."""
    indicators = model.indicators
    rows = np.arange(len(indicators))
    slack = csr_array((indicators.slack, (rows, indicators.trigger)), shape=indicators.matrix.shape)
    return replace(
        model,
        matrix=csr_array(vstack([model.matrix, indicators.matrix + slack], format="csr")),
        lower=np.concatenate([model.lower, np.full(len(indicators), -np.inf)]),
        upper=np.concatenate([model.upper, indicators.upper + indicators.slack]),
        indicators=_none(model.n_columns),
    )


def with_binary_triggers(model: LinearModel) -> LinearModel:
    """Return the model with the indicators' triggers declared binary, which in a solution they are anyway."""
    integer = model.integer.copy()
    integer[model.indicators.trigger] = True
    return replace(model, integer=integer)


def _none(n_columns: int) -> Indicators:
    matrix = csr_array((0, n_columns))
    return Indicators(np.empty(0, dtype=np.intp), matrix, np.empty(0), np.empty(0))
