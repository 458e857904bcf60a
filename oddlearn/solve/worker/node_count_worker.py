"""The child's side of a solve: one node count after the other, each with a share of the time."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.solve.state import SolveState
from oddlearn.solve.worker.messages import (
    BoundImproved,
    ExitStatus,
    ModelEnded,
    NodeCount,
    Send,
    SolutionFound,
    SolveJob,
)

MIN_SECONDS = 0.05  # with fewer seconds left no model is started

# without a deadline: seconds for each node count in the first round, and their growth from round to round
FIRST_ROUND_SECONDS, ROUND_GROWTH = 60.0, 4.0


class NodeCountWorker(ABC):
    """A job and its state in the child; bounds and solutions belong to the parent as soon as they are sent.

    A subclass solves the model of one node count.
    """

    def __init__(self, job: SolveJob, send: Send) -> None:
        self.job, self.send = job, send
        self.state = SolveState.initial(job.problem, job.diagram, job.bounds)
        self._closed: set[NodeCount] = set()
        # solvers call back from threads of their own
        self._lock = threading.RLock()

    @abstractmethod
    def solve(self, count: int, seconds: float) -> None:
        """Solve the model of one node count within a time limit, or skip it."""

    def select(self, counts: Sequence[int]) -> Sequence[int]:
        """Return the node counts worth trying in the time that is left; all of them by default."""
        return counts

    def solve_all(self) -> None:
        """Give each unresolved node count its share of the time, in rounds, until the deadline."""
        limit = FIRST_ROUND_SECONDS if math.isinf(self.job.deadline) else math.inf
        while waiting := self.select(self._unresolved()):
            for place, count in enumerate(waiting):
                if self.job.remaining() < MIN_SECONDS:
                    return
                if count in self._unresolved():
                    self.solve(count, min(limit, self.job.remaining() / (len(waiting) - place)))
            limit *= ROUND_GROWTH

    def close(self, count: NodeCount) -> None:
        """Never try a node count again."""
        self._closed.add(count)

    def end_model(self, count: NodeCount, status: ExitStatus, nodes: int) -> None:
        """Send the end of a model."""
        self.send(ModelEnded(count, status, nodes))

    def tighten(self, bounds: NodeCountBounds) -> None:
        """Merge bounds into the state, and send them if one is larger."""
        with self._lock:
            before, self.state = self.state.bounds, self.state.tighten(bounds)
            if (self.state.bounds.cost > before.cost).any():
                self.send(BoundImproved(self.state.bounds))

    def offer(self, diagram: DecisionDiagram) -> bool:
        """Offer a diagram to the state; return True if it is the new incumbent."""
        with self._lock:
            updated = self.state.offer(diagram, trusted=False)
            is_better = updated.objective < self.state.objective
            self.state = updated if is_better else self.state
            return is_better

    def offer_and_send(self, count: int, diagram: DecisionDiagram) -> None:
        """Offer a diagram to the state, and send it if it is the new incumbent."""
        with self._lock:
            if self.offer(diagram):
                self.send(SolutionFound(count, diagram))

    def _unresolved(self) -> list[int]:
        return [count for count in self.state.unresolved_node_counts if count not in self._closed]
