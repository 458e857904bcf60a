"""The CP-SAT model of a context and its solve: the only file that imports OR-Tools, and only when it runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.solve.cpsat.constraint_literals import constraint_sums
from oddlearn.solve.cpsat.context import ModelContext
from oddlearn.solve.cpsat.decode import decode
from oddlearn.solve.cpsat.diagram_literals import create_graph
from oddlearn.solve.cpsat.flow_literals import FlowLiterals

INTEGER_TOLERANCE = 1e-6  # bounds arrive as floats that stand for integers below 2**50


@dataclass(frozen=True)
class CostLimits:
    """The integer costs of interest, both ends included; no upper limit when ``max_cost`` is None."""

    min_cost: int
    max_cost: int | None


@dataclass(frozen=True)
class SolveCallbacks:
    """Functions to call with a diagram, and with a lower bound on the integer costs within the limits."""

    on_diagram: Callable[[DecisionDiagram], None]
    on_bound: Callable[[int], None]


@dataclass(frozen=True)
class ModelResult:
    """The result of solving a model."""

    bound: int | None  # no diagram of the context has a lower integer cost; None when there is none at all
    is_finished: bool  # True when a diagram that was found meets the bound, or nothing lies within the limits
    n_branches: int


class CpModelBuilder:
    """The CP-SAT model of a context."""

    def __init__(self, context: ModelContext, limits: CostLimits) -> None:
        from ortools.sat.python import cp_model

        self._model = cp_model.CpModel()
        self._limits = limits
        true = self._model.new_constant(1)
        graph = create_graph(self._model, context, true)
        self._flows = FlowLiterals.create(self._model, context, graph, true)
        terms = [*self._flows.cost_terms(), *self._penalty_terms(context, cp_model)]
        base = int(context.costs.cost.min(axis=1).sum())
        # the largest cost: every literal true, every violation at its upper limit
        largest = base + sum(price * upper for _, price, upper in terms)
        literals, prices, _ = zip(*terms, strict=True) if terms else ((), (), ())
        cost = cp_model.LinearExpr.weighted_sum(literals, prices) + base
        max_cost = largest if limits.max_cost is None else limits.max_cost
        self._model.add_linear_constraint(cost, limits.min_cost, max_cost)
        self._model.minimize(cost)

    @property
    def size_text(self) -> str:
        """Size of the model; some constraints are many clauses in one."""
        proto = self._model.proto
        return f"{len(proto.variables):,} literals, {len(proto.constraints):,} constraints"

    def solve(self, seconds: float, n_jobs: int, seed: int, callbacks: SolveCallbacks) -> ModelResult:
        """Solve the model within a time limit; callbacks are called from threads of the solver."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        solver.best_bound_callback = lambda bound: callbacks.on_bound(self._proved_bound(bound))
        _set_parameters(solver.parameters, seconds, n_jobs, seed)
        flows = self._flows

        class SolutionCallback(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                callbacks.on_diagram(decode(flows, self.boolean_value))

        status = solver.solve(self._model, SolutionCallback())
        if status == cp_model.MODEL_INVALID:
            raise RuntimeError(f"OR-Tools refuses the model: {self._model.validate()}")
        if status == cp_model.INFEASIBLE:
            bound = None if self._limits.max_cost is None else self._limits.max_cost + 1
            return ModelResult(bound, True, solver.num_branches)
        is_finished = status == cp_model.OPTIMAL
        return ModelResult(self._proved_bound(solver.best_objective_bound), is_finished, solver.num_branches)

    def _penalty_terms(self, context: ModelContext, cp_model: Any) -> list[tuple[Any, int, int]]:  # noqa: ANN401
        """Add the constraint rows; return the violation of each soft one, its penalty and its upper limit."""
        terms, penalty = [], iter(context.costs.penalty.tolist())
        for row in constraint_sums(self._flows):
            total = cp_model.LinearExpr.weighted_sum(row.literals, row.coefficients)
            if not row.is_soft:
                self._model.add_linear_constraint(total, row.lower, row.upper)
                continue
            violation = self._model.new_int_var(0, row.max_violation, "")
            self._model.add(total + violation >= row.lower)
            self._model.add(total - violation <= row.upper)
            terms.append((violation, next(penalty), row.max_violation))
        return terms

    def _proved_bound(self, bound: float) -> int:
        """Return what a bound says of all diagrams: those above the limit are not in the model."""
        above = math.inf if self._limits.max_cost is None else self._limits.max_cost + 1
        return int(max(self._limits.min_cost, min(math.floor(bound + INTEGER_TOLERANCE), above)))


def solver_version() -> str:
    """Return the name and version of the solver."""
    return f"OR-Tools CP-SAT {version('ortools')}"


def _set_parameters(parameters: Any, seconds: float, n_jobs: int, seed: int) -> None:  # noqa: ANN401
    if math.isfinite(seconds):
        parameters.max_time_in_seconds = seconds
    parameters.num_workers = n_jobs
    # the solver keeps 31 bits
    parameters.random_seed = seed % 2**31
    # probing takes longer than it saves, and so do linear relaxations: every constraint is a clause
    parameters.cp_model_probing_level = 0
    parameters.linearization_level = 0
