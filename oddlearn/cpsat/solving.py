"""One model, one run of CP-SAT: the only file that imports OR-Tools, and only when it runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from oddlearn.cpsat.decode import decode
from oddlearn.cpsat.flows import Flows
from oddlearn.cpsat.frame import Frame
from oddlearn.cpsat.graph import graph_literals
from oddlearn.cpsat.observing import sums_of
from oddlearn.diagram.diagram import DecisionDiagram

# bounds come as floats that stand for whole numbers below 2**50
WHOLE_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Limits:
    """Only whole costs from ``least`` to ``most`` are of interest; no limit above when that is None."""

    least: int
    most: int | None


@dataclass(frozen=True)
class Listeners:
    """Who is told of a diagram, and of a whole cost that no diagram within the limits is below."""

    found: Callable[[DecisionDiagram], None]
    bounded: Callable[[int], None]


@dataclass(frozen=True)
class Result:
    """How a run ended.

    Attributes
    ----------
    bound : int or None
        No diagram of the frame has a lower whole cost; None when there is no diagram at all.
    is_finished : bool
        True when the bound is met by a diagram that was found, or nothing lies within the limits.
    n_branches : int
    """

    bound: int | None
    is_finished: bool
    n_branches: int


class Program:
    """The CP-SAT model of a frame."""

    def __init__(self, frame: Frame, limits: Limits) -> None:
        from ortools.sat.python import cp_model

        self._model = cp_model.CpModel()
        self._limits = limits
        true = self._model.new_constant(1)
        self._flows = Flows.of(self._model, frame, graph_literals(self._model, frame, true), true)
        terms = list(self._flows.cost_terms())
        base = int(frame.costs.cost.min(axis=1).sum())
        weighted = cp_model.LinearExpr.weighted_sum
        most = base + sum(term[1] for term in terms)
        soft_price = iter(frame.costs.excess.tolist())
        for part in sums_of(self._flows):
            total = weighted(part.literals, part.values)
            if not part.is_soft:
                self._model.add_linear_constraint(total, part.lower, part.upper)
                continue
            excess = self._model.new_int_var(0, part.most_excess, "")
            self._model.add(total + excess >= part.lower)
            self._model.add(total - excess <= part.upper)
            terms.append((excess, next(soft_price)))
            most += terms[-1][1] * part.most_excess
        cost = weighted([term[0] for term in terms], [term[1] for term in terms]) + base
        self._model.add_linear_constraint(cost, limits.least, most if limits.most is None else limits.most)
        self._model.minimize(cost)

    @property
    def n_literals(self) -> int:
        """Number of literals."""
        return len(self._model.proto.variables)

    @property
    def n_clauses(self) -> int:
        """Number of clauses, some of them many in one."""
        return len(self._model.proto.constraints)

    def solve(self, seconds: float, n_jobs: int, seed: int, listeners: Listeners) -> Result:
        """Solve it within the seconds, telling news as they come, from threads of the solver."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        solver.best_bound_callback = lambda bound: listeners.bounded(self._proved(bound))
        _set(solver.parameters, seconds, n_jobs, seed)
        flows = self._flows

        class Watch(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                listeners.found(decode(flows, self.boolean_value))

        status = solver.solve(self._model, Watch())
        if status == cp_model.MODEL_INVALID:
            raise RuntimeError(f"OR-Tools refuses the model: {self._model.validate()}")
        if status == cp_model.INFEASIBLE:
            bound = None if self._limits.most is None else self._limits.most + 1
            return Result(bound, True, solver.num_branches)
        is_finished = status == cp_model.OPTIMAL
        return Result(self._proved(solver.best_objective_bound), is_finished, solver.num_branches)

    def _proved(self, bound: float) -> int:
        """Return what a bound says of all diagrams: those above the limit are not in the model."""
        most = math.inf if self._limits.most is None else self._limits.most + 1
        return int(max(self._limits.least, min(math.floor(bound + WHOLE_TOLERANCE), most)))


def solver_version() -> str:
    """Return name and version of the solver."""
    return f"OR-Tools CP-SAT {version('ortools')}"


def _set(parameters: Any, seconds: float, n_jobs: int, seed: int) -> None:  # noqa: ANN401
    if math.isfinite(seconds):
        parameters.max_time_in_seconds = seconds
    parameters.num_workers = n_jobs
    # the solver keeps 31 bits
    parameters.random_seed = seed % 2**31
    # probing takes longer than it saves, and so do linear relaxations: every constraint is a clause
    parameters.cp_model_probing_level = 0
    parameters.linearization_level = 0
