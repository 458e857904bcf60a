"""A lower bound under constraints: they are priced, and the branch and bound proves what is left.

For a row ``a.x >= b`` of the constraints and a price u >= 0, every diagram that keeps it has an objective of
at least ``objective + u (b - a.x)``. The same holds of a soft row for prices up to its own, as its penalty is
the largest of these terms. A row on the classes given changes nothing but what it costs to give a sample a
class, so that the least value over all diagrams is a problem without that row. Prices of 0 drop the rows.
Better ones follow from the best diagram for the last ones: what it breaks becomes dearer.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.node_count_bounds import NodeCountBounds, ObjectiveGrid
from oddlearn.problem.observables import compute_observables
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE, VIOLATION_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit, ignore
from oddlearn.solve.state import SolveState

# prices that are tried at most
MOST_STEPS = 40

# steps towards the best objective: they shrink by this much whenever the bound did not grow
SHRINK = 0.5
LEAST_STEP = 1e-3

# what is taken off a bound for the rounding of its prices, as a share of the terms that are added up
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Dual:
    """What pricing the constraints proved.

    Attributes
    ----------
    bound : float
        No diagram that keeps the constraints has a lower objective.
    bounds : NodeCountBounds
        The same for every number of nodes.
    diagram : DecisionDiagram or None
        The best found on the way that keeps them.
    evidence : Evidence
    interrupted : bool
        True when the user ended it from the keyboard.
    """

    bound: float
    bounds: NodeCountBounds
    diagram: DecisionDiagram | None
    evidence: Evidence
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class _OneSided:
    """Rows ``matrix @ assigned >= limit``, none of which costs more than ``most`` for a unit short of it."""

    matrix: FloatArray
    limit: FloatArray
    most: FloatArray


@dataclass(frozen=True)
class Lagrangian:
    """Constraint rows priced into the costs; branch and bound proves what is left."""

    name: ClassVar[str] = "lagrangian"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the constraints cannot be priced."""
        return objections_to_dual(problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds of all node counts by the best prices found."""
        dual = dual_bound(state.problem, state.objective, budget)
        tightened = state.tighten(dual.bounds, dual.evidence).offer(dual.diagram)
        return replace(tightened, interrupted=tightened.interrupted or dual.interrupted)


def objections_to_dual(problem: TrainingProblem) -> list[str]:
    """Return why the constraints of a problem cannot be priced; empty when they can."""
    limits = NodeLimits.from_problem(problem)
    if len(limits.numbers) == len(problem.rows):
        return ["There are no constraints but limits on nodes, which the branch and bound keeps itself."]
    return BranchAndBound().unsupported_reasons(_without_rows(problem))


def dual_bound(problem: TrainingProblem, objective: float, budget: Budget) -> Dual:
    """Raise a lower bound by pricing constraints, until it meets the objective or the time is up.

    Parameters
    ----------
    problem : TrainingProblem
        With univariate splits and constraints, to which ``objections_to_dual`` has none.
    objective : float
        Of the best diagram known that keeps the constraints; inf when none is.
    budget : Budget
    """
    started = time.perf_counter()
    work = _Ascent(problem, objective, budget)
    work.run()
    text = "branch and bound without the constraints it cannot keep"
    if work.steps > 1:
        text += f", which are priced instead: {work.steps} prices tried"
    is_met = work.objective - work.bound <= OPTIMALITY_TOLERANCE
    ending = "optimal" if is_met else "time" if budget.expired else "open"
    ending = "interrupted" if work.interrupted else ending
    evidence = Evidence("lagrangian", work.bound, text, time.perf_counter() - started, ending=ending)
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes))
    for count in range(1, problem.skeleton.n_nodes + 1):
        bounds = bounds.tightened_by_objective(problem, count, work.bound)
    return Dual(work.bound, bounds, work.diagram, evidence, work.interrupted)


class _Ascent:
    """Prices that move towards those of the largest bound."""

    def __init__(self, problem: TrainingProblem, objective: float, budget: Budget) -> None:
        self._problem, self._budget = problem, budget
        self._rows, self._grid = _one_sided(problem), ObjectiveGrid.from_problem(problem)
        self._start = best_constant(_without_rows(problem))
        self.objective, self.bound = objective, 0.0
        self.diagram: DecisionDiagram | None = None
        self.steps = 0
        self.interrupted = False

    def run(self) -> None:
        """Try one price after the other."""
        price, step, most = np.zeros(self._rows.limit.size), 1.0, -math.inf
        best, direction = price, price
        while self.steps < MOST_STEPS and not self._is_over and step > LEAST_STEP:
            value, short, is_finished = self._solved(price)
            if not is_finished or not self._rows.limit.size:
                return
            if value > most + OPTIMALITY_TOLERANCE:
                best, direction, most = price, short, value
            else:
                # across a ridge: less far, and along it
                step, direction = SHRINK * step, (direction + short) / 2
            price = self._moved(best, direction, step)

    @property
    def _is_over(self) -> bool:
        return self._budget.expired or self.objective - self.bound <= OPTIMALITY_TOLERANCE

    def _moved(self, price: FloatArray, short: FloatArray, step: float) -> FloatArray:
        """Return the next prices: more for rows that are broken, less for those kept with room to spare."""
        length = float(short @ short)
        if length == 0:
            return price
        target = self.objective if np.isfinite(self.objective) else 2.0 * self.bound + 0.1
        reach = step * max(target - self.bound, OPTIMALITY_TOLERANCE) / length
        return np.asarray(np.clip(price + reach * short, 0.0, self._rows.most))

    def _solved(self, price: FloatArray) -> tuple[float, FloatArray, bool]:
        """Prove the priced problem; return its value, what its diagram is short of, and if it is done."""
        self.steps += 1
        priced, offset, noise = _priced(self._problem, self._rows, price)
        solved = BranchAndBound().run(SolveState.initial(priced, self._start), self._budget, ignore)
        self.interrupted = solved.interrupted
        found = solved.diagram
        value = solved.lower_bound + offset - noise
        self.bound = max(self.bound, self._grid.round_up(value))
        self._offer(found)
        self._start = found
        short = self._rows.limit - self._rows.matrix @ _assigned(self._problem, found)
        return value, short, not (self._budget.expired or self.interrupted)

    def _offer(self, diagram: DecisionDiagram) -> None:
        value = evaluate(self._problem, diagram)
        if value.violation == 0 and value.objective < self.objective:
            self.objective, self.diagram = value.objective, diagram


def _priced(
    problem: TrainingProblem, rows: _OneSided, price: FloatArray
) -> tuple[TrainingProblem, float, float]:
    """Return the problem with its rows priced, what its objective lacks, and how far rounding may be off."""
    weight = problem.total_weight
    cost = problem.cost - weight * (price @ rows.matrix).reshape(problem.cost.shape)
    least = cost.min(axis=1)
    offset = float(price @ rows.limit + least.sum() / weight)
    size = float(np.abs(cost).max(axis=1).sum() / weight + np.abs(price) @ np.abs(rows.limit))
    # costs of 0 or more are what the branch and bound takes
    return _without_rows(replace(problem, cost=cost - least[:, None])), offset, ROUNDING * size


def _one_sided(problem: TrainingProblem) -> _OneSided:
    """Return the rows that are about nothing but the classes given."""
    rows, n_places = problem.rows, problem.cost.size
    parts: list[tuple[FloatArray, float, float]] = []
    for number in range(len(rows)):
        places = rows.columns_of(number)
        if (places >= n_places).any():
            continue
        own = np.zeros(n_places)
        own[places] = rows.coefficients(number)
        for sign, limit in ((1.0, rows.lower[number]), (-1.0, -rows.upper[number])):
            if np.isfinite(limit):
                # a hard row counts as kept within its tolerance
                allowed = 0.0 if rows.is_soft[number] else VIOLATION_TOLERANCE
                parts.append((sign * own, float(limit) - allowed, float(rows.penalty[number])))
    matrix = np.array([part[0] for part in parts]).reshape(len(parts), n_places)
    return _OneSided(matrix, np.array([part[1] for part in parts]), np.array([part[2] for part in parts]))


def _without_rows(problem: TrainingProblem) -> TrainingProblem:
    """Return the problem without constraints but limits on numbers of nodes."""
    kept = list(NodeLimits.from_problem(problem).numbers)
    rows = problem.rows
    labels = tuple(rows.labels[number] for number in kept)
    own = LinearRows(rows.matrix[kept], rows.lower[kept], rows.upper[kept], labels, rows.penalty[kept])
    return replace(problem, rows=own, constraint_blocks=())


def _assigned(problem: TrainingProblem, diagram: DecisionDiagram) -> FloatArray:
    """Return which class each row is given, in the order of the costs, shape (m * n_classes,)."""
    steps = route_reference(diagram, problem.data.X)
    observables = compute_observables(problem.layout, problem.skeleton, diagram, steps)
    return np.asarray(observables[problem.layout.assigned].ravel())
