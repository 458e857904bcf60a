"""A lower bound under constraints by Lagrangian relaxation: constraint rows are moved into the costs.

For a constraint row ``a.x >= b`` and a multiplier u >= 0, every diagram that satisfies the row has an
objective of at least ``objective + u (b - a.x)``. The same holds for a soft row if u is at most its penalty.
A row on the classes assigned only changes the cost of assigning a sample to a class, so the minimum over all
diagrams is a problem without that row, which branch and bound solves. Multipliers of 0 drop the rows. A
subgradient method improves them: the multiplier of a row that the last optimum violates increases.
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
from oddlearn.problem.node_count_bounds import NodeCountBounds, ObjectiveGrid
from oddlearn.problem.observables import compute_observables
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE, VIOLATION_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit, ignore
from oddlearn.solve.state import SolveState

MAX_STEPS = 40

# the step length is multiplied by this factor after a step that did not raise the bound
STEP_SHRINKAGE = 0.5
MIN_STEP_LENGTH = 1e-3

ROUNDING = 1e-12  # subtracted from a bound for rounding, as a share of the terms that are added up


@dataclass(frozen=True)
class Lagrangian:
    """Lagrangian relaxation of constraint rows; branch and bound solves the relaxed problems."""

    name: ClassVar[str] = "lagrangian"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the constraints of a problem cannot be relaxed."""
        if len(NodeLimits.from_problem(problem).numbers) == len(problem.rows):
            return ["There are no constraints but limits on nodes, which branch and bound satisfies itself."]
        return BranchAndBound().unsupported_reasons(_drop_rows(problem))

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds of all node counts by the best multipliers found."""
        method = SubgradientMethod(state.problem, state.objective, budget)
        method.run()
        state = state.tighten(method.bounds, method.evidence).offer(method.diagram)
        return replace(state, interrupted=state.interrupted or method.interrupted)


@dataclass(frozen=True, eq=False)
class _RelaxableRows:
    """Rows ``matrix @ assigned >= limit``, and the largest multiplier of each."""

    matrix: FloatArray
    limit: FloatArray
    max_multiplier: FloatArray

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> _RelaxableRows:
        """Return the rows that contain nothing but the classes assigned."""
        rows, n_columns = problem.rows, problem.cost.size
        parts: list[tuple[FloatArray, float, float]] = []
        for number in range(len(rows)):
            columns = rows.columns_of(number)
            if (columns >= n_columns).any():
                continue
            coefficients = np.zeros(n_columns)
            coefficients[columns] = rows.coefficients(number)
            for sign, limit in ((1.0, rows.lower[number]), (-1.0, -rows.upper[number])):
                if np.isfinite(limit):
                    # a hard row may be violated by the tolerance
                    allowed = 0.0 if rows.is_soft[number] else VIOLATION_TOLERANCE
                    parts.append((sign * coefficients, float(limit) - allowed, float(rows.penalty[number])))
        matrix = np.array([part[0] for part in parts]).reshape(len(parts), n_columns)
        return cls(matrix, np.array([part[1] for part in parts]), np.array([part[2] for part in parts]))


class SubgradientMethod:
    """A search for the multipliers of the largest bound, until it meets the objective or time is up.

    It begins with the objective of the incumbent, inf when that violates a constraint. ``objective`` and
    ``diagram`` are the best that satisfies them; no diagram if none better than the incumbent was found.
    ``lower_bound``: no diagram that satisfies the constraints has a lower objective. ``steps``: multipliers
    tried.
    """

    def __init__(self, problem: TrainingProblem, objective: float, budget: Budget) -> None:
        self._problem, self._budget = problem, budget
        self._rows, self._grid = _RelaxableRows.from_problem(problem), ObjectiveGrid.from_problem(problem)
        self._start = best_constant(_drop_rows(problem))
        self._seconds = 0.0
        self.objective, self.lower_bound = objective, 0.0
        self.diagram: DecisionDiagram | None = None
        self.steps = 0
        self.interrupted = False

    def run(self) -> None:
        """Improve the multipliers step by step."""
        started = time.perf_counter()
        self._improve_multipliers()
        self._seconds += time.perf_counter() - started

    @property
    def bounds(self) -> NodeCountBounds:
        """The lower bound as one for every node count."""
        bounds = NodeCountBounds(np.zeros(self._problem.skeleton.n_nodes))
        for count in range(1, self._problem.skeleton.n_nodes + 1):
            bounds = bounds.tightened_by_objective(self._problem, count, self.lower_bound)
        return bounds

    @property
    def evidence(self) -> Evidence:
        """The evidence for the bound."""
        text = "branch and bound without the constraints it cannot satisfy"
        if self.steps > 1:
            text += f", moved into the costs with {self.steps} sets of multipliers"
        status = "optimal" if self._is_optimal else "time" if self._budget.expired else "open"
        status = "interrupted" if self.interrupted else status
        return Evidence(Lagrangian.name, self.lower_bound, text, self._seconds, status=status)

    @property
    def _is_optimal(self) -> bool:
        return self.objective - self.lower_bound <= OPTIMALITY_TOLERANCE

    def _improve_multipliers(self) -> None:
        multipliers, length, largest = np.zeros(self._rows.limit.size), 1.0, -math.inf
        best, direction = multipliers, multipliers
        while self.steps < MAX_STEPS and length > MIN_STEP_LENGTH:
            if self._budget.expired or self._is_optimal:
                return
            value, subgradient, is_finished = self._solve_relaxation(multipliers)
            if not is_finished or not self._rows.limit.size:
                return
            if value > largest + OPTIMALITY_TOLERANCE:
                best, direction, largest = multipliers, subgradient, value
            else:
                # too far, across a ridge of the dual function: a shorter step along it
                length, direction = STEP_SHRINKAGE * length, (direction + subgradient) / 2
            multipliers = self._move(best, direction, length)

    def _move(self, multipliers: FloatArray, direction: FloatArray, length: float) -> FloatArray:
        """Return the next multipliers: larger for violated rows, smaller for rows with slack (Polyak)."""
        square = float(direction @ direction)
        if square == 0:
            return multipliers
        target = self.objective if np.isfinite(self.objective) else 2.0 * self.lower_bound + 0.1
        step = length * max(target - self.lower_bound, OPTIMALITY_TOLERANCE) / square
        return np.asarray(np.clip(multipliers + step * direction, 0.0, self._rows.max_multiplier))

    def _solve_relaxation(self, multipliers: FloatArray) -> tuple[float, FloatArray, bool]:
        """Return the bound of the relaxed problem, its subgradient, and True if it was solved in time."""
        self.steps += 1
        relaxed, offset, rounding = _relax(self._problem, self._rows, multipliers)
        solved = BranchAndBound().run(SolveState.initial(relaxed, self._start), self._budget, ignore)
        self.interrupted = solved.interrupted
        value = solved.lower_bound + offset - rounding
        self.lower_bound = max(self.lower_bound, self._grid.round_up(value))
        self._offer(solved.diagram)
        self._start = solved.diagram
        subgradient = self._rows.limit - self._rows.matrix @ _assigned(self._problem, solved.diagram)
        return value, subgradient, not (self._budget.expired or self.interrupted)

    def _offer(self, diagram: DecisionDiagram) -> None:
        value = evaluate(self._problem, diagram)
        if value.violation == 0 and value.objective < self.objective:
            self.objective, self.diagram = value.objective, diagram


def _relax(
    problem: TrainingProblem, rows: _RelaxableRows, multipliers: FloatArray
) -> tuple[TrainingProblem, float, float]:
    """Return the problem with the rows in its costs, the constant its objective lacks, and the rounding."""
    weight = problem.total_weight
    cost = problem.cost - weight * (multipliers @ rows.matrix).reshape(problem.cost.shape)
    least = cost.min(axis=1)
    offset = float(multipliers @ rows.limit + least.sum() / weight)
    size = float(np.abs(cost).max(axis=1).sum() / weight + np.abs(multipliers) @ np.abs(rows.limit))
    # branch and bound needs costs of 0 or more
    return _drop_rows(replace(problem, cost=cost - least[:, None])), offset, ROUNDING * size


def _drop_rows(problem: TrainingProblem) -> TrainingProblem:
    """Return the problem without constraints but limits on the number of nodes."""
    limits = problem.rows.select(NodeLimits.from_problem(problem).numbers)
    return replace(problem, rows=limits, constraint_blocks=())


def _assigned(problem: TrainingProblem, diagram: DecisionDiagram) -> FloatArray:
    """Return the observables of the classes assigned, in the order of the costs, shape (m * n_classes,)."""
    trace = route_reference(diagram, problem.data.X)
    observables = compute_observables(problem.layout, problem.skeleton, diagram, trace)
    return np.asarray(observables[problem.layout.assigned].ravel())
