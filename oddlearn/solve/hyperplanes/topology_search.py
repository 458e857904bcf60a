"""The least cost of the diagrams of one topology, as a hitting set of cores.

A formula says how rows are routed: row r leaves node v on its negative or on its positive side, and is
given its cheapest class unless it is an error. Conflict sets are added to it when a solution has one. If no
solution is left in which given rows are no errors, a core of these rows is known: one of them is an error.
Rows that hit all cores at the least cost bound the cost from below; if all other rows can be separated by
the hyperplanes of a diagram, the bound is the least cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.kernels.hyperplanes.sat_solver import SatSolver
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.regret import regrets
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_nearest_threshold
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.conflict_sets import ConflictOracle, ConflictSet, Direction, SideArray
from oddlearn.solve.hyperplanes.least_hitting_set import HittingSetSearch
from oddlearn.solve.hyperplanes.topologies import Topology

MAX_CONFLICTS = 2000  # of one call of the solver of formulas; it goes on where it was
MAX_CORE_CONFLICTS = 100  # of a call that tries to leave a row out of a core
SETS_PER_NODE = 12  # conflict sets of a solution that are added at once
FREE_SCALE = 0.15  # rows whose side is open are so much less preferred in a conflict set

SOLVED_TOLERANCE = 1e-6  # errors that cost more than the bound by this share of it are the least

# usual time of a call of the solver of formulas, and of a clause that it looks at
SECONDS_PER_CALL = 2e-4
SECONDS_PER_CLAUSE = 1.5e-8


@dataclass(frozen=True, eq=False)
class RoutedRows:
    """The rows of a problem, and the conflict sets found so far."""

    X: FloatArray
    code: IntArray  # (n,): cheapest class, the first if there are several
    regret: FloatArray  # (n,): what another class costs more, at least
    base: float  # cost when every row takes its cheapest class
    oracle: ConflictOracle
    conflicts: list[ConflictSet] = field(default_factory=list)

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> RoutedRows:
        """Return the rows of a problem."""
        X, code = problem.data.X, problem.cost.argmin(axis=1)
        base = float(problem.cost.min(axis=1).sum())
        return cls(X, code, regrets(problem.cost), base, ConflictOracle(X, problem.margin))


class TopologySearch:
    """The search in one topology; it can be resumed."""

    def __init__(self, problem: TrainingProblem, rows: RoutedRows, topology: Topology) -> None:
        self.topology, self.bound = topology, rows.base
        self.is_solved = False
        self.has_ended = False  # solved, or the formula has become too large
        self.n_cores = 0
        self.diagram: DecisionDiagram | None = None  # the best found in the last run
        self._problem, self._rows = problem, rows
        self._n, self._k = rows.code.size, topology.n_nodes
        self._formula = SatSolver(self._n * (2 * self._k + 1))
        self._grid = ObjectiveGrid.from_problem(problem)
        self._hitting_sets = HittingSetSearch(rows.regret, self._round_up)
        self._n_conflicts = 0  # of the rows that are in the formula
        self._random = np.random.default_rng(0)
        self._kept = np.ones(self._n, dtype=bool)  # rows that must be no errors in the present formula
        self._is_fixed = self._write_routes()

    def run(self, budget: Budget) -> None:
        """Raise the bound until the topology is solved or the budget is spent."""
        while not self.has_ended and not budget.expired:
            kept = np.flatnonzero(self._kept)
            answer = self._solve(kept, MAX_CONFLICTS, budget)
            self.has_ended = self._formula.is_large
            if answer is None:
                continue
            if not answer:
                core = self._shrink_core(self._core_rows(), budget)
                assert core.size, "all rows may leave every node on one side"
                self.n_cores += 1
                self._hitting_sets.add(core)
                self._kept[core] = False
                continue
            directions = self._separate(budget)
            if directions is not None:
                self._end_round(directions, budget)

    def _end_round(self, directions: list[FloatArray], budget: Budget) -> None:
        """All kept rows can be separated: take the diagram, and the next rows that hit all cores."""
        self.diagram = self._build_diagram(directions, budget)
        errors = float(self._rows.regret[~self._kept].sum())
        hitting = self._hitting_sets.run(budget)
        if hitting is None:
            return
        self.bound = max(self.bound, self._rows.base + hitting.bound)
        self.is_solved = errors <= self._round_up(hitting.bound) * (1 + SOLVED_TOLERANCE)
        self.has_ended = self.has_ended or self.is_solved
        self._kept = ~hitting.is_hit

    def _round_up(self, regret: float) -> float:
        """Return the least possible sum of regrets that is not below one."""
        return self._grid.round_up_cost(self._rows.base + regret) - self._rows.base

    def _literal(self, rows: IntArray, node: int, side: int) -> IntArray:
        """Return the literals that rows leave a node on a side, 0 or 1."""
        return 2 * (rows * (2 * self._k + 1) + 2 * node + side)

    def _error(self, rows: IntArray) -> IntArray:
        return 2 * (rows * (2 * self._k + 1) + 2 * self._k)

    def _add(self, *literals: IntArray) -> None:
        """Add a clause for each row: one literal of each array."""
        self._formula.add_clauses(np.column_stack(literals).astype(np.int32))

    def _write_routes(self) -> BoolArray:
        """Add the clauses of all routes; return which rows have one side at each node, (n, k)."""
        rows, is_fixed = np.arange(self._n), np.zeros((self._n, self._k), dtype=bool)
        for node, targets in enumerate(self.topology.targets):
            sides = [self._literal(rows, node, side) for side in (0, 1)]
            self._add(sides[0] ^ 1, sides[1] ^ 1)
            if node == 0:
                self._add(*sides)
            for side, target in enumerate(targets):
                if target >= 0:
                    further = [self._literal(rows, target, other) for other in (0, 1)]
                    self._add(sides[side] ^ 1, *further)
                else:
                    wrong = rows[self._rows.code != -1 - target]
                    self._add(sides[side][wrong] ^ 1, self._error(wrong))
        for code in np.unique(self._rows.code).tolist():
            steps = [set(path) for path in self.topology.paths(code)]
            for node, _ in set.intersection(*steps) if steps else ():
                is_fixed[self._rows.code == code, node] = True
        return is_fixed

    def _solve(self, kept: IntArray, max_conflicts: int, budget: Budget) -> bool | None:
        for conflict in self._rows.conflicts[self._n_conflicts :]:
            for node in range(self._k):
                sides = [self._literal(conflict.rows, node, side) for side in (0, 1)]
                positive = conflict.sides > 0
                for first, second in (sides, sides[::-1]):
                    self._formula.add_clause((np.where(positive, second, first) ^ 1).astype(np.int32))
        self._n_conflicts = len(self._rows.conflicts)
        before = self._formula.n_steps
        answer = self._formula.solve((self._error(kept) ^ 1).astype(np.int32), max_conflicts)
        budget.spend(SECONDS_PER_CALL + SECONDS_PER_CLAUSE * (self._formula.n_steps - before))
        return answer

    def _core_rows(self) -> IntArray:
        return np.asarray(self._formula.core() // 2 // (2 * self._k + 1), dtype=np.intp)

    def _shrink_core(self, core: IntArray, budget: Budget) -> IntArray:
        """Leave out rows without which the core is one."""
        for row in self._random.permutation(core).tolist():
            if budget.is_late:
                break
            if row in core and self._solve(core[core != row], MAX_CORE_CONFLICTS, budget) is False:
                core = self._core_rows()
        return core

    def _sides(self, model: BoolArray, node: int) -> SideArray:
        """Return the sides that rows take at a node, 0 for those that do not reach it."""
        rows = np.arange(self._n)
        taken = [model[self._literal(rows, node, side) // 2] for side in (0, 1)]
        return taken[1].astype(np.int8) - taken[0].astype(np.int8)

    def _separate(self, budget: Budget) -> list[FloatArray] | None:
        """Return the weights of all nodes; None if conflict sets were added, or without time."""
        model, before, directions = self._formula.model(), len(self._rows.conflicts), list[FloatArray]()
        for node in range(self._k):
            directions.append(self._find_conflicts(self._sides(model, node), node, budget))
        if len(self._rows.conflicts) > before or budget.is_late:
            return None
        for node in range(self._k):
            answer = self._rows.oracle.decide(self._sides(model, node), budget)
            if answer is None:
                return None
            if isinstance(answer, ConflictSet):
                self._rows.conflicts.append(answer)
                return None
            directions[node] = answer.weights
        return directions

    def _find_conflicts(self, sides: SideArray, node: int, budget: Budget) -> FloatArray:
        """Add conflict sets of the sides; let the solver prefer those of the direction that is left."""
        scale = np.where(self._is_fixed[:, node], 1.0, FREE_SCALE)
        given = sides.copy()
        for _ in range(SETS_PER_NODE):
            answer = self._rows.oracle.find(sides, budget, scale)
            if isinstance(answer, Direction):
                self._prefer(given, node, answer.weights)
                return answer.weights
            self._rows.conflicts.append(answer)
            free = answer.rows[~self._is_fixed[answer.rows, node]]
            sides[self._random.choice(free if free.size else answer.rows)] = 0
        return np.zeros(self._rows.X.shape[1])

    def _prefer(self, sides: SideArray, node: int, weights: FloatArray) -> None:
        """Set the phases of all rows at a node to the sides of a hyperplane between those given."""
        key = self._rows.X @ weights
        low, high = key[sides < 0], key[sides > 0]
        if not low.size or not high.size:
            return
        positive = key >= (np.median(low) + np.median(high)) / 2
        rows = np.arange(self._n)
        wanted = [self._literal(rows, node, side) ^ (positive != side) for side in (0, 1)]
        self._formula.set_phases(np.concatenate(wanted).astype(np.int32))

    def _build_diagram(self, directions: list[FloatArray], budget: Budget) -> DecisionDiagram | None:
        """Return the diagram of the directions, with thresholds that keep the margin for all rows."""
        model, data = self._formula.model(), self._problem.data
        arriving = {0: np.ones(data.n_rows, dtype=bool)}
        splits = list[MultivariateSplit]()
        for node, weights in enumerate(directions):
            sides, norm = self._sides(model, node), float(np.abs(weights).sum())
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
        arcs = np.array([[t if t >= 0 else self._k - 1 - t for t in pair] for pair in self.topology.targets])
        layers = self._layers()
        return DecisionDiagram(tuple(splits), arcs[:, 0], arcs[:, 1], layers, data.n_classes, data.n_features)

    def _layers(self) -> IntArray:
        layers = np.zeros(self._k, dtype=np.intp)
        for node, targets in enumerate(self.topology.targets):
            for target in targets:
                if target >= 0:
                    layers[target] = layers[node] + 1
        return layers
