"""The solver of diagrams with two to seven hyperplanes: their bounds, and better diagrams on the way."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from oddlearn.problem.certificate import Evidence
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.topologies import list_topologies
from oddlearn.solve.hyperplanes.topology_search import RoutedRows, TopologySearch
from oddlearn.solve.solver import Emit, term_limit_unsupported, univariate_unsupported
from oddlearn.solve.state import SolveState

NODE_COUNTS = (2, 3, 4, 5, 6, 7)

# topologies of a number of nodes, and these x rows, and x features too, up to which they are searched
MAX_TOPOLOGIES = 500
MAX_ROUTES = 500_000
MAX_CELLS = 20_000_000

SECONDS_PER_TOPOLOGY = 5e-5  # usual time to list one

# a number of nodes has so much less work than the one before, as a factor
LESS_WORK = 1.5

# work on a number of nodes before it is judged, in seconds
MIN_JUDGED_WORK = 0.5

# factor of the estimate of the work left: better diagrams make it less (monks2 at 0.5 was given up)
OPTIMISM = 0.3

# work in one topology before the next one has its turn, in seconds
SLICE = 0.05


@dataclass(frozen=True)
class SeveralHyperplanesSolver:
    """Bounds on all diagrams with two to seven hyperplanes; resumes where it stopped."""

    name: ClassVar[str] = "several_hyperplanes"
    is_resumable: ClassVar[bool] = True

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        return univariate_unsupported(self.name, problem) or term_limit_unsupported(self.name, problem)

    def estimate_work(self, state: SolveState) -> float:
        """Return the work left until no number of nodes that is searched could be better, in seconds."""
        search = state.resumable.get(self.name)
        return search.estimate_work(state) if isinstance(search, SeveralHyperplanesSearch) else 0.0

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Raise the bounds of these numbers of nodes until none can be better, or the budget is spent."""
        started = budget.elapsed()
        search = state.resumable.get(self.name)
        if not isinstance(search, SeveralHyperplanesSearch):
            search = SeveralHyperplanesSearch.from_problem(state.problem)
            budget.spend(SECONDS_PER_TOPOLOGY * search.n_topologies)
        try:
            while not budget.expired and search.has_work(state):
                state = search.run_slice(state, budget)
        except KeyboardInterrupt:
            return replace(state, interrupted=True)
        search.seconds += budget.elapsed() - started
        if search.searches:
            bound = min(state.bounds.lower_bound(state.problem), state.objective)
            state = state.tighten(state.bounds, Evidence(self.name, bound, search.text, search.seconds))
        return state.store_resumable(self.name, search if search.has_work(state) else None)


@dataclass
class SeveralHyperplanesSearch:
    """The searches in all topologies of two to seven nodes, which take turns."""

    problem: TrainingProblem
    rows: RoutedRows
    searches: dict[int, list[TopologySearch]]  # by number of nodes
    seconds: float = 0.0
    _work: dict[int, float] = field(default_factory=dict)  # by number of nodes

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> SeveralHyperplanesSearch:
        """Return the searches of a problem, before any work; none if they would be too many."""
        rows, searches = RoutedRows.from_problem(problem), dict[int, list[TopologySearch]]()
        for count in NODE_COUNTS:
            topologies = list_topologies(problem.skeleton, count, problem.data.n_classes, MAX_TOPOLOGIES + 1)
            n_routes = len(topologies) * problem.data.n_rows
            is_small = n_routes <= MAX_ROUTES and n_routes * problem.data.n_features <= MAX_CELLS
            if len(topologies) > MAX_TOPOLOGIES or not is_small:
                break
            if topologies:
                searches[count] = [TopologySearch(problem, rows, topology) for topology in topologies]
        return cls(problem, rows, searches)

    @property
    def n_topologies(self) -> int:
        """Number of topologies."""
        return sum(len(searches) for searches in self.searches.values())

    @property
    def text(self) -> str:
        """A description of the search for the certificate."""
        every = [search for searches in self.searches.values() for search in searches if search.has_begun]
        n_sets = len(self.rows.conflicts)
        n_cores = sum(search.n_cores for search in every)
        return f"routes of rows in {len(every)} topologies, {n_sets:,} conflict sets, {n_cores:,} cores"

    def has_work(self, state: SolveState) -> bool:
        """Return True if a diagram of these numbers of nodes could be better and is not ruled out."""
        return not state.is_finished and bool(self._open_counts(state))

    def _open_counts(self, state: SolveState) -> list[int]:
        return [
            count
            for count in state.unresolved_node_counts
            if any(not search.has_ended for search in self.searches.get(count, ()))
        ]

    def run_slice(self, state: SolveState, budget: Budget) -> SolveState:
        """Work on the topology of the least bound; return the state with its diagram and bound."""
        # numbers of nodes share the work, the smaller have more: their diagrams lower the other cutoffs
        counts = self._open_counts(state)
        count = min(counts, key=lambda count: self._work.get(count, 0.0) * LESS_WORK ** (count - counts[0]))
        cutoff = self._cutoff(state, count)
        searches = [search for search in self.searches[count] if not search.has_ended]
        search = min(searches, key=lambda search: (min(search.bound, cutoff), search.work))
        before = budget.meter.seconds
        search.run(budget.limit_work(SLICE), cutoff)
        self._work[count] = self._work.get(count, 0.0) + budget.meter.seconds - before
        state = state.offer(search.diagram, trusted=False)
        return state.tighten(state.bounds.tightened(count, min(each.bound for each in self.searches[count])))

    def estimate_work(self, state: SolveState) -> float:
        """Return the work left, in seconds, if the bounds of all topologies go on rising as they did."""
        work = 0.0
        for count in self._open_counts(state):
            cutoff, done = self._cutoff(state, count), self._work.get(count, 0.0)
            missing = [max(0.0, cutoff - each.bound) for each in self.searches[count]]
            first = [max(0.0, cutoff - each.first_bound) for each in self.searches[count]]
            left = math.fsum(missing) / max(math.fsum(first), sys.float_info.min)
            if done > MIN_JUDGED_WORK:
                work += done * left / (1 - left) if left < 1 else math.inf
        return OPTIMISM * work

    def _cutoff(self, state: SolveState, count: int) -> float:
        """Return the cost from which on diagrams with so many nodes are no better than the incumbent."""
        objective = state.objective - OPTIMALITY_TOLERANCE / 2 - self.problem.node_price * (count - 1)
        cost = objective * self.problem.total_weight
        return ObjectiveGrid.from_problem(self.problem).round_up_cost(cost) if np.isfinite(cost) else cost
