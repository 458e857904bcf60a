"""Step 1 of the paper: the best of many top-down constructions, each pruned."""

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
from oddlearn.problem.events import Improved
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.construct.top_down import construct
from oddlearn.solve.solver import Emit, SearchResult, SearchStart, constraints_unsupported, search_start
from oddlearn.solve.state import SolveState

# constructions in a row without a better diagram after which the search ends
DEFAULT_RESTARTS = 300

AHEAD = 2  # constructions started ahead of the one that is waited for, per thread


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
            raise InvalidInputError(f"restarts is {self.restarts!r}: give an integer above 0, or None.")

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
        emit: Emit,
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Construct until the bound is met, nothing improves, or iterations or time are used up."""
        stop = threading.Event()
        record = SearchRecord(problem, budget, emit)
        try:
            if start is not None:
                record.offer(start)
            for builder in _construct_many(self, problem, budget, stop):
                record.consider(builder)
                if self._is_done(record, budget, lower_bound):
                    break
        except KeyboardInterrupt:
            record.interrupted = True
        return record.result()

    def _is_done(self, record: SearchRecord, budget: Budget, lower_bound: float) -> bool:
        patience = DEFAULT_RESTARTS if self.restarts is None else self.restarts
        return (
            budget.expired
            or (budget.max_iter is not None and record.iterations >= budget.max_iter)
            or record.iterations - record.improved_at >= patience
            or record.objective <= lower_bound + OPTIMALITY_TOLERANCE
        )


@dataclass
class SearchRecord:
    """The best diagram so far, and the number of constructions that it took."""

    problem: TrainingProblem
    budget: Budget
    emit: Emit
    diagram: DecisionDiagram | None = None
    objective: float = math.inf
    iterations: int = 0
    improved_at: int = 0
    interrupted: bool = False

    def consider(self, builder: DiagramBuilder) -> None:
        """Count a construction, and build and offer its diagram if it is better."""
        self.iterations += 1
        if builder.objective < self.objective - OPTIMALITY_TOLERANCE:
            self.improved_at = self.iterations
            self.offer(builder.build())

    def offer(self, diagram: DecisionDiagram) -> None:
        """Keep a better diagram and emit it; its objective is recomputed."""
        value = evaluate(self.problem, diagram)
        self.diagram, self.objective = diagram, value.objective
        self.emit(Improved(self.budget.elapsed(), value.objective, value.n_nodes))

    def result(self) -> SearchResult:
        """Return the best diagram; the best constant if there is none."""
        diagram = DiagramBuilder.empty(self.problem).build() if self.diagram is None else self.diagram
        return SearchResult(diagram, interrupted=self.interrupted, iterations=self.iterations)


def _construct_many(
    options: Construct, problem: TrainingProblem, budget: Budget, stop: threading.Event
) -> Iterator[DiagramBuilder]:
    """Yield pruned constructions 0, 1, 2, ... in this order."""

    def is_stopped() -> bool:
        return stop.is_set() or budget.expired

    def construct_one(number: int) -> DiagramBuilder:
        random = np.random.default_rng([options.seed, number])
        return construct(problem, options.feature_share, random, is_stopped).prune()

    if options.n_jobs == 1:
        return map(construct_one, count())
    return _in_threads(construct_one, options.n_jobs, stop)


def _in_threads(
    construct_one: Callable[[int], DiagramBuilder], n_jobs: int, stop: threading.Event
) -> Iterator[DiagramBuilder]:
    """Yield the constructions in order, each made by one of ``n_jobs`` threads a little ahead of its turn."""
    with ThreadPoolExecutor(n_jobs) as pool:
        pending: deque[Future[DiagramBuilder]] = deque()
        try:
            for number in count():
                pending.append(pool.submit(construct_one, number))
                if len(pending) == AHEAD * n_jobs:
                    yield pending.popleft().result()
        finally:
            stop.set()  # before the pool waits for constructions that are no longer needed
