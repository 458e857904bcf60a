"""The best hyperplane of one node after the other, given what the rows cost on both of its sides.

All other nodes stay as they are. The rows that arrive at a node and their costs on its two sides are a
problem with two classes and one hyperplane, which branch and cut solves in slices (``branch_and_cut``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import costs_to_go, route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.linear_rows import concatenate_rows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import SAME
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.branch_and_cut import SingleHyperplaneSearch
from oddlearn.solve.hyperplanes.polish import accept_if_no_worse
from oddlearn.solve.solver import Emit, univariate_unsupported
from oddlearn.solve.state import SolveState

# work at a node before the next one has its turn, in seconds; it is doubled each time round
FIRST_SLICE = 0.02


@dataclass(frozen=True)
class NodeHyperplanes:
    """A search that gives one node of the incumbent after the other its best hyperplane."""

    name: ClassVar[str] = "node_hyperplanes"
    is_resumable: ClassVar[bool] = True

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the search cannot take the problem."""
        return univariate_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Improve the nodes until each is proved to have its best hyperplane or the budget is spent."""
        search = state.resumable.get(self.name)
        while state.diagram.n_nodes > 1 and not budget.expired:
            if not isinstance(search, NodeSearches) or search.diagram is not state.diagram:
                search = NodeSearches(state.problem, state.diagram)
            diagram = search.improve(budget)
            if diagram is not None:  # one that is refused leaves the others to be searched
                state = state.offer(diagram, trusted=False)
            elif search.is_finished:
                search = None
                break
        return state.store_resumable(self.name, search if state.diagram.n_nodes > 1 else None)


@dataclass
class NodeSearches:
    """The searches at the nodes of a diagram, which take turns."""

    problem: TrainingProblem
    diagram: DecisionDiagram
    _slice: float = FIRST_SLICE
    _waiting: list[int] = field(default_factory=list)  # nodes that have not had their turn
    # searches by node, with what the node costs now
    _open: dict[int, tuple[SingleHyperplaneSearch, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        costs = costs_to_go(self.diagram, self.problem.data.X, self.problem.cost)
        trace = route_reference(self.diagram, self.problem.data.X)
        for node in range(self.diagram.n_nodes):
            negative, positive = costs[self.diagram.negative[node]], costs[self.diagram.positive[node]]
            reached = trace.reached[:, node]
            problem = build_node_problem(self.problem, reached, negative, positive)
            if problem is not None:
                paid = float(np.where(trace.sides[:, node], positive, negative)[reached].sum())
                self._open[node] = SingleHyperplaneSearch(problem), paid
        self._waiting = list(self._open)

    @property
    def is_finished(self) -> bool:
        """True when every node is proved to have its best hyperplane."""
        return not self._open

    def improve(self, budget: Budget) -> DecisionDiagram | None:
        """Return a better diagram; None if there is none, or not in the budget."""
        value = evaluate(self.problem, self.diagram)
        while self._open and not budget.expired:
            if not self._waiting:
                self._waiting, self._slice = list(self._open), 2 * self._slice
            node = self._waiting.pop()
            search, paid = self._open[node]
            before = search.diagram
            search.run(paid - SAME * self.problem.total_weight, budget.limit_work(self._slice))
            if search.is_solved or search.lower_bound >= paid - 2 * SAME * self.problem.total_weight:
                del self._open[node]
            if search.diagram is before or search.diagram is None:
                continue
            split = orient_split(search.diagram)
            changed, new = accept_if_no_worse(self.problem, self.diagram, value, node, split)
            if (new.violation, new.objective) < (value.violation, value.objective - SAME):
                return changed
        return None


def build_node_problem(
    problem: TrainingProblem, reached: BoolArray, negative: FloatArray, positive: FloatArray
) -> TrainingProblem | None:
    """Return the problem of one hyperplane whose classes are the two sides; None if they cost the same.

    ``reached`` (n,): True for the rows at the node. ``negative``, ``positive`` (n,): cost on each side.
    """
    rows = np.flatnonzero(reached)
    cost = np.column_stack([negative[rows], positive[rows]])
    if not rows.size or (cost[:, 0] == cost[:, 1]).all():
        return None
    data = TrainingData(problem.data.X[rows], cost, np.arange(rows.size))
    skeleton = Skeleton((1,))
    no_rows = concatenate_rows([], ObservableLayout(rows.size, 2, skeleton).size)
    return TrainingProblem(data, skeleton, cost, 0.0, problem.split, problem.margin, no_rows)


def orient_split(diagram: DecisionDiagram) -> MultivariateSplit:
    """Return the split of a diagram with one node so that its class 1 is on the positive side."""
    split = diagram.splits[0]
    assert isinstance(split, MultivariateSplit)
    if diagram.positive[0] == diagram.n_nodes + 1:
        return split
    return MultivariateSplit(-split.weights, -split.threshold)
