"""MILP in the child process: one node count after the other, or the whole skeleton."""

from __future__ import annotations

from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import UnsupportedError
from oddlearn.solve.milp.backends import BACKENDS
from oddlearn.solve.milp.bound_rounding import SOLVER_TOLERANCE, tighten_by_objective
from oddlearn.solve.milp.formulation import count_model
from oddlearn.solve.milp.model_counter import ModelSize
from oddlearn.solve.milp.model_run import ModelResult, ModelRun
from oddlearn.solve.milp.solver import Milp
from oddlearn.solve.worker.messages import (
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


def work(job: SolveJob, send: Send) -> None:
    """Solve the job, sending bounds and solutions on the way."""
    worker = MilpWorker(job, send)
    if job.solver.formulation == "paper":
        worker.solve_model(None, job.remaining())
    else:
        worker.solve_all()


class MilpWorker(NodeCountWorker):
    """A job of the MILP solver in the child."""

    def __init__(self, job: SolveJob, send: Send) -> None:
        super().__init__(job, send)
        self._solver: Milp = job.solver
        self._tolerance: dict[NodeCount, float] = {}

    def solve(self, count: int, seconds: float) -> None:
        """Solve the model of one node count, or skip it for good."""
        self.solve_model(count, seconds)

    def solve_model(self, count: NodeCount, seconds: float) -> None:
        """Solve the model of one node count, or of any (None), or skip it for good."""
        size = count_model(self.job.problem, count, self._solver.formulation_options, MAX_NONZEROS)
        reason = _too_large(size, self.job.max_memory)
        if reason is None:
            version = BACKENDS[self._solver.solver].version()
            self.send(ModelStarted(count, str(size), size.nonzeros, version))
            try:
                self._take(count, self._run(count, seconds))
            except UnsupportedError as error:
                reason = str(error)
        if reason is not None:
            self.close(count)
            self.send(ModelSkipped(count, reason))

    def _run(self, count: NodeCount, seconds: float) -> ModelResult:
        tolerance = self._tolerance.get(count, SOLVER_TOLERANCE)
        run = ModelRun(self._solver, self.state, count, tolerance, self._bound, self._send_point)
        return run.solve(seconds, self.job.remaining)

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


def _too_large(size: ModelSize, max_memory: int) -> str | None:
    """Return the reason why a model is not worth building, None if it is."""
    if size.nonzeros > MAX_NONZEROS:
        return f"its model has more than {MAX_NONZEROS:,} coefficients: solvers get nowhere in useful time"
    needed = SOLVER_MEMORY * size.bytes
    if needed > max_memory:
        needed_gb, allowed_gb = needed / 2**30, max_memory / 2**30
        return f"its model needs about {needed_gb:.1f} GB of memory, {allowed_gb:.1f} GB are allowed"
    return None
