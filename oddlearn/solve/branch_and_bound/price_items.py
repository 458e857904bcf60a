"""The rows of a problem as integer items with an integer price per node: the search by price is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import IntArray
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems

# sums of costs and prices stay below this: far from the overflow of 64 bits
MAX_TOTAL = 2**58

# beyond all costs: a budget of this size is as good as none
MAX_BUDGET = 2 * MAX_TOTAL

# sums of signed gains of two classes, doubled, fit into 32 bits
MAX_SIGNED_SUM = 2**29

# prices that are fractions of a unit with a denominator up to this are exact
MAX_DENOMINATOR = 2**16

# relative error of a price in units, after some multiplications
ROUNDING = 2.0**-48


@dataclass(frozen=True, eq=False)
class PriceItems:
    """Items with integer costs, and the price of a node in the same integers.

    The integer cost of a tree counts its errors above the least cost of each row, in ``unit`` per unit of
    ``items``, and its nodes beside the root. Where costs or the price had to be rounded it is at most a
    ``loss``, in units, above the cost.

    Attributes
    ----------
    items : WeightedItems
        The same in units: features, values and ranks.
    features : (d,) int
        Places among the features of ``items``: one that orders the rows as another does, or in reverse, is
        left out.
    rank, order : (d, n) int
    label, gain, base : (n,) int
    signed_gain : (n,) int
        Two classes: gain in units, below 0 for class 1; empty when there are more classes.
    unit : int
        All gains and bases are multiples of it.
    price : int
    least, scale, loss : float
        Least costs of all rows in units, units per cost, and the loss in units.
    """

    items: WeightedItems
    features: IntArray
    rank: NDArray[np.int32]
    order: NDArray[np.int32]
    label: NDArray[np.int32]
    gain: NDArray[np.int64]
    base: NDArray[np.int64]
    signed_gain: NDArray[np.int32]
    unit: int
    price: int
    least: float
    scale: float
    loss: float

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> PriceItems | None:
        """Return the items; None if the price is 0 or too small to be an integer, or nothing can be saved."""
        units = problem.cost_units
        cost, scale, loss = units.cost.astype(np.float64), units.scale, units.loss
        if units.step:
            cost, scale, loss = problem.cost / units.step, 1.0 / units.step, 0.0
        items = WeightedItems.from_costs(problem, cost, 1.0 / scale)
        total = float(items.base.sum())
        price_in_units = problem.node_price * problem.total_weight * scale
        unit, price = _scale_price(price_in_units, total)
        if price <= 0 or total <= 0:
            return None
        # rows that cost the same whatever their class are of no account
        kept = items.select_rows(np.bincount(items.row, items.base) > 0)
        features = _distinct_features(kept.rank, is_dense=kept is items)
        gain, base = np.rint(kept.gain).astype(np.int64), np.rint(kept.base).astype(np.int64)
        has_signs = problem.data.n_classes == 2 and int(gain.sum()) <= MAX_SIGNED_SUM
        signed = np.where(kept.label == 0, gain, -gain) if has_signs else np.empty(0)
        return cls(
            items=items,
            features=features,
            rank=np.ascontiguousarray(kept.rank[features]),
            order=np.ascontiguousarray(kept.order[features]),
            label=kept.label,
            gain=gain * unit,
            base=base * unit,
            signed_gain=signed.astype(np.int32),
            unit=unit,
            price=price,
            least=float(cost.min(axis=1).sum()),
            scale=scale,
            loss=loss,
        )

    def budget_of(self, cost: float) -> int:
        """Return an integer cost that every tree which costs less than ``cost``, nodes included, is below."""
        budget = self.unit * (self.scale * cost - self.least + self.loss) * (1 + ROUNDING)
        return math.ceil(min(budget, MAX_BUDGET))

    def lower_cost(self, integer: int) -> float:
        """Return a lower bound on the cost, nodes included, of trees with at least this integer cost."""
        return (integer / self.unit * (1 - ROUNDING) + self.least - self.loss) / self.scale


def _scale_price(price: float, total: float) -> tuple[int, int]:
    """Return integers per unit, and the price in them: exact if it can be, else rounded down."""
    if not 0 < price < MAX_TOTAL:
        return 1, 0
    fraction = Fraction(price).limit_denominator(MAX_DENOMINATOR)
    unit, number = fraction.denominator, fraction.numerator
    if abs(number / unit - price) <= ROUNDING * price and 8 * (total * unit + number) <= MAX_TOTAL:
        return unit, number
    unit = 2 ** max(0, math.floor(math.log2(MAX_TOTAL / (8 * (total + price)))))
    number = math.floor(price * unit)
    return (unit, number) if 8 * (total * unit + number) <= MAX_TOTAL else (1, 0)


def _distinct_features(rank: NDArray[np.int32], *, is_dense: bool) -> IntArray:
    """Return the features that vary, the first of those that order the rows alike or in reverse.

    ``is_dense``: each feature has every rank from 0 to its largest.
    """
    if not is_dense:
        rank = np.array([np.unique(ranks, return_inverse=True)[1] for ranks in rank]).reshape(rank.shape)
    largest = rank.max(axis=1, initial=0)
    reverse = largest[:, None] - rank
    found: dict[bytes, int] = {}
    for place in np.flatnonzero(largest).tolist():
        found.setdefault(min(rank[place].tobytes(), reverse[place].tobytes()), place)
    return np.array(list(found.values()), dtype=np.intp)
