"""CP-SAT in the child process: limits, model and solve of one node count."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Protocol

from oddlearn.problem.cost_units import scale_rows
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.solve.cpsat.context import MAX_ENTRIES, ModelContext, rank_features
from oddlearn.solve.cpsat.cp_model import (
    CostLimits,
    CpModelBuilder,
    ModelResult,
    SolveCallbacks,
    solver_version,
)
from oddlearn.solve.worker.messages import ModelSkipped, ModelStarted, Send, SolveJob
from oddlearn.solve.worker.node_count_worker import MIN_SECONDS, NodeCountWorker

# a diagram is better if it saves this much: less than the tolerance of optimality, so that "nothing is
# better" leaves no node count unresolved
MIN_SAVING = 0.5 * OPTIMALITY_TOLERANCE

# entries of clauses per second of a time share: half a million are written in one second, which leaves half
# of the share to solve
BUILD_SPEED = 250_000


class CpSatOptions(Protocol):
    """The options of ``CpSat`` that its worker reads."""

    order_nodes: bool
    n_jobs: int
    seed: int


def work(job: SolveJob, send: Send) -> None:
    """Solve the job, sending bounds and solutions on the way."""
    CpSatWorker(job, send).solve_all()


class CpSatWorker(NodeCountWorker):
    """A job of CP-SAT in the child."""

    def __init__(self, job: SolveJob, send: Send) -> None:
        super().__init__(job, send)
        self._options: CpSatOptions = job.solver
        self._features = rank_features(job.problem)
        self._costs = job.problem.cost_units
        self._rows = tuple(scale_rows(job.problem.rows))

    def select(self, counts: Sequence[int]) -> Sequence[int]:
        """Drop the largest models until the others can be written in an equal share of the time left."""
        selected = list(counts)
        while selected and (skipped := self._skip(selected[-1], self.job.remaining() / len(selected))):
            self.send(skipped)
            selected.pop()
        return selected

    def solve(self, count: int, seconds: float) -> None:
        """Solve the model of one node count."""
        limits = self._limits(count)
        if limits.max_cost is not None and limits.max_cost < limits.min_cost:
            self._take(count, ModelResult(limits.max_cost + 1, True, 0))
            return
        started = time.perf_counter()
        context = self._context(count)
        model = CpModelBuilder(context, limits)
        self.send(ModelStarted(count, model.size_text, context.n_entries, solver_version()))
        callbacks = SolveCallbacks(
            lambda diagram: self.offer_and_send(count, diagram), lambda bound: self._bound(count, bound)
        )
        left = max(MIN_SECONDS, seconds - (time.perf_counter() - started))
        self._take(count, model.solve(left, self._options.n_jobs, self._options.seed, callbacks))

    def _context(self, count: int) -> ModelContext:
        return ModelContext.build(
            self.job.problem, count, self._features, self._costs, self._rows, self._options.order_nodes
        )

    def _limits(self, count: int) -> CostLimits:
        """Return the integer costs of diagrams with this node count that are possible and better."""
        problem, costs, state = self.job.problem, self._costs, self.state
        min_cost = costs.min_cost_of(float(state.bounds.cost[count - 1]))
        if math.isinf(state.objective):
            return CostLimits(min_cost, None)
        target = state.objective - MIN_SAVING - problem.node_price * (count - 1)
        return CostLimits(min_cost, costs.max_cost_below(target * problem.total_weight))

    def _take(self, count: int, result: ModelResult) -> None:
        self._bound(count, result.bound)
        if result.is_finished:
            self.close(count)
        self.end_model(count, "optimal" if result.is_finished else "time", result.n_branches)

    def _bound(self, count: int, bound: int | None) -> None:
        """Take in an integer bound; None when no diagram has this node count."""
        cost = math.inf if bound is None else self._costs.to_cost(bound)
        self.tighten(self.state.bounds.tightened(count, cost))

    def _skip(self, count: int, seconds: float) -> ModelSkipped | None:
        """Return the message for a model that is not worth building in this time, None if it is."""
        n_entries = self._context(count).n_entries
        if n_entries > MAX_ENTRIES:
            reason = f"models of more than {MAX_ENTRIES:,} entries get nowhere in useful time"
            return ModelSkipped(count, reason)
        if n_entries > seconds * BUILD_SPEED:
            reason = "to write the model takes longer than its share of the time"
            return ModelSkipped(count, reason, is_late=True)
        return None
