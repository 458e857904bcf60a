"""A search for diagrams with several hyperplanes, by gradient methods from random graphs and weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.random_graph import TERMINAL, Graph, draw_graph
from oddlearn.solve.construct.soft_diagram import OutOfTimeError, SoftFit, SoftTable
from oddlearn.solve.construct.soft_to_hard import build_hard_diagram, choose_thresholds
from oddlearn.solve.solver import (
    Emit,
    constraints_unsupported,
    term_limit_unsupported,
    univariate_unsupported,
)
from oddlearn.solve.state import MIN_SAVING, SolveState

# nodes of a random graph, unless the fewest with which a diagram could be better are nearly as many
MAX_NODES = 8
MORE_NODES = 3

# usual time of a hard diagram and its thresholds, per node and per number of the table too
SECONDS_PER_HARD_NODE = 3e-4
SECONDS_PER_HARD_CELL = 4e-8

# standard deviation of the first keys of rows, and of the first values of classes
KEY_SPREAD = 1.0
VALUE_SPREAD = 0.5

# the share of the first turns that it uses, with two classes and with more; it saves time for others after
# so much work without a better diagram, in seconds, down to the least share
FIRST_SHARE = (2.0, 0.5)
FAILED_WORK_FOR_HALF = 0.1
MAX_TURN = 10.0  # work of a turn of a budget without a limit on work
MIN_SHARE = 0.25

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
        reasons = univariate_unsupported(self.name, problem) or term_limit_unsupported(self.name, problem)
        return reasons or constraints_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Offer the diagrams of fits until the budget is spent; a turn too short for one is saved up."""
        from threadpoolctl import threadpool_limits

        search = state.resumable.get(self.name)
        if not isinstance(search, SoftSearch):
            search = SoftSearch(state.problem, np.random.default_rng(self.seed))
        search.saved += min(budget.remaining_work(), MAX_TURN) * search.choose_share(state)
        # threads of the linear algebra wait for each other: on a busy machine one is many times as fast
        with threadpool_limits(1):
            while search.saved > 0 and not budget.is_late and not state.is_finished:
                if budget.max_iter is not None and search.n_fits >= budget.max_iter:
                    break
                before, objective = budget.meter.seconds, state.objective
                try:
                    diagram = search.fit(search.draw(state), budget)
                except OutOfTimeError:
                    break
                work = budget.meter.seconds - before
                state = state.offer(diagram, trusted=False)
                search.saved -= work
                search.failed = 0.0 if state.objective < objective - MIN_SAVING else search.failed + work
        return state.store_resumable(self.name, search)


@dataclass
class SoftSearch:
    """The table of a problem, the random numbers, and the work that turns have saved up, in seconds."""

    problem: TrainingProblem
    random: np.random.Generator
    saved: float = 0.0
    n_fits: int = 0
    failed: float = 0.0  # work since the last better diagram, in seconds
    is_random: bool = True
    table: SoftTable = field(init=False)

    def __post_init__(self) -> None:
        self.table = SoftTable.from_problem(self.problem)

    def choose_share(self, state: SolveState) -> float:
        """Return the share of a turn to use: less without a better diagram, and for single hyperplanes."""
        if max(state.unresolved_node_counts, default=0) <= 1:
            return MIN_SHARE
        first = FIRST_SHARE[self.problem.data.n_classes > 2]
        return first * max(MIN_SHARE, 1 / (1 + self.failed / FAILED_WORK_FOR_HALF))

    def draw(self, state: SolveState) -> SoftFit:
        """Return the start of a fit: random, or near the incumbent every other time."""
        self.n_fits += 1
        every = RANDOM_EVERY[self.problem.data.n_classes > 2]
        can_be_better = [count for count in state.unresolved_node_counts if count > 1]
        self.is_random = not state.diagram.n_nodes or (bool(can_be_better) and self.n_fits % every == 1)
        if not self.is_random:
            return self._draw_near(state.diagram)
        most = max(MAX_NODES, min(can_be_better, default=1) + MORE_NODES)
        counts = [count for count in can_be_better if count <= most] or [1]
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
        return np.eye(2)[codes.ravel()]

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
        return SoftFit(Graph.of(diagram), weights, np.eye(self.problem.data.n_classes)[codes])

    def fit(self, start: SoftFit, budget: Budget) -> DecisionDiagram | None:
        """Return the diagram of a fit from a start; None if it is none of the problem."""
        if self.is_random or (start.graph.n_nodes > 1 and self.random.random() < 0.5):
            learns = self.problem.data.n_classes > 2 and self.is_random
            soft = start.fit(self.table, budget, learns_classes=learns)
        else:
            soft = start.minimise_cost(self.table, budget)
        per_node = SECONDS_PER_HARD_NODE + SECONDS_PER_HARD_CELL * self.problem.data.X.size
        budget.spend(per_node * start.graph.n_nodes)
        return choose_thresholds(self.problem, build_hard_diagram(self.problem, self.table, soft))
