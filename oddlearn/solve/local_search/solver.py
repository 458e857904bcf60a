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
from oddlearn.solve.hyperplanes.polish import separate_nodes
from oddlearn.solve.hyperplanes.sparse_solver import improve_by_pairs
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

# share of the work for linear programs that separate nodes, after a search with hyperplanes
SEPARATION_SHARE = 0.2


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
    is_resumable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.patience is not None and not (isinstance(self.patience, int) and self.patience > 0):
            raise InvalidInputError(
                f"patience is {self.patience!r}: give an integer number of iterations above 0, or None."
            )

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem: it takes every one."""
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Search from the warm start until the bound is met, it stalls, or the budget is spent; or resume."""
        search = state.resumable.get(self.name)
        start: DecisionDiagram | None = state.diagram
        if not isinstance(search, ResumableSearch) or search.problem is not state.problem:
            search, start = ResumableSearch(self, state.problem), search_start(state, self.start)
        state = search.run(start, budget, emit, state.lower_bound).update(state)
        return state.store_resumable(self.name, None if search.is_finished else search)

    def search(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        emit: Emit,
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Search from a start, if there is one."""
        return ResumableSearch(self, problem).run(start, budget, emit, lower_bound)


class ResumableSearch:
    """The search of one problem, in one run or several."""

    def __init__(self, options: LocalSearch, problem: TrainingProblem) -> None:
        self.problem = problem
        # True once all threads have stalled, met the bound or used up their iterations
        self.is_finished = False
        self._options = options
        self._threads: MultiStart | None = None
        self._sample: ResumableSearch | None = None
        self._separated: DecisionDiagram | None = None

    def run(
        self, start: DecisionDiagram | None, budget: Budget, emit: Emit, lower_bound: float = -math.inf
    ) -> SearchResult:
        """Search until the bound is met, all threads have stalled, or the budget is spent.

        Threads go on where they were; they take over the start if it is better than what they have.
        """
        sample = SearchResult(None)
        try:
            if _is_large(self.problem):
                sample_budget, budget = _divide_budget(budget)
                sample = self._search_sample(sample_budget)
                # assigned before it is emitted: the receiver may press Ctrl-C at once
                start = _select_best(self.problem, start, sample.diagram)
                _emit_improved(self.problem, start, emit, budget)
                if sample.interrupted or not self._has_time_for_all(budget):
                    return replace(sample, diagram=_if_feasible(self.problem, start))
            result = self._search(start, budget, emit, lower_bound)
        except KeyboardInterrupt:
            start = start or best_constant(self.problem)
            return SearchResult(_if_feasible(self.problem, start), interrupted=True)
        return replace(result, iterations=sample.iterations + result.iterations)

    def _has_time_for_all(self, budget: Budget) -> bool:
        """Return True if all rows can be searched; a budget that is too small for that is spent."""
        seconds = SearchTable.seconds(self.problem)
        if self._threads is not None or seconds <= min(budget.remaining(), budget.remaining_work()):
            return True
        budget.spend(min(seconds, budget.remaining_work()))
        return False

    def _search_sample(self, budget: Budget) -> SearchResult:
        """Search a sample of the rows and carry the diagram over to all of them."""
        if self._sample is None:
            n_rows = min(SAMPLE_ROWS, self.problem.data.n_rows // 3)
            part = subsample(self.problem, n_rows, self._options.seed)
            self._sample = ResumableSearch(self._options, part)
        result = self._sample._search(None, budget, ignore)
        diagram = None if result.diagram is None else snap_thresholds(self.problem, result.diagram)
        return replace(result, diagram=diagram)

    def _search(
        self, start: DecisionDiagram | None, budget: Budget, emit: Emit, lower_bound: float = -math.inf
    ) -> SearchResult:
        """Search all rows of the problem."""
        problem = self.problem
        if self._threads is None:
            table = SearchTable.from_problem(problem)
            if table.features.size == 0:
                self.is_finished = True
                return SearchResult(_if_feasible(problem, best_constant(problem)))
            self._threads = MultiStart.create(problem, table, self._options.seed, self._options.n_jobs)
        search, n_before = self._threads, self._threads.iterations
        if start is not None and (n_before == 0 or _is_better(problem, start, search.objective)):
            search.load(start)
        # linear programs on every node take too long on a large table
        has_programs = problem.split == "multivariate" and problem.data.n_rows <= LARGE_ROWS
        part = budget.share(1 - SEPARATION_SHARE) if has_programs else budget
        interrupted = search.run(self._patience, part, emit, lower_bound)
        self.is_finished = not part.expired
        if has_programs and not interrupted and search.objective > lower_bound + OPTIMALITY_TOLERANCE:
            interrupted = self._separate_nodes(search, budget, emit)
        return SearchResult(search.diagram(), search.iterations - n_before, interrupted)

    @property
    def _patience(self) -> int:
        given = self._options.patience
        return PATIENCE[self.problem.split] if given is None else given

    def _separate_nodes(self, search: MultiStart, budget: Budget, emit: Emit) -> bool:
        """Improve the best diagram by linear programs, once for each; return True if the user interrupted."""
        diagram = search.diagram()
        if diagram is None or diagram == self._separated:
            return False
        self._separated = diagram
        try:
            better = separate_nodes(self.problem, diagram, budget)
            better = improve_by_pairs(self.problem, better, budget)
        except KeyboardInterrupt:
            return True
        value = evaluate(self.problem, better)
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


def _is_better(problem: TrainingProblem, diagram: DecisionDiagram, objective: float) -> bool:
    """Return True if the diagram satisfies the constraints and has a smaller objective."""
    value = evaluate(problem, diagram)
    return value.violation == 0 and value.objective < objective - OPTIMALITY_TOLERANCE


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
