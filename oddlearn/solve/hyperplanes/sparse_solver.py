"""The best single split by a weighted sum of one or two columns: all pairs of columns are tried.

The least cost without a margin bounds that of all splits with one. The sides of the best are then divided by
a hyperplane of maximal margin, so that the solver finds diagrams too, also for the nodes of larger ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import costs_to_go, route_reference
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.term_limit import expand_weights
from oddlearn.problem.tolerances import MARGIN_TOLERANCE, OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.column_groups import ColumnGroup, list_groups
from oddlearn.solve.hyperplanes.max_margin import max_margin_hyperplane
from oddlearn.solve.hyperplanes.pair_splits import TIE_SHARE, PairSearch, PairSplit
from oddlearn.solve.hyperplanes.polish import accept_if_no_worse
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, Step

MAX_TERMS = 2

# the margin is so many times as large as what is taken for one line
MIN_MARGIN_TIES = 1000.0

# rows x features and columns up to which pairs of columns are tried, and columns up to which they are for
# each node: each column is sorted, and each pair listed, before the first is tried, whatever the time
MAX_CELLS = 1_000_000
MAX_COLUMNS = 500
MAX_NODE_COLUMNS = 200

# rounding of sums of costs, as a share of all weight; a split that saves less is not looked for
TOLERANCE = 1e-9


@dataclass(frozen=True)
class SparseSplitSolver:
    """The best diagram with one split of one or two terms, and a bound on all of them; resumes."""

    name: ClassVar[str] = "sparse_split"
    is_enumeration: ClassVar[bool] = True
    is_resumable: ClassVar[bool] = True

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        limit = problem.term_limit
        if limit is None or limit.max_terms > MAX_TERMS:
            return [f'The solver "{self.name}" takes weighted sums of at most {MAX_TERMS} terms only.']
        largest = float(np.abs(problem.data.X).max(initial=1.0))
        if problem.margin - 2 * MARGIN_TOLERANCE < MIN_MARGIN_TIES * TIE_SHARE * largest:
            return [f'Some values lie too far out for the solver "{self.name}": leave out such outliers.']
        return []

    def estimate_work(self, state: SolveState) -> float:
        """Return about how many seconds of work are left; 0 before the first turn."""
        search = state.resumable.get(self.name)
        return search.estimate_work() if isinstance(search, SparseSplitSearch) else 0.0

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Search until all pairs of columns have been tried or the budget is spent."""
        problem, started = state.problem, budget.elapsed()
        search = state.resumable.get(self.name)
        if not isinstance(search, SparseSplitSearch):
            search = SparseSplitSearch.begin(problem)
        if search is None:
            return state
        target = (state.objective - OPTIMALITY_TOLERANCE / 2) * problem.total_weight
        search.limit = min(search.limit, ObjectiveGrid.from_problem(problem).round_up_cost(target))
        try:
            is_complete = search.run(budget)
        except KeyboardInterrupt:
            return replace(state.offer(search.diagram, trusted=False), interrupted=True)
        search.seconds += budget.elapsed() - started
        if is_complete:
            bounds = state.bounds.tightened(1, search.limit)
            text = f"the best split by {search.describe()} was found by trying all of them"
            bound = min(bounds.lower_bound(problem), state.objective)
            state = state.tighten(bounds, Evidence(self.name, bound, text, search.seconds))
        state = state.store_resumable(self.name, None if is_complete else search)
        return state.offer(search.diagram, trusted=False)


def build_sparse_step() -> Step:
    """Return the step of the solver, for one node alone."""

    def has_few_terms(status: LoopStatus) -> str | None:
        """Weighted sums have at most two terms, and one node could be better."""
        state = status.state
        limit = state.problem.term_limit
        is_wide = limit is not None and limit.n_columns > MAX_COLUMNS
        is_large = is_wide or state.problem.data.X.size > MAX_CELLS
        if is_large or SparseSplitSolver().unsupported_reasons(state.problem):
            return ""
        return None if state.objective_bounds[0] < state.objective - OPTIMALITY_TOLERANCE else ""

    return Step(SparseSplitSolver(), condition=has_few_terms, is_exact=True)


@dataclass
class SparseSplitSearch:
    """A search for the least cost of a split of at most two terms; it can be resumed.

    Constraints are left out: the bound holds with them too, but the diagram may violate them.
    """

    problem: TrainingProblem
    pairs: list[tuple[ColumnGroup, ColumnGroup]]
    limit: float  # no pair that was tried has a split that costs less
    diagram: DecisionDiagram | None = None
    seconds: float = 0.0
    _current: PairSearch | None = None
    _n_done: int = 0
    _work: float = 0.0

    @classmethod
    def begin(cls, problem: TrainingProblem) -> SparseSplitSearch | None:
        """Return the search of a problem; None if its columns are not of the known kinds."""
        groups = list_groups(problem)
        if groups is None or problem.term_limit is None:
            return None
        pairs = list(list_pairs(groups, problem.term_limit.max_terms, problem.cost))
        return cls(problem, pairs, float(problem.cost.sum(axis=0).min()))

    def describe(self) -> str:
        """Return the kind of splits that were tried, in words."""
        limit = self.problem.term_limit
        return "one column" if limit is not None and limit.max_terms == 1 else "two columns"

    def estimate_work(self) -> float:
        """Return the seconds of work that the pairs left take, if they take as long as those before."""
        return (len(self.pairs) - self._n_done) * self._work / max(1, self._n_done)

    def run(self, budget: Budget) -> bool:
        """Search pair after pair; return False if the budget was spent before the end."""
        before = budget.meter.seconds
        try:
            return self._run(budget)
        finally:
            self._work += budget.meter.seconds - before

    def _run(self, budget: Budget) -> bool:
        tolerance, cost = TOLERANCE * self.problem.total_weight, self.problem.cost
        while self._n_done < len(self.pairs):
            if budget.expired:
                return False
            if self._current is None:
                self._current = PairSearch(*self.pairs[self._n_done], cost, self.limit, tolerance)
            self._current.limit = min(self._current.limit, self.limit)
            is_complete = self._current.run(budget)
            found = self._current.best
            if found is not None and found.cost < self.limit:
                self.limit = found.cost
                self._keep(found, budget)
            if not is_complete:
                return False
            self._current, self._n_done = None, self._n_done + 1
        return True

    def _keep(self, found: PairSplit, budget: Budget) -> None:
        """Build the diagram of a split, if there is one with the margin."""
        all_rows = np.ones(len(self.problem.cost), dtype=bool)
        split = fit_pair(self.problem, self.pairs[self._n_done], all_rows, found, budget)
        if split is not None:
            data = self.problem.data
            arcs = (np.array([1 + found.negative]), np.array([1 + found.positive]), np.array([0]))
            self.diagram = DecisionDiagram((split,), *arcs, data.n_classes, data.n_features)


def list_pairs(
    groups: list[ColumnGroup], max_terms: int, cost: FloatArray
) -> Iterator[tuple[ColumnGroup, ColumnGroup]]:
    """Yield the pairs of columns, those first whose columns divide the rows best alone; or single columns."""
    nothing = ColumnGroup(np.empty(0, dtype=np.intp), None, np.zeros(len(cost), dtype=np.intp))
    if max_terms == 1 or len(groups) == 1:
        yield from ((group, nothing) for group in groups)
        return
    alone = []
    for group in groups:
        search = PairSearch(group, nothing, cost, np.inf, 0.0)
        search.run(Budget.of(None))
        alone.append(np.inf if search.best is None else search.best.cost)
    pairs = combinations(range(len(groups)), 2)
    for one, other in sorted(pairs, key=lambda pair: alone[pair[0]] + alone[pair[1]]):
        yield groups[one], groups[other]


def fit_pair(
    problem: TrainingProblem,
    pair: tuple[ColumnGroup, ColumnGroup],
    rows: BoolArray,
    found: PairSplit,
    budget: Budget,
) -> MultivariateSplit | None:
    """Return the split of maximal margin with some rows on the sides found; None if none has the margin."""
    if found.side.all() or not found.side.any():
        return None
    features = np.concatenate([pair[0].features, pair[1].features])
    X = problem.data.X[np.ix_(rows, features)]
    # a turn that ends here must not lose the split: its sides are not found again
    own = replace(budget, max_work=math.inf)
    plane = max_margin_hyperplane(X, found.side, problem.margin, own).hyperplane
    if plane is None:
        return None
    weights = expand_weights(plane.weights, features, problem.data.n_features)
    return MultivariateSplit(weights, plane.threshold)


def improve_by_pairs(problem: TrainingProblem, diagram: DecisionDiagram, budget: Budget) -> DecisionDiagram:
    """Give each node the best split of at most two terms for its arcs, from the last node to the first."""
    limit = problem.term_limit
    is_large = limit is None or limit.n_columns > MAX_NODE_COLUMNS or problem.data.X.size > MAX_CELLS
    if is_large or SparseSplitSolver().unsupported_reasons(problem):
        return diagram
    groups = list_groups(problem)
    if groups is None:
        return diagram
    value = evaluate(problem, diagram)
    for node in range(diagram.n_nodes - 1, -1, -1):
        costs = costs_to_go(diagram, problem.data.X, problem.cost)
        trace = route_reference(diagram, problem.data.X)
        rows, side = trace.reached[:, node], trace.sides[:, node]
        cost = np.column_stack([costs[diagram.negative[node]], costs[diagram.positive[node]]])
        paid = float(np.where(side, cost[:, 1], cost[:, 0])[rows].sum())
        if paid - cost[rows].min(axis=1).sum() > TOLERANCE * problem.total_weight:
            split = _find_better(problem, groups, rows, cost[rows], paid, budget)
            if split is not None:
                diagram, value = accept_if_no_worse(problem, diagram, value, node, split)
        if budget.expired:
            break
    return diagram


def _find_better(
    problem: TrainingProblem,
    groups: list[ColumnGroup],
    rows: BoolArray,
    cost: FloatArray,
    paid: float,
    budget: Budget,
) -> MultivariateSplit | None:
    """Return a split of the rows at a node that costs less than is paid; None if there is none in time."""
    assert problem.term_limit is not None
    limit, tolerance = min(paid, float(cost.sum(axis=0).min())), TOLERANCE * problem.total_weight
    best = None
    for pair in list_pairs([group.take(rows) for group in groups], problem.term_limit.max_terms, cost):
        search = PairSearch(*pair, cost, limit, tolerance)
        is_complete = search.run(budget)
        found = search.best
        if found is not None:
            # the arcs of the node stay: its positive side is the second target
            found = found if found.positive == 1 else replace(found, side=~found.side)
            split = fit_pair(problem, pair, rows, found, budget)
            best, limit = (best, limit) if split is None else (split, search.limit)
        if not is_complete:
            break
    return best
