"""The rows of a problem as weighted items: the gain of each row from each class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.problem.training_problem import TrainingProblem

# sums of gains up to these fit into 16 and 32 bits
MAX_INT16_SUM = 32_000
MAX_INT32_SUM = 2_000_000_000


@dataclass(frozen=True, eq=False)
class WeightedItems:
    """The gains of rows from classes, over the costliest class of the row; each row has one item or more.

    Costs are counted in units, from each row's cheapest class: a total cost is ``units * step + least``.

    Attributes
    ----------
    features : (d,) int
        The features that vary, in the numbering of the problem.
    values : list of (n_values,) float
        Distinct values of each of them, ascending.
    rank, order : (d, n)
        Place of each item's row among the values, and the items in the order of the feature.
    row, label, gain, base : (n,)
        Row, class, gain, and the largest cost of the row at its first item, 0 at its others.
    step, least : float
    """

    features: IntArray
    values: tuple[FloatArray, ...]
    rank: NDArray[np.int32]
    order: NDArray[np.int32]
    row: IntArray
    label: NDArray[np.int32]
    gain: FloatArray
    base: FloatArray
    step: float
    least: float

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> WeightedItems:
        """Return the items of a problem."""
        step = problem.cost_units.step or 1.0
        return cls.from_costs(problem, problem.cost / step, step)

    @classmethod
    def from_costs(cls, problem: TrainingProblem, cost: FloatArray, step: float) -> WeightedItems:
        """Return the items of the rows of a problem with costs (m, n_classes) in units of ``step``."""
        row, label, gain, base = _gains(cost)
        columns, features = problem.data.ranked_columns, np.flatnonzero(problem.data.spans > 0)
        values, rank = columns.all_values_and_ranks(features)
        order = columns.orders()[features]
        if row.size > problem.data.n_rows:
            rank = np.ascontiguousarray(rank[:, row])
            order = np.array([_order_items(rows, row) for rows in order]).astype(np.int32)
        return cls(
            features=features,
            values=values,
            rank=rank,
            order=order.reshape(features.size, row.size),
            row=row,
            label=label.astype(np.int32),
            gain=gain,
            base=base,
            step=step,
            least=float(problem.cost.min(axis=1).sum()),
        )

    def select_rows(self, rows: BoolArray) -> WeightedItems:
        """Return the items of some rows; features, values and ranks stay those of all rows."""
        if rows.all():
            return self
        mask = rows[self.row]
        place = np.cumsum(mask, dtype=np.int32) - 1
        return replace(
            self,
            rank=np.ascontiguousarray(self.rank[:, mask]),
            order=np.array([place[items[mask[items]]] for items in self.order], dtype=np.int32),
            row=self.row[mask],
            label=self.label[mask],
            gain=self.gain[mask],
            base=self.base[mask],
        )

    @property
    def narrow(self) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        """Signed gains and gains in the narrowest numbers that hold all their sums exactly."""
        # ranks are compared as such numbers, too
        largest = max(float(self.gain.sum()), float(self.rank.max() + 1))
        is_integer = bool((self.gain == np.floor(self.gain)).all())
        kind = np.float64 if not is_integer or largest > MAX_INT32_SUM else np.int32
        kind = np.int16 if is_integer and largest <= MAX_INT16_SUM else kind
        gain = np.ascontiguousarray(self.gain.astype(kind))
        sign = np.where(self.label == 0, gain, -gain).astype(kind)
        return np.ascontiguousarray(sign), gain

    def to_units(self, cost: float) -> float:
        """Return a total cost of the problem in units."""
        return (cost - self.least) / self.step

    def from_units(self, units: float) -> float:
        """Return a cost in units as a total cost of the problem."""
        return units * self.step + self.least


def _order_items(order: NDArray[np.int32], row: IntArray) -> IntArray:
    """Return the items in the order of their rows; those of one row, which stand together, stay in theirs."""
    n_items = np.bincount(row, minlength=order.size)
    first = np.cumsum(n_items) - n_items
    counts = n_items[order]
    starts = np.cumsum(counts) - counts
    return np.repeat(first[order] - starts, counts) + np.arange(row.size)


def _gains(cost: FloatArray) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return row, class and gain of each item, and the rows' largest costs at their first items."""
    regret = cost - cost.min(axis=1, keepdims=True)
    largest = regret.max(axis=1)
    gain = largest[:, None] - regret
    counts = gain > 0
    # a row that gains nothing anywhere is still moved by splits
    counts[~counts.any(axis=1), 0] = True
    row, label = np.nonzero(counts)
    is_first = np.diff(row, prepend=-1) > 0
    return row, label, gain[row, label], np.where(is_first, largest[row], 0.0)
