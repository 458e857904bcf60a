"""One run of a back end on the model of one node count: build, solve, decode."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.backends import BACKENDS
from oddlearn.solve.milp.backends.backend import SolveOptions, SolverEvent
from oddlearn.solve.milp.bound_rounding import (
    cutoff_below,
    objective_scale,
    proved_bound,
    scale_objective,
    value_step,
)
from oddlearn.solve.milp.decode import decode
from oddlearn.solve.milp.encode import encode
from oddlearn.solve.milp.formulation import Formulation, formulate
from oddlearn.solve.milp.solver import Milp
from oddlearn.solve.state import SolveState
from oddlearn.solve.worker.messages import ExitStatus, NodeCount

# the paper gives its solver this multiple of the incumbent's objective as a cutoff
PAPER_CUTOFF = 1.01


@dataclass(frozen=True)
class ModelResult:
    """The result of a model.

    Attributes
    ----------
    status : ExitStatus
        Of the solver.
    bound : float
        On the objective, the solver's tolerance subtracted.
    nodes : int
    diagram : DecisionDiagram or None
        Of the best point.
    has_diagram : bool
        False when the solver has a best point that is not a diagram.
    """

    status: ExitStatus
    bound: float
    nodes: int
    diagram: DecisionDiagram | None
    has_diagram: bool


@dataclass(frozen=True)
class ModelRun:
    """One run of a back end on one model.

    Attributes
    ----------
    solver : Milp
    state : SolveState
        At the start of the run.
    count : int or None
        Number of active nodes.
    tolerance : float
        What rows may be violated by.
    on_bound : callable
        Called with the node count and a bound on the objective.
    on_point : callable
        Called with the node count and a point of the model.
    """

    solver: Milp
    state: SolveState
    count: NodeCount
    tolerance: float
    on_bound: Callable[[NodeCount, float], None]
    on_point: Callable[[NodeCount, FloatArray], None]

    @property
    def problem(self) -> TrainingProblem:
        """The problem that is solved."""
        return self.state.problem

    def solve(self, seconds: float, remaining: Callable[[], float]) -> ModelResult:
        """Build and solve the model in this time; its point is decoded in the time that then remains."""
        started = time.perf_counter()
        options = self.solver.formulation_options
        formulation = formulate(self.problem, self.count, options, self._lower_bound())
        scale = objective_scale(self.problem, formulation.model)
        model = scale_objective(formulation.model, scale)
        left = seconds - (time.perf_counter() - started)
        backend, solve_options = BACKENDS[self.solver.solver], self._solve_options(formulation, scale, left)
        solution = backend.solve(model, solve_options, lambda event: self._forward(event, scale))
        bound = proved_bound(solution.bound / scale)
        self.on_bound(self.count, bound)
        diagram = None
        if solution.values is not None:
            diagram = decode(formulation, solution.values, Budget.of(remaining()))
        has_diagram = diagram is not None or (solution.values is None and solution.status != "optimal")
        return ModelResult(solution.status, bound, solution.nodes, diagram, has_diagram)

    def _solve_options(self, formulation: Formulation, scale: float, seconds: float) -> SolveOptions:
        cutoff = self._cutoff()
        return SolveOptions(
            seconds=max(0.0, seconds),
            cutoff=scale * cutoff,
            start=self._start(formulation) if math.isinf(cutoff) else None,
            indicators=self.solver.indicators,
            threads=self.solver.n_jobs,
            seed=self.solver.seed % 2**31,
            tolerance=self.tolerance,
        )

    def _lower_bound(self) -> float:
        if self.count is None:
            return -math.inf
        return proved_bound(float(self.state.bounds.objectives(self.problem)[self.count - 1]))

    def _cutoff(self) -> float:
        objective = self.state.objective
        if self.count is None:
            return PAPER_CUTOFF * objective
        if value_step(self.problem) == 0 and self.count == max(1, self.state.diagram.n_nodes):
            return math.inf  # a start says the same, and is a point to improve upon
        return cutoff_below(self.problem, self.count, objective)

    def _start(self, formulation: Formulation) -> FloatArray | None:
        if math.isinf(self.state.objective):
            return None
        try:
            return encode(formulation, self.state.diagram)
        except DiagramMisfitError:
            return None

    def _forward(self, event: SolverEvent, scale: float) -> None:
        if math.isfinite(event.bound):
            self.on_bound(self.count, proved_bound(event.bound / scale))
        if event.values is not None:
            self.on_point(self.count, event.values)
