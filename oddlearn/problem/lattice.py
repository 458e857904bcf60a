"""The values an objective can take, and rounding of bounds up to the next of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.problem import TrainingProblem

# a bound this little above a possible value counts as that value: it is noise of floating point
LATTICE_TOLERANCE = 1e-9

# above this, whole numbers are not exact in float64
LARGEST_WHOLE = 2.0**53


@dataclass(frozen=True)
class Lattice:
    """Values ``step * j / total_weight + node_price * k``, j = 0, 1, ..., k = 0..n_nodes-1.

    A step of 0 means that any value is possible: costs are not whole numbers, or soft rows add theirs.
    """

    step: float
    total_weight: float
    node_price: float
    n_nodes: int

    @classmethod
    def of(cls, problem: TrainingProblem) -> Lattice:
        """Return the values the problem's objective can take."""
        step = 0.0 if problem.rows.any_soft else _common_step(problem.cost)
        return cls(step, problem.total_weight, problem.node_price, problem.skeleton.n_nodes)

    def round_up(self, bound: float) -> float:
        """Return the smallest possible value that is not below the bound, noise apart.

        When any value is possible, or the lattice is finer than the noise, the bound is returned.
        """
        if not self._is_coarse:
            return bound
        prices = self.node_price * np.arange(self.n_nodes)
        steps = (bound - LATTICE_TOLERANCE - prices) * (self.total_weight / self.step)
        costs = np.maximum(0.0, np.ceil(steps)) * self.step
        return float((costs / self.total_weight + prices).min())

    def round_up_cost(self, cost: float) -> float:
        """Return the smallest possible total cost that is not below ``cost``, noise apart; inf stays."""
        return float(self.round_up_costs(np.array([cost]))[0])

    def round_up_costs(self, costs: FloatArray) -> FloatArray:
        """Return the smallest possible total cost that is not below each of ``costs``."""
        if not self._is_coarse:
            return costs
        steps = np.ceil((costs - LATTICE_TOLERANCE * self.total_weight) / self.step)
        return np.asarray(np.maximum(0.0, steps * self.step))

    @property
    def _is_coarse(self) -> bool:
        return self.step > 0 and self.step / self.total_weight > 2 * LATTICE_TOLERANCE


def _common_step(cost: np.ndarray) -> float:
    """Return the greatest common divisor of all costs, 0 when they are not exact whole numbers."""
    if cost.max(initial=0.0) * max(1, cost.shape[0]) > LARGEST_WHOLE or (cost != np.floor(cost)).any():
        return 0.0
    return float(np.gcd.reduce(np.unique(cost).astype(np.int64)))
