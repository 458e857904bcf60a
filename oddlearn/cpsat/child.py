"""The work of the solver's process: one number of nodes after the other, each with its share of the time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from oddlearn.cpsat.features import features_of
from oddlearn.cpsat.frame import MOST_ENTRIES, Frame
from oddlearn.cpsat.job import Began, Found, Job, Message, Raised, Refused, Solved
from oddlearn.cpsat.solving import Limits, Listeners, Program, Result, solver_version
from oddlearn.cpsat.whole import WholeCosts, whole_rows
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.certificate import OPTIMALITY_TOLERANCE, VIOLATION_TOLERANCE
from oddlearn.problem.evaluate import evaluate

# a diagram is better if it saves this much: less than the tolerance with which optimality is claimed, so
# that "nothing is better" leaves no number of nodes open
LEAST_SAVING = 0.5 * OPTIMALITY_TOLERANCE

# seconds below which nothing is begun
LEAST_SECONDS = 0.05

# without a deadline: seconds for each number of nodes in the first round, and how they grow with the rounds
FIRST_SECONDS, GROWTH = 60.0, 4.0

# entries of clauses for each second of a share: half a million are written in one, then there is half of
# the share to solve
BUILD_SPEED = 250_000


def work(job: Job, send: Callable[[Message], None]) -> None:
    """Solve the job, telling everything on the way."""
    _Work(job, send).solve_all()


class _Work:
    """A job with what is known so far; bounds and diagrams are the parent's as soon as they are sent."""

    def __init__(self, job: Job, send: Callable[[Message], None]) -> None:
        self._job, self._send = job, send
        self._objective, self._floors = job.objective, job.floors
        self._closed: set[int] = set()
        self._features = features_of(job.problem)
        self._costs = WholeCosts.of(job.problem)
        self._rows = tuple(whole_rows(job.problem))
        # the solver calls back from threads of its own
        self._lock = threading.Lock()

    def solve_all(self) -> None:
        """Give every open number of nodes its share of the time, in rounds, while there is some left."""
        limit = FIRST_SECONDS if math.isinf(self._job.deadline) else math.inf
        while waiting := self._worthwhile(self._open_counts()):
            for place, frame in enumerate(waiting):
                if self._job.remaining() < LEAST_SECONDS:
                    return
                if frame.count in self._open_counts():
                    self._solve(frame, min(limit, self._job.remaining() / (len(waiting) - place)))
            limit *= GROWTH

    def _open_counts(self) -> list[int]:
        open_counts = self._floors.open_counts(self._job.problem, self._objective)
        return [count for count in open_counts if count not in self._closed]

    def _worthwhile(self, counts: list[int]) -> list[Frame]:
        """Return what can be written in an equal share of the time that is left; the largest go first."""
        frames = [self._frame(count) for count in counts]
        while frames and (why := _too_large(frames[-1], self._job.remaining() / len(frames))) is not None:
            self._send(Refused(frames.pop().count, why))
        return frames

    def _frame(self, count: int) -> Frame:
        job = self._job
        return Frame.of(job.problem, count, self._features, self._costs, self._rows, job.order_nodes)

    def _solve(self, frame: Frame, seconds: float) -> None:
        """Solve the model of one number of nodes."""
        count, limits = frame.count, self._limits(frame.count)
        if limits.most is not None and limits.most < limits.least:
            self._take(count, Result(limits.most + 1, True, 0))
            return
        started = time.perf_counter()
        program = Program(frame, limits)
        self._send(Began(count, program.n_literals, program.n_clauses, solver_version()))
        listeners = Listeners(self._found, lambda bound: self._raise(count, bound))
        left = max(LEAST_SECONDS, seconds - (time.perf_counter() - started))
        self._take(count, program.solve(left, self._job.n_jobs, self._job.seed, listeners))

    def _limits(self, count: int) -> Limits:
        """Return the whole costs of diagrams with so many nodes that are possible and better."""
        problem, costs = self._job.problem, self._costs
        least = costs.least_of(problem, float(self._floors.cost[count - 1]))
        if math.isinf(self._objective):
            return Limits(least, None)
        beaten = self._objective - LEAST_SAVING - problem.node_price * (count - 1)
        return Limits(least, costs.most_below(beaten * problem.total_weight))

    def _take(self, count: int, result: Result) -> None:
        self._raise(count, result.bound)
        if result.is_finished:
            self._closed.add(count)
        self._send(Solved(count, result.is_finished, result.n_branches))

    def _raise(self, count: int, bound: int | None) -> None:
        cost = math.inf if bound is None else self._costs.cost_of(bound)
        with self._lock:
            if cost > self._floors.cost[count - 1]:
                self._floors = self._floors.raised(count, cost)
                self._send(Raised(count, cost))

    def _found(self, diagram: DecisionDiagram) -> None:
        """Keep what plain evaluation says is better; the parent evaluates again."""
        value = evaluate(self._job.problem, diagram)
        with self._lock:
            if value.violation <= VIOLATION_TOLERANCE and value.objective < self._objective:
                self._objective = value.objective
                self._send(Found(diagram))


def _too_large(frame: Frame, seconds: float) -> str | None:
    """Return why a model is not worth building, None when it is."""
    entries = frame.entries
    if entries > MOST_ENTRIES:
        return f"models of more than {MOST_ENTRIES:,} entries get nowhere in useful time"
    if entries > seconds * BUILD_SPEED:
        return "to write the model takes longer than its share of the time"
    return None
