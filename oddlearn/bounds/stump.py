"""The best diagram with one univariate split, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.engine import Budget
from oddlearn.problem.evaluate import MARGIN_TOLERANCE
from oddlearn.problem.problem import TrainingProblem

# a split that saves less than this share of all weight is noise of floating point
NOISE = 1e-9


@dataclass(frozen=True)
class Stump:
    """The best single split among those tried.

    Attributes
    ----------
    cost : float
        Its cost, or that of the best constant when no split is better.
    diagram : DecisionDiagram or None
        None when no split tried is better than the best constant.
    complete : bool
        True when all single splits were tried, so that the cost is the least of all.
    """

    cost: float
    diagram: DecisionDiagram | None
    complete: bool


def best_stump(problem: TrainingProblem, budget: Budget) -> Stump:
    """Return the best diagram with at most one univariate split, of those tried in time."""
    constant = float(problem.cost.sum(axis=0).min())
    least, best, complete = constant, -1, True
    for feature, column in enumerate(problem.data.X.T):
        if budget.expired:
            complete = False
            break
        cost = best_cut(column, problem.cost, 0.0)[0]
        if cost < least:
            least, best = cost, feature
    saves = least < constant - NOISE * problem.total_weight
    return Stump(least, _diagram(problem, best) if saves else None, complete)


def stump_cost(problem: TrainingProblem, budget: Budget) -> float | None:
    """Return the least cost of a diagram with at most one univariate split; None when out of time."""
    stump = best_stump(problem, budget)
    return stump.cost if stump.complete else None


def best_cut(column: FloatArray, cost: FloatArray, margin: float) -> tuple[float, float]:
    """Return the least cost of a split of one feature with a gap of at least the margin, and where it is."""
    order = np.argsort(column)
    gaps = np.diff(column[order])
    places = np.flatnonzero((gaps > 0) & (gaps >= margin - MARGIN_TOLERANCE))
    if places.size == 0:
        return float(np.inf), 0.0
    below = np.cumsum(cost[order], axis=0)
    above = below[-1] - below[places]
    total = below[places].min(axis=1) + above.min(axis=1)
    place = places[total.argmin()]
    low, high = column[order[place]], column[order[place + 1]]
    return float(total.min()), threshold_between(low, high)


def _diagram(problem: TrainingProblem, feature: int) -> DecisionDiagram:
    column = problem.data.X[:, feature]
    split = UnivariateSplit(feature, best_cut(column, problem.cost, 0.0)[1])
    above = column >= split.threshold
    codes = [int(problem.cost[side].sum(axis=0).argmin()) for side in (~above, above)]
    arcs = (np.array([1 + codes[0]]), np.array([1 + codes[1]]), np.array([0]))
    return DecisionDiagram((split,), *arcs, problem.data.n_classes, problem.data.n_features)
