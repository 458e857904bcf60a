"""The best diagram with a single univariate split; data separable by one hyperplane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import best_cut
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.max_margin import Hyperplane, widest_gap
from oddlearn.solve.root_bounds.class_count_bound import regrets

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


def _diagram(problem: TrainingProblem, feature: int) -> DecisionDiagram:
    column = problem.data.X[:, feature]
    split = UnivariateSplit(feature, best_cut(column, problem.cost, 0.0)[1])
    above = column >= split.threshold
    codes = [int(problem.cost[side].sum(axis=0).argmin()) for side in (~above, above)]
    arcs = (np.array([1 + codes[0]]), np.array([1 + codes[1]]), np.array([0]))
    return DecisionDiagram((split,), *arcs, problem.data.n_classes, problem.data.n_features)


@dataclass(frozen=True)
class Separation:
    """What one hyperplane can do.

    Attributes
    ----------
    diagram : DecisionDiagram or None
        One split that gives every row its cheapest class, with the margin kept.
    cost : float
        Proved lower bound on the cost of a diagram with one split; 0 when nothing is known.
    """

    diagram: DecisionDiagram | None
    cost: float = 0.0


def separate(problem: TrainingProblem, budget: Budget) -> Separation:
    """Decide by a linear program whether one hyperplane separates the data without loss."""
    best = problem.cost.argmin(axis=1)
    regret = regrets(problem.cost)
    # a row that is indifferent between classes proves nothing about separability
    strict = np.flatnonzero(regret > 0)
    classes = np.unique(best[strict])
    if classes.size != 2:
        return Separation(None)
    positive = best[strict] == classes[1]
    found = widest_gap(problem.data.X[strict], positive, problem.margin, budget)
    if found.hyperplane is not None:
        return Separation(_checked_diagram(problem, found.hyperplane, classes))
    if found.largest_gap < problem.margin - 2 * MARGIN_TOLERANCE:
        return Separation(None, float(problem.cost.min(axis=1).sum() + regret[strict].min()))
    return Separation(None)


def _checked_diagram(
    problem: TrainingProblem, plane: Hyperplane, classes: IntArray
) -> DecisionDiagram | None:
    """Return the one-node diagram if, by plain evaluation, it is a solution without loss."""
    split = MultivariateSplit(plane.weights, plane.threshold)
    arcs = (np.array([1 + classes[0]]), np.array([1 + classes[1]]), np.array([0]))
    diagram = DecisionDiagram((split,), *arcs, problem.data.n_classes, problem.data.n_features)
    try:
        value = evaluate(problem, diagram)
    except DiagramMisfitError:
        return None
    return diagram if value.cost <= problem.cost.min(axis=1).sum() else None
