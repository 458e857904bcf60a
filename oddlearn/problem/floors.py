"""What each number of nodes must cost at least: the bound that all exact engines raise together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, read_only_floats
from oddlearn.problem.certificate import OPTIMALITY_TOLERANCE
from oddlearn.problem.lattice import Lattice
from oddlearn.problem.problem import TrainingProblem


@dataclass(frozen=True, eq=False)
class Floors:
    """A lower bound on the cost of the diagrams with each number of active nodes.

    Parameters
    ----------
    cost : (n_nodes,) float
        ``cost[k - 1]``: no diagram that needs all of its k active nodes costs less, in total, not divided by
        the weight; one that costs no less than with fewer of its nodes is covered by the floor of those. Of
        problems with constraints: no diagram that keeps them and, to do so or to cost so little, needs all.
        The root is always active: the constant diagram counts as k = 1. Inf when there is none. What soft
        rows add to the objective counts as cost, times the total weight.
    """

    cost: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", read_only_floats(self.cost))

    @classmethod
    def of(cls, costs: Sequence[float], n_nodes: int) -> Floors:
        """Return the floors whose first are given and whose last given one holds for all later counts."""
        given = np.array(costs[:n_nodes], dtype=np.float64)
        return cls(np.concatenate([given, np.full(n_nodes - given.size, given[-1])]))

    def objectives(self, problem: TrainingProblem) -> FloatArray:
        """Return a lower bound on the objective with k = 1, 2, ... nodes, each a possible value."""
        lattice = Lattice.of(problem)
        prices = problem.node_price * np.arange(self.cost.size)
        return np.asarray(lattice.round_up_costs(self.cost) / problem.total_weight + prices)

    def lower_bound(self, problem: TrainingProblem) -> float:
        """Return the least of all: no diagram has a lower objective."""
        return float(self.objectives(problem).min())

    def open_counts(self, problem: TrainingProblem, objective: float) -> tuple[int, ...]:
        """Return the numbers of nodes, ascending, with which the objective might still be beaten."""
        is_open = self.objectives(problem) < objective - OPTIMALITY_TOLERANCE
        return tuple((np.flatnonzero(is_open) + 1).tolist())

    def raised(self, count: int, cost: float) -> Floors:
        """Return the floors with the one of ``count`` nodes raised to ``cost`` if that is more."""
        costs = self.cost.copy()
        costs[count - 1] = max(costs[count - 1], cost)
        return Floors(costs)

    def raised_by(self, problem: TrainingProblem, count: int, objective: float) -> Floors:
        """Return the floors raised by a bound on the objective with ``count`` nodes; inf if none exist."""
        if math.isinf(objective):
            return self.raised(count, objective)
        return self.raised(count, (objective - problem.node_price * (count - 1)) * problem.total_weight)

    def merged(self, other: Floors) -> Floors:
        """Return the larger of both floors for every count."""
        return Floors(np.maximum(self.cost, other.cost))
