"""Search chains in threads: started, watched, stopped, and read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.slot_diagram import Slots, diagram_from_slots, slots_from_diagram
from oddlearn.kernels.local_search.search import SearchThread
from oddlearn.problem.events import Improved
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.constraint_arrays import Rules
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.solver import Emit

UNLIMITED = 2**62
LONGEST_SECONDS = 1e9

# how long the calling thread sleeps between two looks at its workers
GLANCE_SECONDS = 0.02

SMALLEST = float(np.finfo(np.float64).smallest_subnormal)

# an objective this close to the lower bound has met it
MET = 1e-9


@dataclass(frozen=True, eq=False)
class Chains:
    """Independent searches on one problem.

    Attributes
    ----------
    problem : TrainingProblem
    table : SearchTable
    chains : list of SearchThread
    """

    problem: TrainingProblem
    table: SearchTable
    chains: Sequence[SearchThread]

    @classmethod
    def of(cls, problem: TrainingProblem, table: SearchTable, seed: int, count: int) -> Chains:
        """Make so many chains, each with a seed of its own."""
        words = np.random.SeedSequence(seed).generate_state(count, dtype=np.uint64)
        rules = Rules.of(problem)
        return cls(problem, table, [_chain(problem, table, int(word) >> 1, rules) for word in words])

    @property
    def iterations(self) -> int:
        """Iterations of all chains together."""
        return sum(chain.iterations for chain in self.chains)

    @property
    def best(self) -> SearchThread:
        """The chain with the best diagram."""
        return min(self.chains, key=lambda chain: chain.objective)

    @property
    def objective(self) -> float:
        """Objective of the best diagram, as the kernel counts it; inf while none keeps the constraints."""
        return self.best.objective / self.problem.total_weight

    def load(self, diagram: DecisionDiagram) -> None:
        """Let every chain go on from the diagram."""
        slots = self.table.narrowed(self.problem, slots_from_diagram(diagram, self.problem.skeleton))
        for chain in self.chains:
            chain.load(slots.child, slots.feature, slots.threshold, slots.weights)

    def diagram(self) -> DecisionDiagram | None:
        """Return the best diagram, in the problem's own features; None while none keeps the constraints."""
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

    def run(
        self, patience: int, budget: Budget, report: Emit, lower_bound: float, pause: float = math.inf
    ) -> bool:
        """Run every chain in a thread and report what they find; True if the user interrupted.

        After ``pause`` seconds no chain begins another iteration.
        """
        limit = UNLIMITED if budget.max_iter is None else budget.max_iter
        target = (lower_bound + MET) * self.problem.total_weight
        arguments = (min(budget.remaining(), LONGEST_SECONDS), pause, limit, patience, target)
        for chain in self.chains:
            chain.clear_stop()
        with ThreadPoolExecutor(len(self.chains)) as pool:
            try:
                jobs = [pool.submit(chain.run, *arguments) for chain in self.chains]
                self._watch(jobs, budget, report, target)
            except KeyboardInterrupt:
                return True
            finally:
                self.stop()
        return False

    def stop(self) -> None:
        """End all chains soon."""
        for chain in self.chains:
            chain.stop()

    def _watch(self, jobs: Sequence[Future[None]], budget: Budget, report: Emit, target: float) -> None:
        """Emit each improvement as it is seen; raise what a worker raised."""
        best = math.inf
        pending: set[Future[None]] = set(jobs)
        while pending:
            _, pending = wait(pending, timeout=GLANCE_SECONDS)
            chain = self.best
            if chain.objective < best:  # never while it is inf: no diagram keeps the constraints yet
                best = chain.objective
                report(Improved(budget.elapsed(), best / self.problem.total_weight, chain.n_nodes))
            # runs that must repeat exactly are left to end by themselves
            if best <= target and budget.max_iter is None:
                self.stop()
        for job in jobs:
            job.result()


def _chain(problem: TrainingProblem, table: SearchTable, seed: int, rules: Rules | None) -> SearchThread:
    return SearchThread(
        table,
        node_price=problem.node_price * problem.total_weight,
        # `evaluate` allows as much for rounding; equal values are never parted, not even with margin 0
        margin=max(problem.margin - 0.9 * MARGIN_TOLERANCE, SMALLEST),
        tree_only=problem.skeleton.tree_only,
        oblique=problem.split == "multivariate",
        seed=seed,
        constraints=rules,
    )
