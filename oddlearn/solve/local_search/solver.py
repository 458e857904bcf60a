"""Local search: alternating optimisation over the nodes, from several starts in threads."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError, InvalidInputError
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.polish import maximise_margins, separate_nodes
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart
from oddlearn.solve.local_search.subsample import snap_thresholds, subsample
from oddlearn.solve.solver import Emit, SearchResult, SearchStart, ignore, search_start
from oddlearn.solve.state import SolveState

# iterations without a better diagram after which a thread has stalled
PATIENCE = {"univariate": 20_000, "multivariate": 3_000}

# problems with more distinct rows than this, or with univariate splits and more entries, are first searched
# on a sample of the rows: a third of them, at most so many, for a share of time and iterations
LARGE_ROWS = 20_000
LARGE_SIZE = 100_000
SAMPLE_ROWS = 5_000
SAMPLE_SHARE = 0.3

# a search with hyperplanes is divided into rounds; after each, linear programs separate nodes
ROUNDS = 5
SEPARATION_SHARE = 0.1
POLISH_SHARE = 0.1


@dataclass(frozen=True)
class LocalSearch:
    """Iterated local search: every move gives one node its best split and arcs, the others fixed.

    Between descents the diagram is perturbed: a few nodes at random, or all of them by a round of moves under
    costs where some samples have larger and others smaller weights (univariate splits without constraints).

    It ends when its time or iterations are used up, when the objective meets the lower bound, or when it has
    stalled: after ``patience`` iterations without a better diagram, or as many as it took to find the best
    one if that is more.

    Every move satisfies limits on the number of nodes and minimum flows. The violation of other constraint
    rows has a weight that increases until they are satisfied. Only a diagram that satisfies all hard rows is
    returned, none if none was found.

    Parameters
    ----------
    patience : int or None
        Iterations without a better diagram after which a thread may end; None means 20,000 for univariate
        splits, and 3,000 for multivariate ones, where an iteration takes longer in proportion.
    seed : int
    n_jobs : int
        Searches, each in a thread of its own.
    """

    patience: int | None = None
    seed: int = 0
    n_jobs: int = 1
    start: SearchStart = "warm"

    name: ClassVar[str] = "local_search"

    def __post_init__(self) -> None:
        if self.patience is not None and not (isinstance(self.patience, int) and self.patience > 0):
            raise InvalidInputError(
                f"patience is {self.patience!r}: give an integer number of iterations above 0, or None."
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
        emit: Emit,
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Search from a start, if there is one, and return the best diagram with maximal margins."""
        sample = SearchResult(None)
        try:
            if _is_large(problem):
                sample_budget, budget = _divide_budget(budget)
                sample = self._search_sample(problem, sample_budget)
                # assigned before it is emitted: the receiver may press Ctrl-C at once
                start = _select_best(problem, start, sample.diagram)
                _emit_improved(problem, start, emit, budget)
                if sample.interrupted or SearchTable.seconds(problem) > budget.remaining():
                    return replace(sample, diagram=_if_feasible(problem, start))
            result = self._search(problem, start, budget, emit, lower_bound)
        except KeyboardInterrupt:
            return SearchResult(_if_feasible(problem, start or best_constant(problem)), interrupted=True)
        return replace(result, iterations=sample.iterations + result.iterations)

    def _search(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        emit: Emit,
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Search all rows of the problem."""
        table = SearchTable.from_problem(problem)
        if table.features.size == 0:
            return SearchResult(_if_feasible(problem, best_constant(problem)))
        search = MultiStart.create(problem, table, self.seed, self.n_jobs)
        if start is not None:
            search.load(start)
        # linear programs on every node take too long on a large table
        if problem.split == "univariate" or problem.data.n_rows > LARGE_ROWS:
            interrupted = search.run(self._patience(problem), budget, emit, lower_bound)
            diagram = search.diagram()
        else:
            interrupted = self._run_rounds(search, budget.share(1 - POLISH_SHARE), emit, lower_bound)
            diagram = search.diagram()
            if diagram is not None and not interrupted:
                diagram, interrupted = _polish(problem, diagram, budget)
        return SearchResult(diagram, interrupted=interrupted, iterations=search.iterations)

    def _patience(self, problem: TrainingProblem) -> int:
        return PATIENCE[problem.split] if self.patience is None else self.patience

    def _search_sample(self, problem: TrainingProblem, budget: Budget) -> SearchResult:
        """Search a sample of the rows and carry the diagram over to all of them."""
        n_rows = min(SAMPLE_ROWS, problem.data.n_rows // 3)
        result = self._search(subsample(problem, n_rows, self.seed), None, budget, ignore)
        diagram = None if result.diagram is None else snap_thresholds(problem, result.diagram)
        return replace(result, diagram=diagram)

    def _run_rounds(self, search: MultiStart, budget: Budget, emit: Emit, lower_bound: float) -> bool:
        """Search in rounds and separate nodes after each; return True if the user interrupted."""
        for number in range(1, ROUNDS + 1):
            round_budget, pause = _round_budget(budget, number)
            if search.run(self._patience(search.problem), round_budget, emit, lower_bound, pause):
                return True
            if search.objective <= lower_bound + OPTIMALITY_TOLERANCE or budget.expired:
                return False
            diagram = search.diagram()
            if diagram is None:
                continue
            try:
                better = separate_nodes(search.problem, diagram, budget.share(SEPARATION_SHARE))
            except KeyboardInterrupt:
                return True
            value = evaluate(search.problem, better)
            if value.objective < search.objective - OPTIMALITY_TOLERANCE:
                search.load(better)
                emit(Improved(budget.elapsed(), value.objective, value.n_nodes))
        return False


def _if_feasible(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram | None:
    """Return the diagram if it satisfies the constraints."""
    return diagram if evaluate(problem, diagram).violation == 0 else None


def _is_large(problem: TrainingProblem) -> bool:
    has_many_entries = problem.split == "univariate" and problem.data.X.size > LARGE_SIZE
    return has_many_entries or problem.data.n_rows > LARGE_ROWS


def _divide_budget(budget: Budget) -> tuple[Budget, Budget]:
    """Return the budgets of a sample and of all rows."""
    sample_budget = budget.share(SAMPLE_SHARE)
    if budget.max_iter is None:
        return sample_budget, budget
    n_iter = int(SAMPLE_SHARE * budget.max_iter)
    return replace(sample_budget, max_iter=n_iter), replace(budget, max_iter=budget.max_iter - n_iter)


def _round_budget(budget: Budget, number: int) -> tuple[Budget, float]:
    """Return the budget of a round and the seconds after which it pauses, if iterations are not limited."""
    if budget.max_iter is not None:
        return replace(budget, max_iter=budget.max_iter * number // ROUNDS), math.inf
    return budget, math.inf if number == ROUNDS else budget.remaining() / (ROUNDS + 1 - number)


def _polish(
    problem: TrainingProblem, diagram: DecisionDiagram, budget: Budget
) -> tuple[DecisionDiagram, bool]:
    """Return the diagram with maximal margins and False, or as it was and True if the user interrupts."""
    try:
        return maximise_margins(problem, diagram, budget), False
    except KeyboardInterrupt:
        return diagram, True


def _emit_improved(problem: TrainingProblem, diagram: DecisionDiagram, emit: Emit, budget: Budget) -> None:
    value = evaluate(problem, diagram)
    if value.violation == 0:
        emit(Improved(budget.elapsed(), value.objective, value.n_nodes))


def _select_best(problem: TrainingProblem, *diagrams: DecisionDiagram | None) -> DecisionDiagram:
    """Return the best of the diagrams that are solutions of the problem and the best constant.

    One that satisfies the constraints is better than one that does not.
    """
    best = best_constant(problem)
    value = evaluate(problem, best)
    for diagram in diagrams:
        try:
            new = value if diagram is None else evaluate(problem, diagram)
        except DiagramMisfitError:
            continue
        if diagram is not None and (new.violation, new.objective) < (value.violation, value.objective):
            best, value = diagram, new
    return best
