"""The least cost of the diagrams of one topology, as a hitting set of cores.

A formula says how rows are routed: each row is an error or takes a way to its cheapest class. Conflict sets
are added to it when a solution has one. If no solution is left in which given rows are no errors, a core of
these rows is known: one of them is an error. Cores that are packed into the costs of the rows bound the cost
from below, and so do the rows that hit all cores at the least cost; if all other rows can be separated by
the hyperplanes of a diagram, that is the least cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_nearest_threshold
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.conflict_pool import ConflictPool
from oddlearn.solve.hyperplanes.conflict_sets import ConflictOracle, ConflictSet, Direction, SideArray
from oddlearn.solve.hyperplanes.least_hitting_set import HittingSetSearch
from oddlearn.solve.hyperplanes.routing_formula import RoutingFormula
from oddlearn.solve.hyperplanes.topologies import Topology

MAX_CONFLICTS = 2000  # of one call of the solver of formulas; it goes on where it was
MAX_CORE_CONFLICTS = 100  # of a call that tries to leave a row out of a core
# conflict sets of a solution that are added at once: where all fit in, the next solution follows a hyperplane
# (climate-simulation-crashes without error, two nodes: 0.1 s; with 12 2.7 s to more than 5)
SETS_PER_NODE = 100
FREE_SCALE = 0.15  # rows whose side is open are so much less preferred in a conflict set

SOLVED_TOLERANCE = 1e-6  # errors that cost more than the bound by this share of it are the least
ROUNDING = 1e-12  # rounding of sums of costs, as a share of them


@dataclass(frozen=True, eq=False)
class RoutedRows:
    """The rows of a problem, and the conflict sets found so far."""

    X: FloatArray
    oracle: ConflictOracle
    conflicts: ConflictPool = field(default_factory=ConflictPool)

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> RoutedRows:
        """Return the rows of a problem."""
        return cls(problem.data.X, ConflictOracle(problem.data.X, problem.margin))


class TopologySearch:
    """The search in one topology; it can be resumed."""

    def __init__(self, problem: TrainingProblem, rows: RoutedRows, topology: Topology) -> None:
        self.topology = topology
        self.is_solved = False
        self.has_ended = False  # solved, or the formula has become too large
        self.n_cores = 0
        self.work = 0.0  # in seconds
        self.diagram: DecisionDiagram | None = None  # the best found in the last run
        self._problem, self._rows = problem, rows
        cost = problem.cost[:, topology.codes]
        least = cost.min(axis=1)
        self._is_cheapest = cost == least[:, None]
        # what a row costs more, at least, that is an error; none is if all classes cost the same
        next_least = np.where(self._is_cheapest, np.inf, cost).min(axis=1)
        self._regret = np.where(np.isfinite(next_least), next_least, least) - least
        self.bound = self._base = float(least.sum())
        self._grid = ObjectiveGrid.from_problem(problem)
        self._random = np.random.default_rng(0)
        self._kept = self._regret > 0  # rows that must be no errors in the present formula
        self._residual: FloatArray | None = self._regret.copy()  # not yet taken by a core; None once all are
        self._packed = 0.0  # cost of the cores that are packed
        self._n_cores_before = -1  # at the end of the last round

    @cached_property
    def _formula(self) -> RoutingFormula:
        return RoutingFormula(self.topology, self._is_cheapest)

    @cached_property
    def _hitting_sets(self) -> HittingSetSearch:
        return HittingSetSearch(self._regret, self._round_up)

    @property
    def first_bound(self) -> float:
        """The bound before any work."""
        return self._base

    @property
    def has_begun(self) -> bool:
        """True once the formula is written."""
        return "_formula" in self.__dict__

    def run(self, budget: Budget, cutoff: float = math.inf) -> None:
        """Raise the bound until it is at the cutoff, a diagram is found, or the budget is spent."""
        self.diagram, before = None, budget.meter.seconds
        while not self.has_ended and self.diagram is None and self.bound < cutoff and not budget.expired:
            answer = self._formula.solve(np.flatnonzero(self._kept), MAX_CONFLICTS, budget)
            self.has_ended = self._formula.is_large
            if answer is None:
                continue
            if not answer:
                self._take_core(self._shrink_core(self._formula.core_rows(), budget))
                continue
            directions = self._separate(budget)
            if directions is not None:
                self._end_round(directions, budget)
        self.work += budget.meter.seconds - before

    def _take_core(self, core: IntArray) -> None:
        """Keep a core; of its rows, those need not be kept whose cost is taken by cores."""
        assert core.size, "all rows may leave every node on one side"
        self.n_cores += 1
        self._hitting_sets.add(core)
        if self._residual is None:
            self._kept[core] = False
            return
        least = float(self._residual[core].min())
        self._residual[core] -= least
        self._packed += least
        self.bound = max(self.bound, self._base + self._packed * (1 - ROUNDING))
        self._kept[core[self._residual[core] <= ROUNDING * self._regret[core]]] = False

    def _end_round(self, directions: list[FloatArray], budget: Budget) -> None:
        """All kept rows can be separated: take the diagram, and the next rows that hit all cores."""
        self.diagram = self._build_diagram(directions, budget)
        errors = float(self._regret[~self._kept].sum())
        # exact sets take long: only where a good one has led to no more cores
        is_quiet = self.n_cores == self._n_cores_before
        hitting = self._hitting_sets.run(budget) if is_quiet else self._hitting_sets.relax(budget)
        if hitting is None:
            return
        self._n_cores_before = self.n_cores
        self._residual = None
        self.bound = max(self.bound, self._base + hitting.bound)
        self.is_solved = errors <= self._round_up(hitting.bound) * (1 + SOLVED_TOLERANCE)
        self.has_ended = self.has_ended or self.is_solved
        self._kept = ~hitting.is_hit & (self._regret > 0)

    def _round_up(self, regret: float) -> float:
        """Return the least possible sum of regrets that is not below one."""
        return self._grid.round_up_cost(self._base + regret) - self._base

    def _shrink_core(self, core: IntArray, budget: Budget) -> IntArray:
        """Leave out rows without which the core is one."""
        for row in self._random.permutation(core).tolist():
            if budget.is_late:
                break
            if row in core and self._formula.solve(core[core != row], MAX_CORE_CONFLICTS, budget) is False:
                core = self._formula.core_rows()
        return core

    def _separate(self, budget: Budget) -> list[FloatArray] | None:
        """Return the weights of all nodes; None if conflict sets were added, or without time."""
        sides = self._formula.needed_sides(self._kept)
        if self._add_violated(sides, budget):
            return None
        distances, before = np.zeros(sides.shape), len(self._rows.conflicts)
        directions = list[FloatArray]()
        for node in range(self.topology.n_nodes):
            directions.append(self._find_conflicts(sides[:, node].copy(), node, distances, budget))
        self._formula.prefer(distances)
        if len(self._rows.conflicts) > before or budget.is_late:
            return None
        for node in range(self.topology.n_nodes):
            answer = self._rows.oracle.decide(np.ascontiguousarray(sides[:, node]), budget)
            if answer is None:
                return None
            if isinstance(answer, ConflictSet):
                self._add_conflict(answer)
                return None
            directions[node] = answer.weights
        return directions

    def _add_violated(self, sides: SideArray, budget: Budget) -> bool:
        """Add conflict sets of other topologies that the sides (n, k) have; return True if there are any."""
        violated = [
            conflict
            for node in range(self.topology.n_nodes)
            for conflict in self._rows.conflicts.find_violated(sides[:, node], budget)[:SETS_PER_NODE]
        ]
        for conflict in violated:
            self._formula.add(conflict)
        return bool(violated)

    def _add_conflict(self, conflict: ConflictSet) -> None:
        self._rows.conflicts.add(conflict)
        self._formula.add(conflict)

    def _find_conflicts(
        self, sides: SideArray, node: int, distances: FloatArray, budget: Budget
    ) -> FloatArray:
        """Add conflict sets of the sides; write the distances to the hyperplane that is left."""
        scale = np.where(self._formula.is_fixed[:, node], 1.0, FREE_SCALE)
        for _ in range(SETS_PER_NODE):
            answer = self._rows.oracle.find(sides, budget, scale)
            if isinstance(answer, Direction):
                distances[:, node] = self._signed_distances(sides, answer.weights)
                return answer.weights
            self._add_conflict(answer)
            free = answer.rows[~self._formula.is_fixed[answer.rows, node]]
            sides[self._random.choice(free if free.size else answer.rows)] = 0
        return np.zeros(self._rows.X.shape[1])

    def _signed_distances(self, sides: SideArray, weights: FloatArray) -> FloatArray:
        """Return the distances of all rows to the hyperplane in the middle between those of both sides."""
        key, norm = self._rows.X @ weights, float(np.linalg.norm(weights))
        low, high = key[sides < 0], key[sides > 0]
        if not low.size or not high.size or norm == 0:
            return np.zeros(key.size)
        return np.asarray((key - (low.max() + high.min()) / 2) / norm)

    def _build_diagram(self, directions: list[FloatArray], budget: Budget) -> DecisionDiagram | None:
        """Return the diagram of the directions, with thresholds that keep the margin for all rows."""
        sides_of, data = self._formula.needed_sides(self._kept), self._problem.data
        arriving = {0: np.ones(data.n_rows, dtype=bool)}
        splits = list[MultivariateSplit]()
        for node, weights in enumerate(directions):
            sides, norm = sides_of[:, node], float(np.abs(weights).sum())
            weights = weights / norm if norm > 0 else np.eye(data.n_features)[0]
            own, key, reached = self._rows.X @ weights, data.X @ weights, arriving.get(node)
            ends = own[sides < 0].max(initial=key.min() - 1), own[sides > 0].min(initial=key.max() + 1)
            threshold = (ends[0] + ends[1]) / 2
            near = find_nearest_threshold(key[reached], threshold, self._problem.margin)
            threshold = near if near is not None and sides.any() and min(ends) > -np.inf else threshold
            splits.append(MultivariateSplit(weights, threshold))
            for side, target in enumerate(self.topology.targets[node]):
                if target >= 0:
                    taken = reached & ((key >= threshold) == bool(side))
                    arriving[target] = arriving.get(target, False) | taken
        k = self.topology.n_nodes
        arcs = np.array([[t if t >= 0 else k - 1 - t for t in pair] for pair in self.topology.targets])
        layers = self._layers()
        return DecisionDiagram(tuple(splits), arcs[:, 0], arcs[:, 1], layers, data.n_classes, data.n_features)

    def _layers(self) -> IntArray:
        layers = np.zeros(self.topology.n_nodes, dtype=np.intp)
        for node, targets in enumerate(self.topology.targets):
            for target in targets:
                if target >= 0:
                    layers[target] = layers[node] + 1
        return layers
