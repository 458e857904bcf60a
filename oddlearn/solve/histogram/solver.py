"""The search of large tables: candidates from samples, improved on all rows by histograms."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.problem.evaluate import pass_seconds
from oddlearn.problem.events import Improved
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.candidates import CandidateSearch
from oddlearn.solve.histogram.hyperplane_search import HyperplaneSearch
from oddlearn.solve.histogram.layer_polish import StructureLimits
from oddlearn.solve.histogram.sample_search import Candidate
from oddlearn.solve.histogram.wide_hyperplanes import WideHyperplaneSearch
from oddlearn.solve.histogram.wide_search import WideSearch, is_wide
from oddlearn.solve.solver import Emit, SearchResult, SearchStart, search_start
from oddlearn.solve.state import SolveState

# classes are bytes in the kernel
MAX_CLASSES = 250

# candidates that are improved on all rows. It takes as long as so many passes over rows that are not in
# memory, and so many seconds per value (1e6 x 20: 4.3 s); at most half of the time is set aside for it
MAX_IMPROVED = 2
IMPROVE_PASSES = 20
SECONDS_PER_VALUE = 2.2e-7

# with a smaller share of these seconds, the passes over all rows would end before they gain anything
MAX_IMPROVE_RATIO = 8.0

# the share of the time left that the evaluation of a diagram may take; with less time it has fewer layers
MAX_OFFER_SHARE = 0.8

# hyperplanes whose evaluation takes a larger share of the time are not searched: splits of single features
# are, and one hyperplane in the seconds of so many of its evaluations
MAX_HYPERPLANE_OFFER_SHARE = 0.5
SINGLE_HYPERPLANE_OFFERS = 2

# of an evaluation in plain numpy
SECONDS_PER_VISIT = 3e-8


@dataclass(frozen=True)
class HistogramSearch:
    """Search for large tables: passes over bins of one byte instead of sorted values.

    The local search works on samples of some thousand rows. Its diagrams are improved on a larger sample in
    bins, and the best of them on all rows: in one pass the nodes of a layer get their best columns,
    thresholds and targets, given the layers below. In the end every threshold is moved to the best place
    between the raw values beside it.

    Multivariate splits are thresholds on weighted sums of features, which are binned like features. Their
    directions are those of a local search on a sample, then of logistic regressions of the nodes on more
    rows and on all of them.

    It satisfies limits on the number of nodes and minimum flows.

    Parameters
    ----------
    seed : int
    n_jobs : int
        Threads.
    max_work : float
        Seconds of work for the search of samples.
    """

    seed: int = 0
    n_jobs: int = 1
    start: SearchStart = "warm"
    max_work: float = math.inf

    name: ClassVar[str] = "histogram"

    def __post_init__(self) -> None:
        if not isinstance(self.n_jobs, int) or self.n_jobs < 1:
            raise InvalidInputError(f"n_jobs is {self.n_jobs!r}: give a number of threads of at least 1.")

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem."""
        reasons = []
        if problem.split == "multivariate" and problem.data.is_merged:
            reasons.append(
                'The search "histogram" takes multivariate splits without a given epsilon only: use '
                'search="local_search".'
            )
        if problem.data.n_classes > MAX_CLASSES:
            reasons.append(
                f'The search "histogram" takes at most {MAX_CLASSES} classes; the problem has '
                f'{problem.data.n_classes}: use search="local_search".'
            )
        if len(problem.rows) and not reasons:
            limits = StructureLimits.from_problem(problem)
            if len({*limits.node_limits.numbers, *limits.flows.numbers}) < len(problem.rows):
                reasons.append(
                    'The search "histogram" cannot satisfy constraints but limits on numbers of nodes and '
                    'minimum flows: use search="local_search".'
                )
        return reasons

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Search until nothing gains or the budget is spent."""
        start = search_start(state, self.start)
        if isinstance(state.problem.data, LargeData) and state.problem.split == "multivariate":
            return self._run_hyperplanes(state, state.problem.data, start, budget, emit)
        return self.search(state.problem, start, budget, emit, state.lower_bound).update(state)

    def _run_hyperplanes(
        self,
        state: SolveState,
        data: LargeData,
        start: DecisionDiagram | None,
        budget: Budget,
        emit: Emit,
    ) -> SolveState:
        """Search with hyperplanes; a logistic regression of the sample is offered too, if there is time."""
        if budget.expired:
            return state
        problem = state.problem
        if is_wide(problem):
            return self._run_wide(state, data, start, budget, emit)
        is_short = offer_seconds(state.problem) > MAX_HYPERPLANE_OFFER_SHARE * budget.remaining()
        if is_short and not len(state.problem.rows):
            state = self._search_features(state, start, budget, emit)
            problem = _leave_one_layer(state.problem)
        shallow = leave_out_layers(problem, budget.remaining())
        if shallow is None or state.interrupted:
            return state
        reserve = offer_seconds(shallow)
        search = HyperplaneSearch(shallow, data, self.seed, self.n_jobs)
        try:
            search.run(_if_it_fits(start, shallow), budget.without(reserve), emit)
        except KeyboardInterrupt:
            search.interrupted = True
            search.keep_candidate()
        state = SearchResult(search.best, search.iterations, search.interrupted).update(state)
        if search.logistic is None or state.interrupted or budget.remaining() < reserve:
            return state
        return state.offer(search.logistic, trusted=False)

    def _run_wide(
        self,
        state: SolveState,
        data: LargeData,
        start: DecisionDiagram | None,
        budget: Budget,
        emit: Emit,
    ) -> SolveState:
        """Search a wide table with hyperplanes."""
        problem = leave_out_layers(state.problem, budget.remaining())
        if problem is None:
            return state
        search = WideHyperplaneSearch(problem, data, self.seed, self.n_jobs, state.lower_bound)
        own = budget.without(offer_seconds(problem))
        return search.run(_if_it_fits(start, problem), own, emit).update(state)

    def _search_features(
        self, state: SolveState, start: DecisionDiagram | None, budget: Budget, emit: Emit
    ) -> SolveState:
        """Search with splits of single features; time for one hyperplane is left if that is most of it."""
        plain = replace(state.problem, split="univariate")
        if start is not None and not all(isinstance(split, UnivariateSplit) for split in start.splits):
            start = None
        reserve = SINGLE_HYPERPLANE_OFFERS * offer_seconds(_leave_one_layer(state.problem))
        part = budget.without(reserve if reserve < budget.remaining() / 2 else 0.0)
        return self.search(plain, start, part, emit, state.lower_bound).update(state)

    def search(
        self,
        problem: TrainingProblem,
        start: DecisionDiagram | None,
        budget: Budget,
        emit: Emit,
        lower_bound: float = -math.inf,
    ) -> SearchResult:
        """Search samples, from a start if there is one, then improve the best candidates on all rows."""
        shallow = leave_out_layers(problem, budget.remaining())
        if shallow is None or budget.expired:
            return SearchResult(None)
        problem, start = shallow, _if_it_fits(start, shallow)
        own = budget.without(offer_seconds(problem))
        if is_wide(problem) and isinstance(problem.data, LargeData):
            return WideSearch(problem, problem.data, self.seed, self.n_jobs).run(start, own, emit)
        candidates, best = CandidateSearch(problem, self.seed, self.n_jobs), None
        try:
            # half of the time is not enough to improve on all rows: then all of it is for the samples
            can_improve = improve_seconds(problem) < MAX_IMPROVE_RATIO * own.remaining()
            reserve = min(improve_seconds(problem), own.remaining() / 2) if can_improve else 0.0
            part = own.without(reserve)
            candidates.run(start, part.limit_work(self.max_work))
            n_improved = 0
            for candidate in candidates.list_different():
                if n_improved == MAX_IMPROVED or (best is not None and own.expired):
                    break
                better = candidates.improve_on_all(candidate, own)
                if better is not None and better.is_feasible:
                    n_improved += 1
                    emit(Improved(budget.elapsed(), better.objective, better.diagram.n_nodes))
                best = _choose(best, better or candidate)
        except KeyboardInterrupt:
            candidates.interrupted = True
        diagram = None if best is None or not best.is_feasible else best.diagram
        return SearchResult(diagram, candidates.iterations, candidates.interrupted)


def leave_out_layers(problem: TrainingProblem, seconds: float) -> TrainingProblem | None:
    """Return the problem with as many layers as can be searched and evaluated in some seconds; None for none.

    One with constraint rows, which are written for the whole skeleton, has all of its layers.
    """
    skeleton = problem.skeleton
    for depth in range(skeleton.depth, 0, -1):
        widths = skeleton.widths[:depth]
        part = (
            problem
            if depth == skeleton.depth
            else replace(problem, skeleton=replace(skeleton, widths=widths))
        )
        if offer_seconds(part) <= MAX_OFFER_SHARE * seconds:
            return part
        if len(problem.rows):
            return None
    return None


def _leave_one_layer(problem: TrainingProblem) -> TrainingProblem:
    """Return the problem with the root alone."""
    return replace(problem, skeleton=replace(problem.skeleton, widths=problem.skeleton.widths[:1]))


def _if_it_fits(start: DecisionDiagram | None, problem: TrainingProblem) -> DecisionDiagram | None:
    """Return the start of a search unless it has more layers than the problem."""
    has_depth = start is None or start.n_nodes == 0 or start.layer.max() < problem.skeleton.depth
    return start if has_depth else None


def _choose(one: Candidate | None, other: Candidate) -> Candidate:
    """Return the better candidate: feasible, measured on all rows, of the smaller objective."""
    return other if one is None or other.sort_key < one.sort_key else one


def improve_seconds(problem: TrainingProblem) -> float:
    """Return about how long candidates are improved on all rows."""
    read = problem.data.source.pass_seconds if isinstance(problem.data, LargeData) else 0.0
    return IMPROVE_PASSES * read + SECONDS_PER_VALUE * problem.data.n_rows * problem.data.n_features


def offer_seconds(problem: TrainingProblem) -> float:
    """Return about how long one evaluation of a diagram on all rows takes."""
    if isinstance(problem.data, LargeData):
        return pass_seconds(problem)
    return problem.data.n_rows * problem.skeleton.n_nodes * SECONDS_PER_VISIT
