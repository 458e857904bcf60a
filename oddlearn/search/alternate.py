"""The search engine: alternating optimisation over the nodes, restarted in threads."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget, Improved, Outcome, Report, ignore
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.problem import TrainingProblem
from oddlearn.search.chains import Chains
from oddlearn.search.planes import separated, widened
from oddlearn.search.sample import snapped, thinned
from oddlearn.search.table import SearchTable

# iterations without a better diagram after which a chain has stalled
PATIENCE = {"univariate": 20_000, "multivariate": 3_000}

# tables with more distinct rows than this are first searched on a sample of so many rows
LARGE_ROWS = 20_000
SAMPLE_ROWS = 5_000
SAMPLE_SHARE = 0.35

# between two rounds of the search with hyperplanes, nodes are separated by linear programs
ROUND_SHARE = 0.2
ROUNDS = 8
SEPARATION_SHARE = 0.1
POLISH_SHARE = 0.1

# an objective that is lower by less than this is the same one
SAME = 1e-9


@dataclass(frozen=True)
class Alternate:
    """Iterated local search: every move gives one node its best split and arcs, all else fixed.

    It ends when its time or iterations are used up, when the objective meets the lower bound, or when it has
    stalled: after ``patience`` iterations without a better diagram, or as many as it took to find the best
    one if that is more.

    Parameters
    ----------
    patience : int or None
        Iterations without a better diagram after which a chain may end; None takes 20,000 for univariate
        and 3,000 for multivariate splits, where one costs about as much more.
    seed : int
    n_jobs : int
        Chains, each in a thread of its own.
    """

    patience: int | None = None
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
        report: Report,
        lower_bound: float = -math.inf,
    ) -> Outcome:
        """Search from a start if there is one, and hand back the best diagram, its margins widened."""
        sample = Outcome(None)
        if problem.data.n_rows > LARGE_ROWS:
            sample = self._on_sample(problem, budget)
            start = _better(problem, start, sample.diagram, report, budget)
            if sample.interrupted or SearchTable.seconds(problem) > budget.remaining():
                return replace(sample, diagram=start)
        table = SearchTable.of(problem)
        if table.features.size == 0:
            return Outcome(_constant(problem))
        chains = Chains.of(problem, table, self.seed, self.n_jobs)
        if start is not None:
            chains.load(start)
        iterations, patience = sample.iterations, self._patience(problem)
        # linear programs on every node take too long on a large table
        if problem.split == "univariate" or problem.data.n_rows > LARGE_ROWS:
            interrupted = chains.run(patience, budget, report, lower_bound)
            diagram = chains.diagram()
        else:
            interrupted = self._rounds(chains, budget.share(1 - POLISH_SHARE), report, lower_bound)
            diagram = chains.diagram()
            if not interrupted:
                diagram, interrupted = _polished(problem, diagram, budget)
        return Outcome(diagram, interrupted=interrupted, iterations=iterations + chains.iterations)

    def _patience(self, problem: TrainingProblem) -> int:
        return PATIENCE[problem.split] if self.patience is None else self.patience

    def _on_sample(self, problem: TrainingProblem, budget: Budget) -> Outcome:
        """Search a sample of the rows and carry the result over to all of them."""
        small = thinned(problem, SAMPLE_ROWS, self.seed)
        outcome = self.run(small, None, budget.share(SAMPLE_SHARE), ignore)
        diagram = None if outcome.diagram is None else snapped(problem, outcome.diagram)
        return replace(outcome, diagram=diagram)

    def _rounds(self, chains: Chains, budget: Budget, report: Report, lower_bound: float) -> bool:
        """Search in rounds with separation between them; True if the user interrupted."""
        for number in range(1, ROUNDS + 1):
            part = _round_budget(budget, number)
            if chains.run(self._patience(chains.problem), part, report, lower_bound):
                return True
            if chains.objective <= lower_bound + SAME:
                return False
            try:
                better = separated(chains.problem, chains.diagram(), budget.share(SEPARATION_SHARE))
            except KeyboardInterrupt:
                return True
            value = evaluate(chains.problem, better)
            if value.objective < chains.objective - SAME:
                chains.load(better)
                report(Improved(budget.elapsed(), value.objective, value.n_nodes))
        return False


def _round_budget(budget: Budget, number: int) -> Budget:
    """Return one round's part of the budget: of the iterations if they are limited, else of the time."""
    if budget.max_iter is not None:
        return replace(budget, max_iter=budget.max_iter * number // ROUNDS)
    return budget.share(1 - SEPARATION_SHARE if number == ROUNDS else ROUND_SHARE)


def _polished(
    problem: TrainingProblem, diagram: DecisionDiagram, budget: Budget
) -> tuple[DecisionDiagram, bool]:
    """Return the diagram with its gaps widened, or as it was if the user interrupts; and whether."""
    try:
        return widened(problem, diagram, budget), False
    except KeyboardInterrupt:
        return diagram, True


def _constant(problem: TrainingProblem) -> DecisionDiagram:
    code = int(problem.cost.sum(axis=0).argmin())
    return DecisionDiagram.constant(code, problem.data.n_classes, problem.data.n_features)


def _better(
    problem: TrainingProblem,
    first: DecisionDiagram | None,
    second: DecisionDiagram | None,
    report: Report,
    budget: Budget,
) -> DecisionDiagram:
    """Return the best of two diagrams and the constant one, leaving out what does not fit the problem."""
    best = _constant(problem)
    value = evaluate(problem, best)
    for diagram in (first, second):
        try:
            new = value if diagram is None else evaluate(problem, diagram)
        except DiagramMisfitError:
            continue
        if diagram is not None and new.objective < value.objective:
            best, value = diagram, new
    report(Improved(budget.elapsed(), value.objective, value.n_nodes))
    return best
