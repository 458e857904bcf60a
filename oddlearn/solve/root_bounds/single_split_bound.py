"""The best single univariate split, and a test whether one hyperplane separates the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.regret import regrets
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_stump
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.max_margin import Hyperplane, max_margin_hyperplane
from oddlearn.table.column_medians import column_blocks

MIN_SAVING_SHARE = 1e-9  # a split that saves a smaller share of all weight is rounding

# rows x features up to which separability is tested: writing a larger linear program alone takes seconds
MAX_SEPARABILITY_CELLS = 15_000_000


@dataclass(frozen=True)
class Stump:
    """The best single split among those tried."""

    cost: float  # its cost, or that of the best constant when no split is better
    diagram: DecisionDiagram | None  # None when no split tried is better than the best constant
    is_complete: bool  # True when all single splits were tried, so that the cost is the least of all


def best_stump(problem: TrainingProblem, budget: Budget) -> Stump:
    """Return the best diagram with at most one univariate split, of those tried in time."""
    constant = float(problem.cost.sum(axis=0).min())
    least, best, is_complete = constant, -1, True
    for block in column_blocks(problem.data.n_rows, problem.data.n_features):
        if budget.expired:
            is_complete = False
            break
        costs = problem.data.ranked_columns.single_split_costs(problem.cost, block)
        if costs.min() < least:
            least, best = float(costs.min()), block.start + int(costs.argmin())
    is_better = least < constant - MIN_SAVING_SHARE * problem.total_weight
    return Stump(least, _build_stump(problem, best) if is_better else None, is_complete)


def _build_stump(problem: TrainingProblem, feature: int) -> DecisionDiagram:
    column, order = problem.data.X[:, feature], problem.data.ranked_columns.order(feature)
    split = UnivariateSplit(feature, find_best_stump(column, order, problem.cost, 0.0)[1])
    above = column >= split.threshold
    codes = [int(problem.cost[side].sum(axis=0).argmin()) for side in (~above, above)]
    arcs = (np.array([1 + codes[0]]), np.array([1 + codes[1]]), np.array([0]))
    return DecisionDiagram((split,), *arcs, problem.data.n_classes, problem.data.n_features)


@dataclass(frozen=True)
class SeparabilityResult:
    """The result of a test whether one hyperplane separates the data."""

    diagram: DecisionDiagram | None  # one split with the margin that gives every row its cheapest class
    cost: float = 0.0  # proved lower bound on the cost of a diagram with one split; 0 if nothing is proved


def check_separability(problem: TrainingProblem, budget: Budget) -> SeparabilityResult:
    """Decide by a linear program whether one hyperplane separates the data without loss."""
    if problem.data.X.size > MAX_SEPARABILITY_CELLS:
        return SeparabilityResult(None)
    best = problem.cost.argmin(axis=1)
    regret = regrets(problem.cost)
    # a row with two cheapest classes proves nothing about separability
    strict = np.flatnonzero(regret > 0)
    classes = np.unique(best[strict])
    if classes.size != 2:
        return SeparabilityResult(None)
    positive = best[strict] == classes[1]
    rows = problem.data.X if strict.size == problem.data.n_rows else problem.data.X[strict]
    found = max_margin_hyperplane(rows, positive, problem.margin, budget)
    if found.hyperplane is not None:
        return SeparabilityResult(_build_if_lossless(problem, found.hyperplane, classes))
    if found.largest_gap < problem.margin - 2 * MARGIN_TOLERANCE:
        return SeparabilityResult(None, float(problem.cost.min(axis=1).sum() + regret[strict].min()))
    return SeparabilityResult(None)


def _build_if_lossless(
    problem: TrainingProblem, plane: Hyperplane, classes: IntArray
) -> DecisionDiagram | None:
    """Return the one-node diagram if ``evaluate`` confirms that it is a solution without loss."""
    split = MultivariateSplit(plane.weights, plane.threshold)
    arcs = (np.array([1 + classes[0]]), np.array([1 + classes[1]]), np.array([0]))
    diagram = DecisionDiagram((split,), *arcs, problem.data.n_classes, problem.data.n_features)
    try:
        value = evaluate(problem, diagram)
    except DiagramMisfitError:
        return None
    return diagram if value.cost <= problem.cost.min(axis=1).sum() else None
