"""The best single hyperplane, as a minimum hitting set of conflict sets.

With classes a and b on the two sides, every row wants the side where it is cheaper and pays its regret on the
other. Of a conflict set, rows that no hyperplane has all on their own sides, at least one must be relaxed:
put on the other side. The cost is a minimum hitting set over all conflict sets. Disjoint conflict sets bound
it from below (packing bound), and branching on which row of a set is relaxed finds it.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field, replace
from itertools import combinations, count
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_stump
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.max_margin import ConflictSet, SeparabilityOracle
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState


@dataclass(frozen=True)
class SingleHyperplaneSolver:
    """The best diagram with one hyperplane, and a bound on all of them; resumes where it stopped."""

    name: ClassVar[str] = "single_hyperplane"
    is_resumable: ClassVar[bool] = True

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        if problem.split == "multivariate":
            return []
        return [f'The solver "{self.name}" takes multivariate splits only, not {problem.split} ones.']

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bound of one node until it meets the incumbent's objective or the budget is spent."""
        problem, started = state.problem, budget.elapsed()
        search = state.resumable.get(self.name)
        if not isinstance(search, SingleHyperplaneSearch):
            search = SingleHyperplaneSearch(problem)
        target = (state.objective - OPTIMALITY_TOLERANCE / 2) * problem.total_weight
        try:
            search.run(ObjectiveGrid.from_problem(problem).round_up_cost(target), budget)
        except KeyboardInterrupt:
            return replace(state.offer(search.diagram, trusted=False), interrupted=True)
        search.seconds += budget.elapsed() - started
        bounds = state.bounds.tightened(1, search.lower_bound)
        text = f"{search.n_programs} linear programs on rows that no single hyperplane separates"
        bound = min(bounds.lower_bound(problem), state.objective)
        state = state.tighten(bounds, Evidence(self.name, bound, text, search.seconds))
        state = state.store_resumable(self.name, search if budget.expired else None)
        return state.offer(search.diagram, trusted=False)


@dataclass(frozen=True, eq=False)
class ClassPair:
    """Two classes on the two sides of a hyperplane."""

    regret: FloatArray  # (m,): cost of the other side for each row that is cheaper on one of them
    base: float  # cost when every row takes the cheaper of both classes
    oracle: SeparabilityOracle  # of the same rows

    @classmethod
    def from_problem(cls, problem: TrainingProblem, first: int, second: int) -> ClassPair:
        """Return the pair of two classes."""
        cost = problem.cost[:, [first, second]]
        rows = np.flatnonzero(cost[:, 0] != cost[:, 1])
        positive = cost[rows, 1] < cost[rows, 0]
        oracle = SeparabilityOracle(problem.data.X[rows], positive, problem.margin)
        return cls(np.abs(cost[rows, 0] - cost[rows, 1]), float(cost.min(axis=1).sum()), oracle)


@dataclass(frozen=True, eq=False)
class HittingSetNode:
    """A node of the search: some rows are relaxed, some are fixed on their own sides."""

    pair: ClassPair
    relaxed: frozenset[int]  # indices into the rows of the pair
    fixed: frozenset[int]
    cost: float  # base cost plus the regret of the relaxed rows
    conflict: ConflictSet | None = None  # one more of its rows must be relaxed; None: not queried yet


@dataclass
class SingleHyperplaneSearch:
    """A best-first search for the least cost of a diagram with one multivariate split; it can be resumed.

    Constraints are left out: the bound holds with them too, but the diagram may violate them.
    """

    problem: TrainingProblem
    lower_bound: float = 0.0  # no diagram with one split, or none, costs less
    seconds: float = 0.0  # time spent so far
    diagram: DecisionDiagram | None = None  # the best diagram with one split found so far
    _cost: float = math.inf
    _incumbent_cost: float = math.inf
    _pairs: list[ClassPair] = field(default_factory=list)
    _open: list[tuple[float, int, HittingSetNode]] = field(default_factory=list)
    _ids: count[int] = field(default_factory=count)

    @property
    def n_programs(self) -> int:
        """Number of linear programs solved."""
        return sum(pair.oracle.n_programs for pair in self._pairs)

    def run(self, cutoff: float, budget: Budget) -> None:
        """Raise the lower bound until it reaches the cutoff or the least cost, or until time is up."""
        if not self._pairs:
            self._create_roots()
        while self._open and self._open[0][0] < min(cutoff, self._incumbent_cost) and not budget.expired:
            bound, _, node = heapq.heappop(self._open)
            if node.conflict is not None:
                self._branch(node, node.conflict, bound)
            elif not self._expand(node, bound, cutoff, budget):
                self._push(bound, node)
                break
        least = self._open[0][0] if self._open else math.inf
        self.lower_bound = max(self.lower_bound, min(least, cutoff, self._incumbent_cost))

    def _create_roots(self) -> None:
        classes = combinations(range(self.problem.data.n_classes), 2)
        self._pairs = [ClassPair.from_problem(self.problem, *pair) for pair in classes]
        for pair in self._pairs:
            self._push(pair.base, HittingSetNode(pair, frozenset(), frozenset(), pair.base))

    def _push(self, bound: float, node: HittingSetNode) -> None:
        heapq.heappush(self._open, (bound, next(self._ids), node))

    def _branch(self, node: HittingSetNode, conflict: ConflictSet, bound: float) -> None:
        """Relax each row of the conflict set in turn, with the rows before it fixed."""
        regret = node.pair.regret
        free = [row for row in conflict.rows.tolist() if row not in node.fixed]
        fixed = set(node.fixed)
        # costly rows first: their nodes are pruned soon, and the nodes of the others have more fixed rows
        for row in sorted(free, key=lambda row: -regret[row]):
            cost = node.cost + float(regret[row])
            child = HittingSetNode(node.pair, node.relaxed | {row}, frozenset(fixed), cost)
            self._push(max(bound, cost), child)
            fixed.add(row)

    def _expand(self, node: HittingSetNode, bound: float, cutoff: float, budget: Budget) -> bool:
        """Pack disjoint conflict sets; return False if time was up before the first was found."""
        oracle, regret = node.pair.oracle, node.pair.regret
        released, packing_bound, first = node.relaxed, node.cost, None
        while packing_bound < cutoff:
            answer = oracle.query(released, budget)
            if answer is None:
                break
            if not isinstance(answer, ConflictSet):
                self._try_direction(answer.weights)
                if first is None:
                    self._incumbent_cost = min(self._incumbent_cost, node.cost)
                    return True
                break
            first = first or answer
            free = (regret[row] for row in answer.rows if row not in node.fixed)
            packing_bound += min(free, default=math.inf)
            released = released.union(answer.rows.tolist())
        if first is None:
            return False
        self._push(max(bound, float(packing_bound)), replace(node, conflict=first))
        return True

    def _try_direction(self, weights: FloatArray) -> None:
        """Keep the best split along a direction if it is better than those before."""
        norm = float(np.abs(weights).sum())
        if norm == 0:
            return
        data, key = self.problem.data, self.problem.data.X @ (weights / norm)
        cost, threshold = find_best_stump(key, np.argsort(key), self.problem.cost, self.problem.margin)
        sides = (key < threshold, key >= threshold)
        codes = [int(self.problem.cost[side].sum(axis=0).argmin()) for side in sides]
        # if both sides take one class, nothing is split
        if cost < self._cost and codes[0] != codes[1]:
            self._cost = cost
            arcs = (np.array([1 + codes[0]]), np.array([1 + codes[1]]), np.array([0]))
            split = MultivariateSplit(weights / norm, threshold)
            self.diagram = DecisionDiagram((split,), *arcs, data.n_classes, data.n_features)
