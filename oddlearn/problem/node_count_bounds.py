"""Lower bounds for each number of nodes, and the values an objective can take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, read_only_floats
from oddlearn.problem.tolerances import GRID_TOLERANCE, OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem


@dataclass(frozen=True, eq=False)
class NodeCountBounds:
    """A lower bound on the cost of the diagrams with each number of active nodes.

    ``cost[k - 1]``: no diagram that needs all of its k active nodes costs less, in total, not divided by the
    weight; one that costs no less than with fewer of its nodes is covered by the bound of those. Of problems
    with constraints: no diagram that satisfies them and, to do so or to cost so little, needs all. The root
    is always active: the constant diagram counts as k = 1. Inf when there is none. What soft rows add to the
    objective counts as cost, times the total weight.
    """

    cost: FloatArray  # (n_nodes,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", read_only_floats(self.cost))

    @classmethod
    def from_costs(cls, costs: Sequence[float], n_nodes: int) -> NodeCountBounds:
        """Return the bounds whose first are given and whose last given one holds for all later counts."""
        given = np.array(costs[:n_nodes], dtype=np.float64)
        return cls(np.concatenate([given, np.full(n_nodes - given.size, given[-1])]))

    def objectives(self, problem: TrainingProblem) -> FloatArray:
        """Return a lower bound on the objective with k = 1, 2, ... nodes, each a possible value."""
        grid = ObjectiveGrid.from_problem(problem)
        prices = problem.node_price * np.arange(self.cost.size)
        return np.asarray(grid.round_up_costs(self.cost) / problem.total_weight + prices)

    def lower_bound(self, problem: TrainingProblem) -> float:
        """Return the least of all: no diagram has a lower objective."""
        return float(self.objectives(problem).min())

    def unresolved_node_counts(self, problem: TrainingProblem, objective: float) -> tuple[int, ...]:
        """Return the numbers of nodes, ascending, with which the objective might still be beaten."""
        is_open = self.objectives(problem) < objective - OPTIMALITY_TOLERANCE
        return tuple((np.flatnonzero(is_open) + 1).tolist())

    def tightened(self, count: int, cost: float) -> NodeCountBounds:
        """Return the bounds with the one of ``count`` nodes raised to ``cost`` if that is more."""
        costs = self.cost.copy()
        costs[count - 1] = max(costs[count - 1], cost)
        return NodeCountBounds(costs)

    def tightened_by_objective(
        self, problem: TrainingProblem, count: int, objective: float
    ) -> NodeCountBounds:
        """Return the bounds raised by a bound on the objective with ``count`` nodes; inf if none exist."""
        if math.isinf(objective):
            return self.tightened(count, objective)
        return self.tightened(count, (objective - problem.node_price * (count - 1)) * problem.total_weight)

    def merged(self, other: NodeCountBounds) -> NodeCountBounds:
        """Return the larger of both bounds for every count."""
        return NodeCountBounds(np.maximum(self.cost, other.cost))


@dataclass(frozen=True)
class ObjectiveGrid:
    """Values ``step * j / total_weight + node_price * k``, j = 0, 1, ..., k = 0..n_nodes-1.

    A step of 0 means that any value is possible: costs have no common divisor, or soft rows add theirs.
    """

    step: float
    total_weight: float
    node_price: float
    n_nodes: int

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> ObjectiveGrid:
        """Return the values the problem's objective can take."""
        step = 0.0 if problem.rows.any_soft else problem.cost_step
        return cls(step, problem.total_weight, problem.node_price, problem.skeleton.n_nodes)

    def round_up(self, bound: float) -> float:
        """Return the smallest possible value that is not below the bound, noise apart.

        When any value is possible, or the grid is finer than the noise, the bound is returned.
        """
        if not self._is_coarse:
            return bound
        prices = self.node_price * np.arange(self.n_nodes)
        steps = (bound - GRID_TOLERANCE - prices) * (self.total_weight / self.step)
        costs = np.maximum(0.0, np.ceil(steps)) * self.step
        return float((costs / self.total_weight + prices).min())

    def round_up_cost(self, cost: float) -> float:
        """Return the smallest possible total cost that is not below ``cost``, noise apart; inf stays."""
        return float(self.round_up_costs(np.array([cost]))[0])

    def round_up_costs(self, costs: FloatArray) -> FloatArray:
        """Return the smallest possible total cost that is not below each of ``costs``."""
        if not self._is_coarse:
            return costs
        steps = np.ceil((costs - GRID_TOLERANCE * self.total_weight) / self.step)
        return np.asarray(np.maximum(0.0, steps * self.step))

    @property
    def _is_coarse(self) -> bool:
        return self.step > 0 and self.step / self.total_weight > 2 * GRID_TOLERANCE
