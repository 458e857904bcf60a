"""From a solver's numbers to proved bounds: scale of the objective, cutoff and tolerance."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from oddlearn.problem.node_count_bounds import NodeCountBounds, ObjectiveGrid
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.milp.linear_model import LinearModel

# possible error of a solver's bound, in units of the objective, or relative to a bound above 1
SOLVER_TOLERANCE = 1e-6

# values closer together than this many tolerances cannot be told apart by a solver
DISTINCT_TOLERANCES = 4.0

MAX_COEFFICIENT = 1e4  # the largest coefficient of a scaled objective


def proved_bound(bound: float) -> float:
    """Return a solver's bound minus its tolerance; infinite bounds stay."""
    return bound - SOLVER_TOLERANCE * max(1.0, abs(bound)) if math.isfinite(bound) else bound


def tighten_by_objective(
    problem: TrainingProblem, bounds: NodeCountBounds, count: int | None, objective: float
) -> NodeCountBounds:
    """Return the bounds after a bound on the objective with one node count, or with any (None)."""
    counts = range(1, bounds.cost.size + 1) if count is None else [count]
    for each in counts:
        bounds = bounds.tightened_by_objective(problem, each, objective)
    return bounds


def value_step(problem: TrainingProblem) -> float:
    """Return the smallest distance of two objectives with the same node count; 0 if any is possible."""
    step = ObjectiveGrid.from_problem(problem).step / problem.total_weight
    return step if step > DISTINCT_TOLERANCES * SOLVER_TOLERANCE else 0.0


def cutoff_below(problem: TrainingProblem, count: int, objective: float) -> float:
    """Return a cutoff for diagrams with ``count`` nodes: those better than the objective lie below.

    Halfway between two values their objective can take, so that no tolerance of a solver matters. Where any
    value is possible it is the objective itself.
    """
    step = value_step(problem)
    if step == 0 or math.isinf(objective):
        return objective
    prices = problem.node_price * (count - 1)
    best_below = math.ceil((objective - OPTIMALITY_TOLERANCE - prices) / step) - 1
    return prices + (best_below + 0.5) * step


def objective_scale(problem: TrainingProblem, model: LinearModel) -> float:
    """Return a factor for the objective: a solver's tolerances are meant for coefficients around 1.

    In the paper's form an error costs 1 / n: with 10,000 rows a solver would take reduced costs that add up
    to errors for rounding.
    """
    largest = float(np.abs(model.cost).max(initial=0.0))
    if largest == 0:
        return 1.0
    step = value_step(problem)
    # never smaller for its own sake: what tolerances hide would grow
    return min(1.0 / step if step > 0 else max(1.0, 1.0 / largest), MAX_COEFFICIENT / largest)


def scale_objective(model: LinearModel, scale: float) -> LinearModel:
    """Return the model with its objective multiplied by a factor."""
    return replace(model, cost=model.cost * scale, offset=model.offset * scale)
