"""Independent local searches in threads: start, watch, stop and read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.slot_diagram import Slots, diagram_from_slots, slots_from_diagram
from oddlearn.errors import UnsupportedError
from oddlearn.kernels.local_search.search import SearchThread
from oddlearn.problem.evaluate import solver_margin
from oddlearn.problem.events import Improved
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.constraint_arrays import ConstraintArrays
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.solver import Emit

MAX_ITERATIONS = 2**62
MAX_SECONDS = 1e9

# a unit of the kernel's work, measured on the paper's data sets: within a factor of two for each
SECONDS_PER_WORK = {"univariate": 5e-9, "multivariate": 1.2e-9}

POLL_SECONDS = 0.02  # seconds between two checks of the threads by the calling thread

# one search of up to so many seconds of work runs without a thread: starting one takes a millisecond, and
# Ctrl-C can wait
MAX_WORK_WITHOUT_THREAD = 0.05


@dataclass(frozen=True, eq=False)
class MultiStart:
    """Independent searches of one problem, each with a seed of its own."""

    problem: TrainingProblem
    table: SearchTable
    threads: Sequence[SearchThread]

    @classmethod
    def create(cls, problem: TrainingProblem, table: SearchTable, seed: int, n_threads: int) -> MultiStart:
        """Return so many searches, their seeds drawn from one."""
        seeds = np.random.SeedSequence(seed).generate_state(n_threads, dtype=np.uint64)
        constraints = ConstraintArrays.from_problem(problem)
        threads = [_create_thread(problem, table, int(one) >> 1, constraints) for one in seeds]
        return cls(problem, table, threads)

    @property
    def iterations(self) -> int:
        """Iterations of all threads together."""
        return sum(thread.iterations for thread in self.threads)

    @property
    def best(self) -> SearchThread:
        """The thread with the best diagram."""
        return min(self.threads, key=lambda thread: thread.objective)

    @property
    def objective(self) -> float:
        """Objective of the best diagram by the kernel; inf while none satisfies the constraints."""
        return self.best.objective / self.problem.total_weight

    def load(self, diagram: DecisionDiagram) -> None:
        """Let every thread continue from the diagram."""
        slots = self.table.narrowed(self.problem, slots_from_diagram(diagram, self.problem.skeleton))
        for thread in self.threads:
            thread.load(slots.child, slots.feature, slots.threshold, slots.weights)

    def diagram(self) -> DecisionDiagram | None:
        """Return the best diagram, in the problem's own features; None if none is feasible."""
        if math.isinf(self.best.objective):
            return None
        child, feature, threshold, narrow, active = self.best.diagram()
        weights = np.zeros((self.problem.skeleton.n_nodes, self.problem.data.n_features))
        weights[:, self.table.features] = narrow
        feature = np.where(feature >= 0, self.table.features[np.maximum(feature, 0)], feature)
        slots = Slots(child, feature, threshold, weights, active)
        skeleton, n_classes = self.problem.skeleton, self.problem.data.n_classes
        has_rows = len(self.problem.rows) > 0
        return diagram_from_slots(slots, skeleton, n_classes, self.problem.split, keep_idle_root=has_rows)

    def run(self, patience: int, budget: Budget, emit: Emit, lower_bound: float) -> bool:
        """Run all threads and emit their improvements; return True if the user interrupted."""
        limit = MAX_ITERATIONS if budget.max_iter is None else budget.max_iter
        target = (lower_bound + OPTIMALITY_TOLERANCE) * self.problem.total_weight
        seconds_per_work = SECONDS_PER_WORK[self.problem.split]
        max_work = budget.remaining_work() / seconds_per_work + 1  # 1: rounding
        arguments = (min(budget.remaining(), MAX_SECONDS), max_work, limit, patience, target)
        work_before = [thread.work for thread in self.threads]
        for thread in self.threads:
            thread.clear_stop()
        try:
            if len(self.threads) == 1 and budget.remaining_work() <= MAX_WORK_WITHOUT_THREAD:
                self.threads[0].run(*arguments)
                self._emit_best(math.inf, budget, emit)
            else:
                self._run_in_threads(arguments, budget, emit, target)
        except KeyboardInterrupt:
            return True
        done = (thread.work - before for thread, before in zip(self.threads, work_before, strict=True))
        budget.spend(max(done) * seconds_per_work)
        return False

    def _run_in_threads(
        self, arguments: tuple[float, float, int, int, float], budget: Budget, emit: Emit, target: float
    ) -> None:
        with ThreadPoolExecutor(len(self.threads)) as pool:
            try:
                futures = [pool.submit(thread.run, *arguments) for thread in self.threads]
                self._watch(futures, budget, emit, target)
            finally:
                self.stop()

    def stop(self) -> None:
        """Stop all threads after their present move."""
        for thread in self.threads:
            thread.stop()

    def _watch(self, futures: Sequence[Future[None]], budget: Budget, emit: Emit, target: float) -> None:
        """Emit each improvement until all threads have ended; raise the error of a thread."""
        best = math.inf
        pending: set[Future[None]] = set(futures)
        while pending:
            _, pending = wait(pending, timeout=POLL_SECONDS)
            best = self._emit_best(best, budget, emit)
            # runs that must repeat exactly end by themselves
            if best <= target and budget.max_iter is None:
                self.stop()
        for future in futures:
            future.result()

    def _emit_best(self, best: float, budget: Budget, emit: Emit) -> float:
        """Emit the best diagram if it is better than ``best``; return the smaller of both objectives."""
        thread = self.best
        if thread.objective < best:  # never while it is inf: no diagram satisfies the constraints yet
            best = thread.objective
            emit(Improved(budget.elapsed(), best / self.problem.total_weight, thread.n_nodes))
        return best


def _create_thread(
    problem: TrainingProblem, table: SearchTable, seed: int, constraints: ConstraintArrays | None
) -> SearchThread:
    try:
        return SearchThread(
            table,
            node_price=problem.node_price * problem.total_weight,
            margin=solver_margin(problem),
            tree_only=problem.skeleton.tree_only,
            oblique=problem.split == "multivariate",
            seed=seed,
            constraints=constraints,
        )
    except MemoryError:  # it grows with the square of the widest layer
        raise UnsupportedError(
            f"The search needs more memory than there is, for {problem.skeleton.n_nodes:,} nodes and "
            f"{problem.data.n_rows:,} rows: give a smaller skeleton or max_depth; trees also max_depth=None."
        ) from None
