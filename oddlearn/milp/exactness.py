"""From a solver's numbers to what is proved: its scale, its cutoff and its tolerance."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from oddlearn.milp.model import LinearModel
from oddlearn.problem.certificate import OPTIMALITY_TOLERANCE
from oddlearn.problem.floors import Floors
from oddlearn.problem.lattice import Lattice
from oddlearn.problem.problem import TrainingProblem

# what a solver's bound may be wrong by, in units of the objective, or as a share of a bound above 1
SOLVER_TOLERANCE = 1e-6

# values that lie closer together than this many tolerances cannot be told apart by a solver
DISTINCT = 4.0

# the largest coefficient of a scaled objective
LARGEST_COEFFICIENT = 1e4


def proved(bound: float) -> float:
    """Return what a solver's bound proves, its tolerance taken off; infinite bounds stay."""
    return bound - SOLVER_TOLERANCE * max(1.0, abs(bound)) if math.isfinite(bound) else bound


def raised_floors(problem: TrainingProblem, floors: Floors, count: int | None, bound: float) -> Floors:
    """Return the floors after a bound on the objective with one number of nodes, or with any (None)."""
    counts = range(1, floors.cost.size + 1) if count is None else [count]
    for each in counts:
        floors = floors.raised_by(problem, each, bound)
    return floors


def value_step(problem: TrainingProblem) -> float:
    """Return the least distance of two objectives with the same number of nodes; 0 if any is possible."""
    step = Lattice.of(problem).step / problem.total_weight
    return step if step > DISTINCT * SOLVER_TOLERANCE else 0.0


def cutoff_below(problem: TrainingProblem, count: int, objective: float) -> float:
    """Return a cutoff for diagrams with ``count`` nodes: what is better than the objective lies below.

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

    As printed, an error costs 1 / n: with 10,000 rows a solver would take reduced costs that add up to
    errors for rounding.
    """
    largest = float(np.abs(model.cost).max(initial=0.0))
    if largest == 0:
        return 1.0
    step = value_step(problem)
    # never made smaller for its own sake: what tolerances hide would grow
    return min(1.0 / step if step > 0 else max(1.0, 1.0 / largest), LARGEST_COEFFICIENT / largest)


def scaled(model: LinearModel, scale: float) -> LinearModel:
    """Return the model with another scale of its objective."""
    return replace(model, cost=model.cost * scale, offset=model.offset * scale)
