"""The search engine: alternating optimisation over the nodes, restarted in threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget, Event, Improved, Outcome
from oddlearn.kernels.alternate import Alternation
from oddlearn.problem.problem import TrainingProblem
from oddlearn.search.slots import Slots, diagram_from, slots_from
from oddlearn.search.table import SearchTable

UNLIMITED = 2**62

# how long the calling thread sleeps between two looks at its workers
GLANCE_SECONDS = 0.02


@dataclass(frozen=True)
class Alternate:
    """Iterated local search: every move gives one node its best split and arcs, all else fixed.

    Parameters
    ----------
    patience : int
        A chain ends after this many iterations without a better diagram, or as many as it took to find
        the best one if that is more.
    seed : int
    n_jobs : int
        Chains, each in a thread of its own.
    """

    patience: int = 1000
    seed: int = 0
    n_jobs: int = 1
    name: str = "alternate"

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why this engine cannot take the problem."""
        if len(problem.rows):
            return [f"The search '{self.name}' cannot keep constraints; the problem has {len(problem.rows)}."]
        return []

    def run(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        report: Callable[[Event], None],
        lower_bound: float = -math.inf,
    ) -> Outcome:
        """Search until the bound is met, patience or iterations are used up, or time is out."""
        table = SearchTable.of(problem)
        if table.features.size == 0:
            return Outcome(_constant(problem))
        chains = [_chain(problem, table, seed) for seed in _seeds(self.seed, self.n_jobs)]
        if start is not None:
            _load(problem, table, start, chains)
        interrupted = _run_all(self, problem, chains, budget, report, lower_bound)
        best = min(chains, key=lambda chain: chain.objective)
        diagram = diagram_from(problem, _widened(problem, table, best))
        iterations = sum(chain.iterations for chain in chains)
        return Outcome(diagram, interrupted=interrupted, iterations=iterations)


def _constant(problem: TrainingProblem) -> DecisionDiagram:
    code = int(problem.cost.sum(axis=0).argmin())
    return DecisionDiagram.constant(code, problem.data.n_classes, problem.data.n_features)


def _seeds(seed: int, count: int) -> list[int]:
    return [int(word) >> 1 for word in np.random.SeedSequence(seed).generate_state(count, dtype=np.uint64)]


def _chain(problem: TrainingProblem, table: SearchTable, seed: int) -> Alternation:
    return Alternation(
        table.columns,
        table.order,
        table.ordered,
        table.cost,
        table.weight,
        table.layer,
        table.first,
        problem.node_price * problem.total_weight,
        problem.margin,
        problem.skeleton.tree_only,
        problem.split == "multivariate",
        seed,
    )


def _load(
    problem: TrainingProblem, table: SearchTable, start: DecisionDiagram, chains: Sequence[Alternation]
) -> None:
    slots = slots_from(problem, start)
    column = np.full(problem.data.n_features, 0)
    column[table.features] = np.arange(table.features.size)
    feature = np.where(slots.feature >= 0, column[slots.feature], slots.feature)
    weights = np.ascontiguousarray(slots.weights[:, table.features])
    for chain in chains:
        chain.load(slots.child, feature, slots.threshold, weights)


def _widened(problem: TrainingProblem, table: SearchTable, chain: Alternation) -> Slots:
    """Return the chain's best diagram in the problem's own features."""
    child, feature, threshold, narrow, active = chain.diagram()
    weights = np.zeros((problem.skeleton.n_nodes, problem.data.n_features))
    weights[:, table.features] = narrow
    feature = np.where(feature >= 0, table.features[feature], feature)
    return Slots(child, feature, threshold, weights, active)


def _run_all(
    options: Alternate,
    problem: TrainingProblem,
    chains: Sequence[Alternation],
    budget: Budget,
    report: Callable[[Event], None],
    lower_bound: float,
) -> bool:
    """Run every chain in a thread, reporting what is found; True if the user interrupted."""
    limit = UNLIMITED if budget.max_iter is None else budget.max_iter
    target = lower_bound * problem.total_weight
    arguments = (min(budget.remaining(), 1e9), limit, options.patience, target)
    with ThreadPoolExecutor(len(chains)) as pool:
        jobs = [pool.submit(chain.run, *arguments) for chain in chains]
        try:
            _watch(problem, chains, jobs, budget, report, target)
        except KeyboardInterrupt:
            for chain in chains:
                chain.stop()
            return True
    return False


def _watch(
    problem: TrainingProblem,
    chains: Sequence[Alternation],
    jobs: Sequence[Future[None]],
    budget: Budget,
    report: Callable[[Event], None],
    target: float,
) -> None:
    """Report each improvement as it is seen; raises what a worker raised."""
    best = math.inf
    pending: set[Future[None]] = set(jobs)
    while pending:
        _, pending = wait(pending, timeout=GLANCE_SECONDS)
        chain = min(chains, key=lambda each: each.objective)
        if chain.objective < best:
            best = chain.objective
            report(Improved(budget.elapsed(), best / problem.total_weight, chain.n_nodes))
        if best <= target * (1 + 1e-12) and budget.max_iter is None:
            for each in chains:
                each.stop()
    for job in jobs:
        job.result()
