"""MILP in the child process: build, solve and decode the model of a node count, or of the whole skeleton."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError, UnsupportedError
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.backends import BACKENDS
from oddlearn.solve.milp.backends.backend import IndicatorKind, SolveOptions, SolverEvent
from oddlearn.solve.milp.bound_rounding import (
    SOLVER_TOLERANCE,
    cutoff_below,
    objective_scale,
    proved_bound,
    scale_objective,
    tighten_by_objective,
    value_step,
)
from oddlearn.solve.milp.context import FormulationName, FormulationOptions
from oddlearn.solve.milp.decode import decode
from oddlearn.solve.milp.encode import encode
from oddlearn.solve.milp.formulation import Formulation, count_model, formulate
from oddlearn.solve.milp.model_builder import ModelSize
from oddlearn.solve.state import SolveState
from oddlearn.solve.worker.messages import (
    ExitStatus,
    ModelSkipped,
    ModelStarted,
    NodeCount,
    Send,
    SolutionFound,
    SolveJob,
)
from oddlearn.solve.worker.node_count_worker import NodeCountWorker

# bytes HiGHS needs for each byte of the model's arrays: 1.2 GB for 39 MB were measured
SOLVER_MEMORY = 30

# with 1,900,000 coefficients HiGHS had neither a point nor a bound of its own after 45 s
MAX_NONZEROS = 1_500_000

# tolerance of a second run, when the point of the first was no diagram because of the solver's tolerance
FINE_TOLERANCE = 1e-9

# the paper gives its solver this multiple of the incumbent's objective as a cutoff
PAPER_CUTOFF = 1.01


class MilpOptions(Protocol):
    """The options of ``Milp`` that its worker reads."""

    solver: str
    formulation: FormulationName
    indicators: IndicatorKind
    n_jobs: int
    seed: int

    @property
    def formulation_options(self) -> FormulationOptions:
        """The options that the formulation takes."""
        ...


def work(job: SolveJob, send: Send) -> None:
    """Solve the job, sending bounds and solutions on the way."""
    worker = MilpWorker(job, send)
    if job.solver.formulation == "paper":
        worker.solve(None, job.remaining())
    else:
        worker.solve_all()


class MilpWorker(NodeCountWorker):
    """A job of the MILP solver in the child."""

    def __init__(self, job: SolveJob, send: Send) -> None:
        super().__init__(job, send)
        self._options: MilpOptions = job.solver
        self._tolerance: dict[NodeCount, float] = {}

    def solve(self, count: NodeCount, seconds: float) -> None:
        """Solve the model of one node count, or of any (None), or skip it for good."""
        size = count_model(self.job.problem, count, self._options.formulation_options, MAX_NONZEROS)
        reason = _too_large(size, self.job.max_memory)
        if reason is None:
            version = BACKENDS[self._options.solver].version()
            self.send(ModelStarted(count, str(size), size.nonzeros, version))
            tolerance = self._tolerance.get(count, SOLVER_TOLERANCE)
            run = ModelRun(self._options, self.state, count, tolerance, self._bound, self._send_point)
            try:
                self._take(count, run.solve(seconds, self.job.remaining))
            except UnsupportedError as error:
                reason = str(error)
        if reason is not None:
            self.close(count)
            self.send(ModelSkipped(count, reason))

    def _take(self, count: NodeCount, result: ModelResult) -> None:
        self._bound(count, result.bound)
        if result.diagram is not None:
            self.offer(result.diagram)
        is_last = result.has_diagram or count in self._tolerance
        if is_last and result.status != "time":
            self.close(count)
        if not result.has_diagram:
            self._tolerance[count] = FINE_TOLERANCE
        self.end_model(count, result.status if result.has_diagram else "no_diagram", result.nodes)

    def _bound(self, count: NodeCount, bound: float) -> None:
        """Take in a bound on the objective."""
        self.tighten(tighten_by_objective(self.job.problem, self.state.bounds, count, bound))

    def _send_point(self, count: NodeCount, values: FloatArray) -> None:
        self.send(SolutionFound(count, values))


@dataclass(frozen=True)
class ModelResult:
    """The result of a model."""

    status: ExitStatus  # of the solver
    bound: float  # on the objective, the solver's tolerance subtracted
    nodes: int
    diagram: DecisionDiagram | None  # of the best point
    has_diagram: bool  # False when the solver has a best point that is not a diagram


@dataclass(frozen=True)
class ModelRun:
    """One run of a back end on one model."""

    options: MilpOptions
    state: SolveState  # at the start of the run
    count: NodeCount  # number of active nodes
    tolerance: float  # what rows may be violated by
    on_bound: Callable[[NodeCount, float], None]  # called with the node count and a bound on the objective
    on_point: Callable[[NodeCount, FloatArray], None]  # called with the node count and a point of the model

    @property
    def problem(self) -> TrainingProblem:
        """The problem that is solved."""
        return self.state.problem

    def solve(self, seconds: float, remaining: Callable[[], float]) -> ModelResult:
        """Build and solve the model in this time; its point is decoded in the time that then remains."""
        started = time.perf_counter()
        formulation = formulate(
            self.problem, self.count, self.options.formulation_options, self._lower_bound()
        )
        scale = objective_scale(self.problem, formulation.model)
        model = scale_objective(formulation.model, scale)
        left = seconds - (time.perf_counter() - started)
        backend, solve_options = BACKENDS[self.options.solver], self._solve_options(formulation, scale, left)
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
            indicators=self.options.indicators,
            threads=self.options.n_jobs,
            seed=self.options.seed % 2**31,
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


def _too_large(size: ModelSize, max_memory: int) -> str | None:
    """Return the reason why a model is not worth building, None if it is."""
    if size.nonzeros > MAX_NONZEROS:
        return f"its model has more than {MAX_NONZEROS:,} coefficients: solvers get nowhere in useful time"
    needed = SOLVER_MEMORY * size.bytes
    if needed > max_memory:
        needed_gb, allowed_gb = needed / 2**30, max_memory / 2**30
        return f"its model needs about {needed_gb:.1f} GB of memory, {allowed_gb:.1f} GB are allowed"
    return None
