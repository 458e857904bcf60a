"""A search for diagrams with several hyperplanes, by gradient methods from random graphs and weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_threshold, find_nearest_threshold
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.construct.random_graph import TERMINAL, Graph, draw_graph
from oddlearn.solve.construct.soft_diagram import (
    MAX_COST_STEPS,
    MAX_LIKELIHOOD_STEPS,
    OutOfTimeError,
    SoftFit,
    SoftTable,
    one_hot,
)
from oddlearn.solve.hyperplanes.polish import accept_if_no_worse, costs_to_go
from oddlearn.solve.solver import Emit, constraints_unsupported
from oddlearn.solve.state import MIN_SAVING, SolveState

MAX_NODES = 8

# standard deviation of the first keys of rows, and of the first values of classes
KEY_SPREAD = 1.0
VALUE_SPREAD = 0.5

# a turn is used by half after so many fits without a better diagram; and the least share
FAILURES_FOR_HALF = 8
MIN_SHARE = 0.125

# every so many fits the start is random, with two classes and with more: then it is seldom of use
RANDOM_EVERY = (2, 4)

# spread of the noise on the weights of an incumbent, as a share of their size
MAX_NOISE = 0.5


@dataclass(frozen=True)
class SoftDiagrams:
    """Diagrams whose hyperplanes are fitted all at once, from random graphs and from the incumbent.

    A fit has a soft diagram of the largest likelihood, then of the least expected cost, and takes over its
    hyperplanes.
    """

    seed: int = 0

    name: ClassVar[str] = "soft_diagrams"
    is_resumable: ClassVar[bool] = True

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem."""
        if problem.split != "multivariate":
            return [f'The solver "{self.name}" takes multivariate splits only, not {problem.split} ones.']
        if problem.term_limit is not None:
            return [f'The solver "{self.name}" takes weighted sums of any number of terms only.']
        return constraints_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Offer the diagrams of fits until the budget is spent; a turn too short for one is saved up."""
        search = state.resumable.get(self.name)
        if not isinstance(search, SoftSearch):
            search = SoftSearch(state.problem, np.random.default_rng(self.seed))
        search.saved += budget.remaining_work() * search.share
        while search.saved > 0 and not budget.is_late and not state.is_finished:
            before = budget.meter.seconds
            graph = search.draw(state)
            try:
                diagram = search.fit(graph, budget)
            except OutOfTimeError:
                break
            search.saved -= budget.meter.seconds - before
            objective = state.objective
            state = state.offer(diagram, trusted=False)
            search.n_failed = 0 if state.objective < objective - MIN_SAVING else search.n_failed + 1
        return state.store_resumable(self.name, search)


@dataclass
class SoftSearch:
    """The table of a problem, the random numbers, and the work that turns have saved up, in seconds."""

    problem: TrainingProblem
    random: np.random.Generator
    saved: float = 0.0
    n_fits: int = 0
    n_failed: int = 0  # since the last better diagram
    is_random: bool = True
    table: SoftTable = field(init=False)

    def __post_init__(self) -> None:
        self.table = SoftTable.from_problem(self.problem)

    @property
    def share(self) -> float:
        """The share of its turns that it uses: less and less without a better diagram."""
        return max(MIN_SHARE, 1 / (1 + self.n_failed / FAILURES_FOR_HALF))

    def draw(self, state: SolveState) -> SoftFit:
        """Return the start of a fit: random, or near the incumbent every other time."""
        self.n_fits += 1
        counts = [count for count in state.unresolved_node_counts if count > 1]
        every = RANDOM_EVERY[self.problem.data.n_classes > 2]
        self.is_random = not state.diagram.n_nodes or (bool(counts) and self.n_fits % every == 1)
        if not self.is_random:
            return self._draw_near(state.diagram)
        counts = [count for count in counts if count <= max(MAX_NODES, counts[0] + 3)] or [1]
        graph = draw_graph(self.problem.skeleton, int(self.random.choice(counts)), self.random)
        weights = self.random.normal(size=(graph.n_nodes, len(self.table.columns)))
        weights *= KEY_SPREAD / np.sqrt(len(self.table.columns))
        return SoftFit(graph, weights, self._draw_values(graph))

    def _draw_values(self, graph: Graph) -> FloatArray:
        n_classes = self.problem.data.n_classes
        if n_classes > 2:
            return self.random.normal(scale=VALUE_SPREAD, size=(2 * graph.n_nodes, n_classes))
        codes = self.random.integers(2, size=(graph.n_nodes, 2))
        for node, targets in enumerate(graph.targets):
            if targets == (TERMINAL, TERMINAL):
                codes[node, 1] = 1 - codes[node, 0]
        return one_hot(codes.ravel(), 2)

    def _draw_near(self, diagram: DecisionDiagram) -> SoftFit:
        n_features, table = self.problem.data.n_features, self.table
        dense = np.array([split.dense_weights(n_features) for split in diagram.splits])
        thresholds = np.array([split.threshold for split in diagram.splits])
        weights = np.column_stack([dense * table.scale, dense @ table.mean - thresholds])
        key = weights @ table.columns
        weights /= np.maximum(np.median(np.abs(key), axis=1, keepdims=True), MARGIN_TOLERANCE)
        size = np.sqrt((weights[:, :-1] ** 2).mean(axis=1, keepdims=True))
        noise = MAX_NOISE * self.random.random() * size
        weights = weights + noise * self.random.normal(size=weights.shape)
        codes = np.maximum(diagram.arc_class, 0)
        return SoftFit(Graph.of(diagram), weights, one_hot(codes, self.problem.data.n_classes))

    def fit(self, start: SoftFit, budget: Budget) -> DecisionDiagram | None:
        """Return the diagram of a fit from a start; None if it is none of the problem."""
        if self.is_random or (start.graph.n_nodes > 1 and self.random.random() < 0.5):
            learns = self.problem.data.n_classes > 2 and self.is_random
            soft = start.fit(self.table, budget, learns_classes=learns)
        else:
            soft = start.minimise_cost(self.table, budget)
        return self.polish(self.harden(soft))

    def harden(self, soft: SoftFit) -> DecisionDiagram:
        """Return the diagram with the hyperplanes of a soft one, and at each terminal the cheapest class."""
        problem, table = self.problem, self.table
        X, cost = problem.data.X, problem.cost
        builder = DiagramBuilder.empty(problem)
        arriving: dict[int, list[tuple[int, IntArray]]] = {0: [(-1, np.arange(problem.data.n_rows))]}
        for node, targets in enumerate(soft.graph.targets):
            parts = arriving.get(node, [])
            rows = np.concatenate([part for _, part in parts]) if parts else np.empty(0, dtype=np.intp)
            if rows.size < 2:
                continue
            weights = soft.weights[node, :-1] / table.scale
            norm = float(np.abs(weights).sum())
            if norm == 0:
                continue
            split = MultivariateSplit(weights / norm, 0.0)
            key = split.key(X[rows])
            at = float(table.mean @ weights - soft.weights[node, -1]) / norm
            threshold = find_nearest_threshold(key, at, problem.margin + MARGIN_TOLERANCE)
            if threshold is None:
                continue
            positive = key >= threshold
            sides = (rows[~positive], rows[positive])
            arcs = [arc for arc, _ in parts if arc >= 0]
            costs = [cost[part].sum(axis=0) for part in sides]
            number = builder.add(soft.graph.layers[node], split.with_threshold(threshold), arcs, costs)
            for side, target in enumerate(targets):
                if target >= 0:
                    arriving.setdefault(target, []).append((2 * number + side, sides[side]))
        return builder.prune().build()

    def polish(self, diagram: DecisionDiagram) -> DecisionDiagram | None:
        """Return the diagram with the best threshold of each node, the others fixed."""
        problem = self.problem
        try:
            value = evaluate(problem, diagram)
        except DiagramMisfitError:
            return None
        for node in range(diagram.n_nodes - 1, -1, -1):
            costs = costs_to_go(problem, diagram)
            reached = route_reference(diagram, problem.data.X).reached[:, node]
            negative, positive = (
                costs[targets[node]][reached] for targets in (diagram.negative, diagram.positive)
            )
            split = diagram.splits[node]
            assert isinstance(split, MultivariateSplit)
            key = split.key(problem.data.X[reached])
            least, threshold = find_best_threshold(key, negative, positive, problem.margin + MARGIN_TOLERANCE)
            if np.isfinite(least):
                diagram, value = accept_if_no_worse(
                    problem, diagram, value, node, split.with_threshold(threshold)
                )
        return diagram
