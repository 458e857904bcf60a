"""The best single hyperplane, by branch and cut.

With classes a and b on the two sides, every row is cheaper on one side and pays its regret on the other.
The rows on their costly side are a hitting set of conflict sets (``hitting_set_program``). A node of the
search has rows on their cheaper and rows on their costly side. Cuts are sought for the values of its
relaxation: rows with a value near 0 or 1 have a side, and each conflict set of them is a cut; one of its
rows is left out, and the next one is sought. The hyperplane that is left at the end is a candidate.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from itertools import combinations, count

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_stump
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.conflict_sets import ConflictOracle, ConflictSet, SideArray
from oddlearn.solve.hyperplanes.hitting_set_program import Cut, HittingSetProgram

# doubt of a value: its distance from the nearer of 0 and 1. Rows of more have no side when cuts are sought
MAX_DOUBT = 0.45
INTEGRAL = 1e-6  # values of less doubt are integers
MIN_VIOLATION = 0.01  # a cut that is violated by less is not added

# passes for cuts with random scales of the rows after one without, and the spread of the scales
NOISY_PASSES = 3
NOISE = 0.5
SCALE_OFFSET = 0.1  # rows without doubt are so much preferred to doubtful ones
MAX_MISSES = 20  # conflict sets of a pass that are no violated cuts

# cuts that raise the bound by a smaller share of what is missing are the last before branching
MIN_PROGRESS = 0.002


@dataclass(frozen=True, eq=False)
class ClassPair:
    """Two classes on the two sides of a hyperplane, and the rows that are cheaper on one of them."""

    cheaper: SideArray  # (m,): 1 for rows that are cheaper on the positive side, -1 for others
    regret: FloatArray  # (m,): cost of the other side
    base: float  # cost when every row takes the cheaper of both classes
    oracle: ConflictOracle  # of the same rows
    program: HittingSetProgram

    @classmethod
    def from_problem(cls, problem: TrainingProblem, first: int, second: int) -> ClassPair | None:
        """Return the pair of two classes; None if no row is cheaper on one of them."""
        cost = problem.cost[:, [first, second]]
        rows = np.flatnonzero(cost[:, 0] != cost[:, 1])
        if not rows.size:
            return None
        cheaper = np.where(cost[rows, 1] < cost[rows, 0], 1, -1).astype(np.int8)
        regret = np.abs(cost[rows, 0] - cost[rows, 1])
        oracle = ConflictOracle(problem.data.X[rows], problem.margin)
        return cls(cheaper, regret, float(cost.min(axis=1).sum()), oracle, HittingSetProgram(regret))

    def sides_of(self, values: FloatArray) -> SideArray:
        """Return the side of each row if those of value 1 are on their costly side."""
        return np.where(values > 0.5, -self.cheaper, self.cheaper).astype(np.int8)

    def build_cut(self, conflict: ConflictSet) -> Cut:
        """Return the cut of a conflict set."""
        return Cut(conflict.rows, conflict.sides != self.cheaper[conflict.rows])


@dataclass(frozen=True, eq=False)
class BranchNode:
    """A node of the search: limits of the values of the rows, False for 0 and True for 1."""

    pair: ClassPair
    lower: BoolArray
    upper: BoolArray

    def children(self, row: int) -> tuple[BranchNode, BranchNode]:
        """Return the nodes in which a row is on its cheaper and on its costly side."""
        upper, lower = self.upper.copy(), self.lower.copy()
        upper[row], lower[row] = False, True
        return BranchNode(self.pair, self.lower, upper), BranchNode(self.pair, lower, self.upper)


@dataclass
class SingleHyperplaneSearch:
    """A best-first search for the least cost of a diagram with one multivariate split; it can be resumed.

    Constraints are left out: the bound holds with them too, but the diagram may violate them.
    """

    problem: TrainingProblem
    lower_bound: float = 0.0  # no diagram with one split, or none, costs less
    seconds: float = 0.0  # time spent so far
    diagram: DecisionDiagram | None = None  # the best diagram with one split found so far
    n_nodes: int = 0
    n_cuts: int = 0
    _cost: float = math.inf  # of the diagram
    _solved_cost: float = math.inf  # least cost of the nodes that were solved
    _open: list[tuple[float, int, BranchNode]] = field(default_factory=list)
    _ids: count[int] = field(default_factory=count)
    _random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def __post_init__(self) -> None:
        self._grid = ObjectiveGrid.from_problem(self.problem)

    @property
    def is_solved(self) -> bool:
        """True when the lower bound is the least cost."""
        return self.lower_bound >= self._limit(math.inf)

    def run(self, cutoff: float, budget: Budget) -> None:
        """Raise the lower bound until it reaches the cutoff or the least cost, or until time is up."""
        if self.n_nodes == 0:
            self._create_roots()
        while self._open and self._round_up(self._open[0][0]) < self._limit(cutoff) and not budget.expired:
            bound, _, node = heapq.heappop(self._open)
            self._process(node, bound, cutoff, budget)
        least = self._round_up(self._open[0][0]) if self._open else math.inf
        self.lower_bound = max(self.lower_bound, min(least, self._limit(cutoff)))

    def _limit(self, cutoff: float) -> float:
        """Return the bound from which on a node need not be looked at."""
        return min(cutoff, self._cost, self._solved_cost)

    def _create_roots(self) -> None:
        self._solved_cost = float(self.problem.cost.sum(axis=0).min())
        for first, second in combinations(range(self.problem.data.n_classes), 2):
            pair = ClassPair.from_problem(self.problem, first, second)
            if pair is not None:
                lower, upper = np.zeros(pair.regret.size, dtype=bool), np.ones(pair.regret.size, dtype=bool)
                self._push(pair.base, BranchNode(pair, lower, upper))
        self.n_nodes = 1

    def _push(self, bound: float, node: BranchNode) -> None:
        if bound < self._cost:
            heapq.heappush(self._open, (bound, next(self._ids), node))

    def _process(self, node: BranchNode, bound: float, cutoff: float, budget: Budget) -> None:
        """Add cuts until the node is solved, pruned, or to be branched on; or push it back without time."""
        pair, lower, upper = node.pair, node.lower.copy(), node.upper.copy()
        while True:
            pair.program.limit(lower, upper)
            relaxed = pair.program.solve(budget)
            if relaxed is None:
                return self._push(bound, node)
            limit, before = self._limit(cutoff), bound
            bound = max(bound, pair.base + relaxed.bound)
            if self._round_up(bound) >= limit:
                return self._push(limit, node)
            self._fix_values(pair.base + relaxed.bound, relaxed.reduced_cost, limit, lower, upper)
            doubt = np.minimum(relaxed.values, 1 - relaxed.values)
            if doubt.max(initial=0.0) < INTEGRAL:
                answer = pair.oracle.decide(pair.sides_of(relaxed.values), budget)
                if not isinstance(answer, ConflictSet):
                    if answer is None:
                        return self._push(bound, node)
                    self._try_direction(answer.weights)
                    self._solved_cost = min(self._solved_cost, bound)
                    return None
                cuts = [pair.build_cut(answer)]
            else:
                cuts = self._find_cuts(pair, relaxed.values, doubt, budget)
            has_stalled = bound - before < MIN_PROGRESS * (limit - bound)
            if not has_stalled:
                pair.program.drop_slack_cuts()
            if cuts:
                pair.program.add(cuts)
                self.n_cuts += len(cuts)
            if budget.expired:
                return self._push(bound, node)
            if doubt.max(initial=0.0) >= INTEGRAL and (has_stalled or not cuts):
                return self._branch(node, bound, doubt)

    def _round_up(self, cost: float) -> float:
        return self._grid.round_up_cost(cost) if math.isfinite(cost) else cost

    def _fix_values(
        self, bound: float, reduced: FloatArray, limit: float, lower: BoolArray, upper: BoolArray
    ) -> None:
        """Set the limits of those values whose change would raise the bound to the limit."""
        is_fixed = self._grid.round_up_costs(bound + np.abs(reduced)) >= limit
        upper[is_fixed & (reduced > 0) & ~lower] = False
        lower[is_fixed & (reduced < 0) & upper] = True

    def _branch(self, node: BranchNode, bound: float, doubt: FloatArray) -> None:
        """Push both nodes of the row of most doubt, costly rows first."""
        self.n_nodes += 1
        row = int((doubt * np.sqrt(node.pair.regret)).argmax())
        for child in node.children(row):
            self._push(bound, child)

    def _find_cuts(self, pair: ClassPair, values: FloatArray, doubt: FloatArray, budget: Budget) -> list[Cut]:
        """Return violated cuts of several passes."""
        cuts: dict[bytes, Cut] = {}
        for is_noisy in [False] + [True] * NOISY_PASSES:
            sides, scale = pair.sides_of(values), 1.0 / (doubt + SCALE_OFFSET)
            seen = doubt
            if is_noisy:
                scale = scale * np.exp(NOISE * self._random.standard_normal(doubt.size))
                seen = doubt + NOISE / 10 * self._random.standard_normal(doubt.size)
            sides[seen >= MAX_DOUBT] = 0
            for cut in self._find_pass(pair, sides, doubt, scale / scale.max(), budget):
                cuts[np.sort(cut.rows).tobytes()] = cut
            if budget.expired:
                break
        return list(cuts.values())

    def _find_pass(
        self, pair: ClassPair, sides: SideArray, doubt: FloatArray, scale: FloatArray, budget: Budget
    ) -> list[Cut]:
        """Return violated cuts, leaving out the most doubtful row of each before the next is sought."""
        cuts, misses = list[Cut](), 0
        while misses <= MAX_MISSES and not budget.expired:
            answer = pair.oracle.find(sides, budget, scale)
            if not isinstance(answer, ConflictSet):
                self._try_direction(answer.weights)
                break
            total = float(doubt[answer.rows].sum())
            if total < 1 - MIN_VIOLATION:
                cuts.append(pair.build_cut(answer))
            else:
                misses += 1
            sides[self._most_doubtful(answer.rows, doubt)] = 0
        return cuts

    def _most_doubtful(self, rows: IntArray, doubt: FloatArray) -> int:
        """Return the row of most doubt, one at random among those that are equal."""
        return int(rows[(doubt[rows] + 1e-3 * self._random.random(rows.size)).argmax()])

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
