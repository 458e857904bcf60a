"""Can one hyperplane give every row its cheapest class? An answer either way is worth a proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.bounds.regret import regrets
from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.engine import Budget
from oddlearn.errors import DiagramMisfitError
from oddlearn.hulls import Hyperplane, widest_gap
from oddlearn.problem.evaluate import MARGIN_TOLERANCE, evaluate
from oddlearn.problem.problem import TrainingProblem


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
