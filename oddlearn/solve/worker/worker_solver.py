"""The parent's side of a solve in a worker: base class of the MILP and CP-SAT solvers."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState
from oddlearn.solve.worker.child_process import allowed_memory
from oddlearn.solve.worker.messages import (
    BoundImproved,
    ExitStatus,
    Message,
    ModelEnded,
    ModelSkipped,
    ModelStarted,
    NodeCount,
    SolutionFound,
    SolveJob,
)
from oddlearn.solve.worker.run_worker import WorkerExit, run_worker
from oddlearn.table.checks import check_int

# the child is asked to stop this many seconds before the deadline, or this share of the time
RESERVE_SECONDS, RESERVE_SHARE = 0.1, 0.05

LAST_DECODE_SECONDS = 0.2  # seconds to decode the last solution when the time is over

STATUS_TEXTS: dict[ExitStatus, str] = {
    "optimal": "solved to the end",
    "cutoff": "nothing better exists",
    "infeasible": "no diagram exists",
    "time": "open when the time was up",
    "memory": "open when the memory was full",
    "interrupted": "open when it was interrupted",
    "no_diagram": "the solver's best solution is not a diagram",
}
_FINISHED: tuple[ExitStatus, ...] = ("optimal", "cutoff", "infeasible")
_STARTED = "begun and not finished"

Decode = Callable[[TrainingProblem, SolutionFound, Budget], DecisionDiagram | None]


@dataclass(frozen=True, kw_only=True)
class WorkerSolver(ABC):
    """A solver that works in a process of its own.

    A subclass gives its name, the task of the child, the reasons not to take a problem and, if its solutions
    are not diagrams, ``decode``.
    """

    name: ClassVar[str]
    task: ClassVar[str]  # "package.module:function", called in the child with a SolveJob and ``send``
    tolerance: ClassVar[float] = 0.0  # of the solver's bounds, in units of the objective
    # True for a child that is killed before the deadline, so that there is time to decode its last solution
    decodes_after_exit: ClassVar[bool] = False

    n_jobs: int = 1  # threads of the solver
    seed: int = 0
    max_memory: int | None = None  # bytes the solver may use; half of the available memory by default

    def __post_init__(self) -> None:
        check_int("n_jobs", self.n_jobs, 1)
        check_int("seed", self.seed, 0)
        if self.max_memory is not None:
            check_int("max_memory", self.max_memory, 1)

    @abstractmethod
    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""

    def decode(
        self, problem: TrainingProblem, message: SolutionFound, budget: Budget
    ) -> DecisionDiagram | None:
        """Return the diagram of a solution, None if it has none."""
        diagram: DecisionDiagram = message.content
        return diagram

    @property
    def status_texts(self) -> Mapping[ExitStatus, str]:
        """Texts for the exit status of a model."""
        return STATUS_TEXTS

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds and improve the incumbent until they meet or the budget is spent."""
        if state.is_resolved:
            return state
        early = budget.without(min(RESERVE_SECONDS, RESERVE_SHARE * budget.remaining()))
        job = self._build_job(state, early)
        log = SolveLog(self.status_texts, self.tolerance)
        handler = MessageHandler(state, log, self.decode, budget, emit)
        child_budget = early if self.decodes_after_exit else budget
        worker = run_worker(self.task, job, child_budget, handler.handle, job.max_memory)
        state = handler.finish()
        options = self._options_text()
        evidence = log.evidence(self.name, state.lower_bound, state.is_resolved, worker, options)
        interrupted = state.interrupted or worker.status == "interrupted"
        return replace(state.tighten(state.bounds, evidence), interrupted=interrupted)

    def _build_job(self, state: SolveState, budget: Budget) -> SolveJob:
        return SolveJob(
            solver=self,
            problem=replace(state.problem, constraint_blocks=()),
            diagram=state.diagram,
            objective=state.objective,
            bounds=state.bounds,
            deadline=time.time() + budget.remaining() if math.isfinite(budget.deadline) else math.inf,
            max_memory=allowed_memory(self.max_memory),
        )

    def _options_text(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in asdict(self).items() if value is not None)


class MessageHandler:
    """The state and the log of a solve in the parent; ``handle`` takes one message after the other."""

    def __init__(self, state: SolveState, log: SolveLog, decode: Decode, budget: Budget, emit: Emit) -> None:
        self.state, self.log = state, log
        self._decode, self._budget, self._emit = decode, budget, emit
        self._pending: SolutionFound | None = None

    def handle(self, message: Message) -> None:
        """Take in a message of the child."""
        self.log.record(message)
        if isinstance(message, BoundImproved):
            self._tighten(message.bounds)
        elif isinstance(message, SolutionFound):
            self._pending = message  # decoded at the end if this is interrupted or too late
            if not self._budget.expired:
                self._offer(message, self._budget)

    def finish(self) -> SolveState:
        """Decode the last solution if that is still to be done, and return the state."""
        if self._pending is not None:
            self._offer(self._pending, Budget.of(LAST_DECODE_SECONDS))
        return self.state

    def _tighten(self, bounds: NodeCountBounds) -> None:
        before, self.state = self.state, self.state.tighten(bounds)
        bound = self.state.lower_bound
        if bound > before.lower_bound:
            self._emit(Bounded(self._budget.elapsed(), bound))

    def _offer(self, message: SolutionFound, budget: Budget) -> None:
        diagram = self._decode(self.state.problem, message, budget)
        before = self.state
        if diagram is not None:
            self.state = before.offer(diagram, trusted=False)
        self._pending = None
        if self.state is not before:
            self._emit(Improved(self._budget.elapsed(), self.state.objective, self.state.diagram.n_nodes))


class SolveLog:
    """A log of the models that were tried, one text for each node count.

    ``texts``: from the exit status of a model to a text.
    ``tolerance``: of the solver's bounds, in units of the objective; 0 for a solver that is exact.
    """

    def __init__(self, texts: Mapping[ExitStatus, str] = STATUS_TEXTS, tolerance: float = 0.0) -> None:
        self._texts, self._tolerance = texts, tolerance
        self._results: dict[NodeCount, str] = {}
        self._is_late = False
        self._nodes = 0
        self._largest = ModelStarted(None, "", 0, "")

    def record(self, message: Message) -> None:
        """Take in a message; bounds and solutions are not logged."""
        if isinstance(message, ModelStarted):
            self._largest = max(message, self._largest, key=lambda started: started.n_nonzeros)
            self._results.setdefault(message.count, _STARTED)
        elif isinstance(message, ModelSkipped):
            self._is_late |= message.is_late
            # a model that ran for a while and does not fit into the time left has still been tried
            if self._results.get(message.count, _STARTED) == _STARTED:
                self._results[message.count] = f"skipped because {message.reason}"
        elif isinstance(message, ModelEnded):
            self._nodes += message.nodes
            self._results[message.count] = self._texts[message.status]

    def evidence(
        self, solver: str, bound: float, is_optimal: bool, worker: WorkerExit, options: str
    ) -> Evidence:
        """Return the evidence of a solve whose worker has exited."""
        return Evidence(
            solver,
            bound,
            self._text(is_optimal, worker),
            worker.seconds,
            version=self._largest.version,
            options=options,
            nodes=self._nodes,
            size=self._largest.size,
            status=self._status(is_optimal, worker),
        )

    @property
    def _is_solved_to_tolerance(self) -> bool:
        """True when every model was solved to the end by a solver that has a tolerance."""
        finished = {self._texts[status] for status in _FINISHED}
        return self._tolerance > 0 and bool(self._results) and set(self._results.values()) <= finished

    def _status(self, is_optimal: bool, worker: WorkerExit) -> str:
        if is_optimal or (worker.status == "done" and self._is_solved_to_tolerance):
            return "optimal"
        if worker.status != "done":
            return worker.status
        is_late = self._is_late or not self._results or self._texts["time"] in self._results.values()
        return "time" if is_late else "open"

    def _text(self, is_optimal: bool, worker: WorkerExit) -> str:
        parts = []
        for result in dict.fromkeys(self._results.values()):
            counts = [count for count in self._results if self._results[count] == result]
            parts.append(f"{_counts_text(counts)}: {result}")
        if worker.status != "done":
            parts.append(f"the solver's process was ended: {worker.detail}")
        elif self._is_solved_to_tolerance and not is_optimal:
            parts.append(f"the solver is exact to {self._tolerance:g}, and values may lie closer together")
        return "; ".join(parts)


def _counts_text(counts: list[NodeCount]) -> str:
    if None in counts:
        return "the whole skeleton"
    *others, last = [str(count) for count in sorted(count for count in counts if count is not None)]
    numbers = f"{', '.join(others)} and {last}" if others else last
    return f"{numbers} node" if counts == [1] else f"{numbers} nodes"
