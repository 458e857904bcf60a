"""Step 1 of the paper as an engine: many top-down constructions, each pruned, the best kept."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import InvalidInputError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Event, Improved
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.diagram_builder import Draft, pruned
from oddlearn.solve.construct.top_down import SortedColumns, construct
from oddlearn.solve.solver import Emit, SearchResult, SearchStart, constraints_unsupported, search_start
from oddlearn.solve.state import SolveState

# constructions in a row without a better diagram after which the engine ends
DEFAULT_RESTARTS = 300

# constructions begun ahead of the one that is waited for, per thread
AHEAD = 2


@dataclass(frozen=True)
class Construct:
    """Multi-start construction and pruning.

    Parameters
    ----------
    feature_share : float
        Share of the features that each node may choose its split from, above 0 and at most 1.
    restarts : int or None
        Constructions in a row without a better diagram after which it ends; None means 300.
    seed : int
        Construction k depends on the seed and k alone, whatever the number of threads.
    n_jobs : int
        Constructions at a time, each in a thread.
    """

    feature_share: float = 0.6
    restarts: int | None = None
    seed: int = 0
    n_jobs: int = 1
    start: SearchStart = "warm"

    name: ClassVar[str] = "construct"

    def __post_init__(self) -> None:
        if not 0 < self.feature_share <= 1:
            raise InvalidInputError(
                f"feature_share is {self.feature_share!r}: give a number above 0 and at most 1."
            )
        if self.restarts is not None and not (isinstance(self.restarts, int) and self.restarts > 0):
            raise InvalidInputError(f"restarts is {self.restarts!r}: give a whole number above 0, or None.")

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem."""
        return constraints_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Search from the warm start or the incumbent until the bound is met, it stalls, or time is up."""
        start = search_start(state, self.start)
        return self.search(state.problem, start, budget, emit, state.lower_bound).update(state)

    def search(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        report: Callable[[Event], None],
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Construct until the bound is met, nothing improves, or iterations or time are used up."""
        stop = threading.Event()
        record = Record(problem, budget, report)
        try:
            if start is not None:
                record.offer(start)
            for draft in _drafts(self, problem, budget, stop):
                record.consider(draft)
                if self._is_done(record, budget, lower_bound):
                    break
        except KeyboardInterrupt:
            record.interrupted = True
        return record.outcome()

    def _is_done(self, record: Record, budget: Budget, lower_bound: float) -> bool:
        patience = DEFAULT_RESTARTS if self.restarts is None else self.restarts
        return (
            budget.expired
            or (budget.max_iter is not None and record.iterations >= budget.max_iter)
            or record.iterations - record.improved_at >= patience
            or record.objective <= lower_bound + OPTIMALITY_TOLERANCE
        )


@dataclass
class Record:
    """The best diagram so far and how it came about."""

    problem: TrainingProblem
    budget: Budget
    report: Callable[[Event], None]
    diagram: DecisionDiagram | None = None
    objective: float = math.inf
    iterations: int = 0
    improved_at: int = 0
    interrupted: bool = False

    def consider(self, draft: Draft) -> None:
        """Count a construction, and build and offer its diagram if it is better."""
        self.iterations += 1
        if draft.objective < self.objective - OPTIMALITY_TOLERANCE:
            self.improved_at = self.iterations
            self.offer(draft.build())

    def offer(self, diagram: DecisionDiagram) -> None:
        """Keep a better diagram and report it; its value is recomputed."""
        value = evaluate(self.problem, diagram)
        self.diagram, self.objective = diagram, value.objective
        self.report(Improved(self.budget.elapsed(), value.objective, value.n_nodes))

    def outcome(self) -> SearchResult:
        """Return what was found; the constant classifier when nothing was."""
        diagram = self.diagram
        if diagram is None:
            diagram = Draft(self.problem, self.problem.cost.sum(axis=0)).build()
        return SearchResult(diagram, interrupted=self.interrupted, iterations=self.iterations)


def _drafts(
    options: Construct, problem: TrainingProblem, budget: Budget, stop: threading.Event
) -> Iterator[Draft]:
    """Yield pruned constructions 0, 1, 2, ... in this order."""
    table = SortedColumns.of(problem)

    def is_over() -> bool:
        return stop.is_set() or budget.expired

    def attempt(number: int) -> Draft:
        random = np.random.default_rng([options.seed, number])
        return pruned(construct(table, options.feature_share, random, is_over))

    return map(attempt, count()) if options.n_jobs == 1 else _ahead(attempt, options.n_jobs, stop)


def _ahead(attempt: Callable[[int], Draft], n_jobs: int, stop: threading.Event) -> Iterator[Draft]:
    """Yield the attempts in order, each made by one of ``n_jobs`` threads a little ahead of its turn."""
    with ThreadPoolExecutor(n_jobs) as pool:
        begun: deque[Future[Draft]] = deque()
        try:
            for number in count():
                begun.append(pool.submit(attempt, number))
                if len(begun) == AHEAD * n_jobs:
                    yield begun.popleft().result()
        finally:
            stop.set()  # before the pool waits for the attempts that nobody wants any more
