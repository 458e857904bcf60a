"""The search of large tables: candidates from samples, improved on all rows by histograms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from oddlearn.errors import InvalidInputError
from oddlearn.problem.events import Improved
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.candidates import CandidateSearch
from oddlearn.solve.histogram.layer_polish import StructureLimits
from oddlearn.solve.solver import Emit, SearchStart, search_start
from oddlearn.solve.state import SolveState

# classes are bytes in the kernel
MAX_CLASSES = 250

# share of the time for the candidates
SAMPLE_SHARE = 0.5

# candidates that are improved on all rows
MAX_IMPROVED = 2

# of an evaluation in plain numpy
SECONDS_PER_VISIT = 3e-8


# a table of at least so many rows and values is searched by histograms: 100,000 x 20 is the smallest for which
# they were better
LARGE_ROWS = 50_000
LARGE_CELLS = 2_000_000


def is_large(n_rows: int, n_features: int) -> bool:
    """Return True for a table that is searched by histograms."""
    return n_rows >= LARGE_ROWS and n_rows * n_features >= LARGE_CELLS


@dataclass(frozen=True)
class HistogramSearch:
    """Search for large tables, univariate splits: passes over bins of one byte instead of sorted values.

    The local search works on samples of some thousand rows. Its diagrams are improved on a larger sample in
    bins, and the best of them on all rows: in one pass the nodes of a layer get their best columns,
    thresholds and targets, given the layers below. In the end every threshold is moved to the best place
    between the raw values beside it.

    It satisfies limits on the number of nodes and minimum flows.

    Parameters
    ----------
    seed : int
    n_jobs : int
        Threads.
    """

    seed: int = 0
    n_jobs: int = 1
    start: SearchStart = "warm"

    name: ClassVar[str] = "histogram"

    def __post_init__(self) -> None:
        if not isinstance(self.n_jobs, int) or self.n_jobs < 1:
            raise InvalidInputError(f"n_jobs is {self.n_jobs!r}: give a number of threads of at least 1.")

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem."""
        reasons = []
        if problem.split != "univariate":
            reasons.append('The search "histogram" has univariate splits only: use search="local_search".')
        if problem.data.n_classes > MAX_CLASSES:
            reasons.append(
                f'The search "histogram" takes at most {MAX_CLASSES} classes; the problem has '
                f'{problem.data.n_classes}: use search="local_search".'
            )
        if len(problem.rows) and not reasons:
            limits = StructureLimits.from_problem(problem)
            if len({*limits.node_limits.numbers, *limits.flows.numbers}) < len(problem.rows):
                reasons.append(
                    'The search "histogram" keeps limits on numbers of nodes and minimum flows, no other '
                    'constraints: use search="local_search".'
                )
        return reasons

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Search samples, then improve the best candidates on all rows, until nothing gains or time is over."""
        if budget.expired:
            return state
        own = budget.without(min(offer_seconds(state.problem), budget.remaining() / 2))
        try:
            candidates = CandidateSearch.create(state.problem, self.seed, self.n_jobs)
            candidates.run(search_start(state, self.start), own.share(SAMPLE_SHARE))
            state = replace(state, iterations=state.iterations + candidates.iterations)
            for candidate in candidates.found[:MAX_IMPROVED]:
                better = candidates.improve_on_all(candidate, own)
                state = state.offer((better or candidate).diagram)
                emit(Improved(budget.elapsed(), state.objective, state.evaluation.n_nodes))
                if own.expired:
                    break
        except KeyboardInterrupt:
            return replace(state, interrupted=True)
        return replace(state, interrupted=state.interrupted or candidates.interrupted)


def offer_seconds(problem: TrainingProblem) -> float:
    """Return about how long one evaluation of a diagram on all rows takes."""
    return problem.data.n_rows * problem.skeleton.n_nodes * SECONDS_PER_VISIT
