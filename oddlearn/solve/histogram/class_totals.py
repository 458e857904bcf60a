"""Lower bounds for large tables from the weight of each class: k nodes predict at most k + 1 classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from oddlearn.problem.certificate import Evidence
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.root_bounds.class_count_bound import costs_by_class_count
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState

CLASS_COUNT = "k nodes predict at most k + 1 classes"


@dataclass(frozen=True)
class ClassTotalBounds:
    """Bounds that need the weight of each class alone: rows of one class cost the same in any other.

    They take hundredths of a second, and are the same in any time.
    """

    name: ClassVar[str] = "class_count"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why there are no such bounds."""
        if isinstance(problem.data, LargeData):
            return []
        return [f'The solver "{self.name}" takes large tables only.']

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds of all numbers of nodes."""
        problem, data, started = state.problem, state.problem.data, budget.elapsed()
        if not isinstance(data, LargeData):
            return state
        group_cost = data.class_totals[:, None] * data.cost_matrix
        costs = costs_by_class_count(group_cost, problem.skeleton.n_nodes, Budget.of(None))
        bounds = state.bounds.merged(NodeCountBounds.from_costs(costs, problem.skeleton.n_nodes))
        lower_bound = bounds.lower_bound(problem)
        return state.tighten(
            bounds, Evidence(self.name, lower_bound, CLASS_COUNT, budget.elapsed() - started)
        )
