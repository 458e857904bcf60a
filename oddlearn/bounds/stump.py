"""The best diagram with one univariate split, exactly."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.engine import Budget
from oddlearn.problem.evaluate import MARGIN_TOLERANCE
from oddlearn.problem.problem import TrainingProblem


def stump_cost(problem: TrainingProblem, budget: Budget) -> float | None:
    """Return the least cost of a diagram with at most one univariate split; None when out of time."""
    best = float(problem.cost.sum(axis=0).min())
    for column in problem.data.X.T:
        if budget.expired:
            return None
        best = min(best, _best_on(column, problem.cost, problem.margin))
    return best


def _best_on(column: FloatArray, cost: FloatArray, margin: float) -> float:
    """Return the least cost of a split of one feature with a gap of at least the margin."""
    order = np.argsort(column)
    gaps = np.diff(column[order])
    places = np.flatnonzero((gaps > 0) & (gaps >= margin - MARGIN_TOLERANCE))
    if places.size == 0:
        return float(np.inf)
    below = np.cumsum(cost[order], axis=0)
    above = below[-1] - below[places]
    total = below[places].min(axis=1) + above.min(axis=1)
    return float(total.min())
