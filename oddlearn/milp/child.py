"""The work of the solver's process: one number of nodes after the other, each with its share of the time."""

from __future__ import annotations

import math
from collections.abc import Callable

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import UnsupportedError
from oddlearn.milp.backends import BACKENDS
from oddlearn.milp.exactness import SOLVER_TOLERANCE, raised_floors
from oddlearn.milp.job import Began, Count, Job, Message, Refused, Solved
from oddlearn.milp.size import Size, estimated_size
from oddlearn.milp.solving import Attempt, Result
from oddlearn.problem.evaluate import evaluate

# bytes HiGHS needs for each byte of the model's arrays: 1.2 GB for 39 MB were measured
SOLVER_MEMORY = 30

# with 1,900,000 coefficients HiGHS had neither a point nor a bound of its own after 45 s
MOST_NONZEROS = 1_500_000

# seconds below which nothing is begun
LEAST_SECONDS = 0.05

# without a deadline: seconds for each number of nodes in the first round, and how they grow with the rounds
FIRST_SECONDS, GROWTH = 60.0, 4.0

# the tolerance of a second attempt, when a solver's point was no diagram because of the first
FINE_TOLERANCE = 1e-9


def work(job: Job, send: Callable[[Message], None]) -> None:
    """Solve the job, telling everything on the way."""
    if job.variant.faithful:
        _Work(job, send).solve(None, job.remaining())
    else:
        _Work(job, send).solve_all()


class _Work:
    """A job with what is known so far; bounds and points are the parent's as soon as they are sent."""

    def __init__(self, job: Job, send: Callable[[Message], None]) -> None:
        self._job, self._send = job, send
        self._best, self._objective, self._floors = job.incumbent, job.objective, job.floors
        self._closed: set[Count] = set()
        self._tolerance: dict[Count, float] = {}

    def solve_all(self) -> None:
        """Give every open number of nodes its share of the time, in rounds, while there is some left."""
        limit = FIRST_SECONDS if math.isinf(self._job.deadline) else math.inf
        while waiting := self._open_counts():
            for place, count in enumerate(waiting):
                if self._job.remaining() < LEAST_SECONDS:
                    return
                if count in self._open_counts():
                    self.solve(count, min(limit, self._job.remaining() / (len(waiting) - place)))
            limit *= GROWTH

    def solve(self, count: Count, seconds: float) -> None:
        """Solve the model of one number of nodes, or refuse it."""
        size = estimated_size(self._job.problem, count, self._job.variant)
        why = _too_large(size, self._job.most_memory)
        if why is None:
            self._send(Began(count, size, BACKENDS[self._job.solver].version()))
            try:
                self._take(count, self._attempt(count).run(seconds))
            except UnsupportedError as error:
                why = str(error)
        if why is not None:
            self._closed.add(count)
            self._send(Refused(count, why))

    def _attempt(self, count: Count) -> Attempt:
        tolerance = self._tolerance.get(count, SOLVER_TOLERANCE)
        return Attempt(self._job, count, self._best, self._objective, self._floors, tolerance, self._send)

    def _take(self, count: Count, result: Result) -> None:
        self._floors = raised_floors(self._job.problem, self._floors, count, result.bound)
        if result.diagram is not None:
            self._offer(result.diagram)
        is_last = result.is_reproduced or count in self._tolerance
        if is_last and result.ending != "time":
            self._closed.add(count)
        if not result.is_reproduced:
            self._tolerance[count] = FINE_TOLERANCE
        self._send(Solved(count, result.ending, result.nodes, result.is_reproduced))

    def _offer(self, diagram: DecisionDiagram) -> None:
        objective = evaluate(self._job.problem, diagram).objective
        if objective < self._objective:
            self._best, self._objective = diagram, objective

    def _open_counts(self) -> list[int]:
        counts = self._floors.open_counts(self._job.problem, self._objective)
        return [count for count in counts if count not in self._closed]


def _too_large(size: Size, most_memory: int) -> str | None:
    if size.nonzeros > MOST_NONZEROS:
        return f"its model has {size.nonzeros:,} coefficients, with which solvers get nowhere in useful time"
    if SOLVER_MEMORY * size.bytes > most_memory:
        needed, allowed = SOLVER_MEMORY * size.bytes / 2**30, most_memory / 2**30
        return f"its model needs about {needed:.1f} GB of memory, {allowed:.1f} GB are allowed"
    return None
