"""The least cost of one hyperplane, by the rows that clash: of each clash, one must give way.

With classes a and b on the two sides, every row wants the side where it is cheaper and pays its regret on the
other. Rows that cannot all lie on their own sides form a clash, of which one must give way. So the cost is a
least hitting set over all clashes: clashes without common rows bound it from below, and branching on which
row of a clash gives way finds it.
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
from oddlearn.solve.best_threshold import best_cut
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.max_margin import Clash, Sides
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState


@dataclass(frozen=True)
class SingleHyperplaneSolver:
    """The best diagram with one hyperplane, and a bound on all of them; resumes where it stopped."""

    name: ClassVar[str] = "single_hyperplane"

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
        text = f"{search.programs} linear programs on rows that no single hyperplane separates"
        bound = min(bounds.lower_bound(problem), state.objective)
        state = state.tighten(bounds, Evidence(self.name, bound, text, search.seconds))
        resumable = {**state.resumable, self.name: search}
        return replace(state, resumable=resumable).offer(search.diagram, trusted=False)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two classes on the two sides of a hyperplane.

    Attributes
    ----------
    regret : (m,) float
        Of the rows that one of both classes is cheaper for: what they pay for the other.
    base : float
        Cost when every row takes the cheaper of both classes.
    sides : Sides
        Of the same rows.
    """

    regret: FloatArray
    base: float
    sides: Sides

    @classmethod
    def of(cls, problem: TrainingProblem, first: int, second: int) -> Pair:
        """Return the pair of two classes."""
        cost = problem.cost[:, [first, second]]
        rows = np.flatnonzero(cost[:, 0] != cost[:, 1])
        positive = cost[rows, 1] < cost[rows, 0]
        sides = Sides(problem.data.X[rows], positive, problem.margin)
        return cls(np.abs(cost[rows, 0] - cost[rows, 1]), float(cost.min(axis=1).sum()), sides)


@dataclass(frozen=True, eq=False)
class HittingSetNode:
    """Some rows gave way, some may not, and the rest is open.

    Attributes
    ----------
    pair : Pair
    gave_way, stay : frozenset of int
        Places in the rows of the pair.
    cost : float
        With the regret of the rows that gave way.
    clash : Clash or None
        Rows of which one more must give way; None while that is not known.
    """

    pair: Pair
    gave_way: frozenset[int]
    stay: frozenset[int]
    cost: float
    clash: Clash | None = None


@dataclass
class SingleHyperplaneSearch:
    """The search for the least cost of a diagram with one multivariate split; goes on where it was left.

    Constraints are left out: the bound holds with them too, but the diagram may break them.

    Attributes
    ----------
    problem : TrainingProblem
    lower_bound : float
        No diagram with one split, or none, costs less.
    seconds : float
        Time spent so far.
    diagram : DecisionDiagram or None
        The best with one split that came by.
    """

    problem: TrainingProblem
    lower_bound: float = 0.0
    seconds: float = 0.0
    diagram: DecisionDiagram | None = None
    _cost: float = math.inf
    _settled: float = math.inf
    _pairs: list[Pair] = field(default_factory=list)
    _open: list[tuple[float, int, HittingSetNode]] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=count)

    @property
    def programs(self) -> int:
        """Linear programs solved."""
        return sum(pair.sides.programs for pair in self._pairs)

    def run(self, cutoff: float, budget: Budget) -> None:
        """Raise the lower bound until it reaches the cutoff or the least cost, or until time is up."""
        if not self._pairs:
            self._begin()
        while self._open and self._open[0][0] < min(cutoff, self._settled) and not budget.expired:
            bound, _, branch = heapq.heappop(self._open)
            if branch.clash is not None:
                self._part(branch, branch.clash, bound)
            elif not self._asked(branch, bound, cutoff, budget):
                self._push(bound, branch)
                break
        least = self._open[0][0] if self._open else math.inf
        self.lower_bound = max(self.lower_bound, min(least, cutoff, self._settled))

    def _begin(self) -> None:
        classes = range(self.problem.data.n_classes)
        self._pairs = [Pair.of(self.problem, *both) for both in combinations(classes, 2)]
        for pair in self._pairs:
            self._push(pair.base, HittingSetNode(pair, frozenset(), frozenset(), pair.base))

    def _push(self, bound: float, branch: HittingSetNode) -> None:
        heapq.heappush(self._open, (bound, next(self._numbers), branch))

    def _part(self, branch: HittingSetNode, clash: Clash, bound: float) -> None:
        """Let one row of the clash give way after the other; those before it stay where they want to be."""
        regret = branch.pair.regret
        free = [row for row in clash.rows.tolist() if row not in branch.stay]
        stay = set(branch.stay)
        # dear rows first: they are dropped soon, and the branches of the others have more that stay
        for row in sorted(free, key=lambda row: -regret[row]):
            cost = branch.cost + float(regret[row])
            given = branch.gave_way | {row}
            self._push(max(bound, cost), HittingSetNode(branch.pair, given, frozenset(stay), cost))
            stay.add(row)

    def _asked(self, branch: HittingSetNode, bound: float, cutoff: float, budget: Budget) -> bool:
        """Look for clashes that have no row in common; False when time was up before the first was known."""
        sides, regret = branch.pair.sides, branch.pair.regret
        released, packed, first = branch.gave_way, branch.cost, None
        while packed < cutoff:
            answer = sides.ask(released, budget)
            if answer is None:
                break
            if not isinstance(answer, Clash):
                self._measure(answer.weights)
                if first is None:
                    self._settled = min(self._settled, branch.cost)
                    return True
                break
            first = first or answer
            packed += min((regret[row] for row in answer.rows if row not in branch.stay), default=math.inf)
            released = released.union(answer.rows.tolist())
        if first is None:
            return False
        self._push(max(bound, float(packed)), replace(branch, clash=first))
        return True

    def _measure(self, weights: FloatArray) -> None:
        """Keep the best split along a direction if it is better than those before."""
        norm = float(np.abs(weights).sum())
        if norm == 0:
            return
        data, key = self.problem.data, self.problem.data.X @ (weights / norm)
        cost, threshold = best_cut(key, self.problem.cost, self.problem.margin)
        sides = (key < threshold, key >= threshold)
        codes = [int(self.problem.cost[side].sum(axis=0).argmin()) for side in sides]
        # where both sides take one class nothing is split
        if cost < self._cost and codes[0] != codes[1]:
            self._cost = cost
            arcs = (np.array([1 + codes[0]]), np.array([1 + codes[1]]), np.array([0]))
            split = MultivariateSplit(weights / norm, threshold)
            self.diagram = DecisionDiagram((split,), *arcs, data.n_classes, data.n_features)
