"""The search engine: alternating optimisation over the nodes, restarted in threads."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError, InvalidInputError
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.polish import separated, widened
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import Chains
from oddlearn.solve.local_search.subsample import snapped, thinned
from oddlearn.solve.solver import Emit, SearchResult, SearchStart, ignore, search_start
from oddlearn.solve.state import SolveState

# iterations without a better diagram after which a chain has stalled
PATIENCE = {"univariate": 20_000, "multivariate": 3_000}

# tables with more distinct rows than this, or more values where a move looks at them all, are first searched
# on a sample of the rows, a third of them but not more than so many, for a share of time and iterations
LARGE_ROWS = 20_000
LARGE_SIZE = 100_000
SAMPLE_ROWS = 5_000
SAMPLE_SHARE = 0.3

# between two rounds of the search with hyperplanes, nodes are separated by linear programs
ROUNDS = 5
SEPARATION_SHARE = 0.1
POLISH_SHARE = 0.1

# an objective that is lower by less than this is the same one
SAME = 1e-9


@dataclass(frozen=True)
class LocalSearch:
    """Iterated local search: every move gives one node its best split and arcs, all else fixed.

    Between descents the diagram is shaken: a few nodes at random, or all of them by a round of moves under
    costs where some samples count more and others less (univariate splits without constraints).

    It ends when its time or iterations are used up, when the objective meets the lower bound, or when it has
    stalled: after ``patience`` iterations without a better diagram, or as many as it took to find the best
    one if that is more.

    Constraints are kept: limits on numbers of nodes and least flows by every move, other rows by a weight on
    what is broken that grows until it is not. Only a diagram that keeps all hard rows is handed back; none if
    none was found.

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
    start: SearchStart = "warm"

    name: ClassVar[str] = "local_search"

    def __post_init__(self) -> None:
        if self.patience is not None and not (isinstance(self.patience, int) and self.patience > 0):
            raise InvalidInputError(
                f"patience is {self.patience!r}: give a whole number of iterations above 0, or None."
            )

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem: it takes every one."""
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Search from the warm start or the incumbent until the bound is met, it stalls, or time is up."""
        start = search_start(state, self.start)
        return self.search(state.problem, start, budget, emit, state.lower_bound).update(state)

    def search(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        report: Emit,
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Search from a start if there is one, and hand back the best diagram, its margins widened."""
        sample = SearchResult(None)
        try:
            if _is_large(problem):
                part, budget = _parted(budget)
                sample = self._on_sample(problem, part)
                # known before it is told: who sees it may press Ctrl-C at once
                start = _better(problem, start, sample.diagram)
                _tell(problem, start, report, budget)
                if sample.interrupted or SearchTable.seconds(problem) > budget.remaining():
                    return replace(sample, diagram=_kept(problem, start))
            outcome = self._search(problem, start, budget, report, lower_bound)
        except KeyboardInterrupt:
            return SearchResult(_kept(problem, start or best_constant(problem)), interrupted=True)
        return replace(outcome, iterations=sample.iterations + outcome.iterations)

    def _search(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        report: Emit,
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Search all rows of the problem."""
        table = SearchTable.of(problem)
        if table.features.size == 0:
            return SearchResult(_kept(problem, best_constant(problem)))
        chains = Chains.of(problem, table, self.seed, self.n_jobs)
        if start is not None:
            chains.load(start)
        # linear programs on every node take too long on a large table
        if problem.split == "univariate" or problem.data.n_rows > LARGE_ROWS:
            interrupted = chains.run(self._patience(problem), budget, report, lower_bound)
            diagram = chains.diagram()
        else:
            interrupted = self._rounds(chains, budget.share(1 - POLISH_SHARE), report, lower_bound)
            diagram = chains.diagram()
            if diagram is not None and not interrupted:
                diagram, interrupted = _polished(problem, diagram, budget)
        return SearchResult(diagram, interrupted=interrupted, iterations=chains.iterations)

    def _patience(self, problem: TrainingProblem) -> int:
        return PATIENCE[problem.split] if self.patience is None else self.patience

    def _on_sample(self, problem: TrainingProblem, budget: Budget) -> SearchResult:
        """Search a sample of the rows and carry the result over to all of them."""
        n_rows = min(SAMPLE_ROWS, problem.data.n_rows // 3)
        outcome = self._search(thinned(problem, n_rows, self.seed), None, budget, ignore)
        diagram = None if outcome.diagram is None else snapped(problem, outcome.diagram)
        return replace(outcome, diagram=diagram)

    def _rounds(self, chains: Chains, budget: Budget, report: Emit, lower_bound: float) -> bool:
        """Search in rounds with separation between them; True if the user interrupted."""
        for number in range(1, ROUNDS + 1):
            part, pause = _round(budget, number)
            if chains.run(self._patience(chains.problem), part, report, lower_bound, pause):
                return True
            if chains.objective <= lower_bound + SAME or budget.expired:
                return False
            diagram = chains.diagram()
            if diagram is None:
                continue
            try:
                better = separated(chains.problem, diagram, budget.share(SEPARATION_SHARE))
            except KeyboardInterrupt:
                return True
            value = evaluate(chains.problem, better)
            if value.objective < chains.objective - SAME:
                chains.load(better)
                report(Improved(budget.elapsed(), value.objective, value.n_nodes))
        return False


def _kept(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram | None:
    """Return the diagram if it keeps the constraints."""
    return diagram if evaluate(problem, diagram).violation == 0 else None


def _is_large(problem: TrainingProblem) -> bool:
    many_values = problem.split == "univariate" and problem.data.X.size > LARGE_SIZE
    return many_values or problem.data.n_rows > LARGE_ROWS


def _parted(budget: Budget) -> tuple[Budget, Budget]:
    """Return the budgets of a sample and of all rows."""
    part = budget.share(SAMPLE_SHARE)
    if budget.max_iter is None:
        return part, budget
    n_iter = int(SAMPLE_SHARE * budget.max_iter)
    return replace(part, max_iter=n_iter), replace(budget, max_iter=budget.max_iter - n_iter)


def _round(budget: Budget, number: int) -> tuple[Budget, float]:
    """Return one round's budget and when it pauses: by iterations if they are limited, else by time."""
    if budget.max_iter is not None:
        return replace(budget, max_iter=budget.max_iter * number // ROUNDS), math.inf
    return budget, math.inf if number == ROUNDS else budget.remaining() / (ROUNDS + 1 - number)


def _polished(
    problem: TrainingProblem, diagram: DecisionDiagram, budget: Budget
) -> tuple[DecisionDiagram, bool]:
    """Return the diagram with its gaps widened, or as it was if the user interrupts; and whether."""
    try:
        return widened(problem, diagram, budget), False
    except KeyboardInterrupt:
        return diagram, True


def _tell(problem: TrainingProblem, diagram: DecisionDiagram, report: Emit, budget: Budget) -> None:
    value = evaluate(problem, diagram)
    if value.violation == 0:
        report(Improved(budget.elapsed(), value.objective, value.n_nodes))


def _better(
    problem: TrainingProblem, first: DecisionDiagram | None, second: DecisionDiagram | None
) -> DecisionDiagram:
    """Return the best of two diagrams and the constant one, leaving out what does not fit the problem.

    One that keeps the constraints is better than one that does not.
    """
    best = best_constant(problem)
    value = evaluate(problem, best)
    for diagram in (first, second):
        try:
            new = value if diagram is None else evaluate(problem, diagram)
        except DiagramMisfitError:
            continue
        if diagram is not None and (new.violation, new.objective) < (value.violation, value.objective):
            best, value = diagram, new
    return best
