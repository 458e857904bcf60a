"""The rows of a problem as items: what each row gains from each class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.problem.node_count_bounds import Lattice
from oddlearn.problem.training_problem import TrainingProblem

# sums of gains up to these fit into 16 and 32 bits
LARGEST_SHORT = 32_000
LARGEST_INT = 2_000_000_000


@dataclass(frozen=True, eq=False)
class Items:
    """An item is a row's gain from one class over its dearest class; every row has one item or more.

    Costs are counted in steps of the lattice, from each row's cheapest class: a total cost is
    ``(own cost of the items) * step + least``.

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
    def of(cls, problem: TrainingProblem) -> Items:
        """List the items of a problem."""
        step = Lattice.of(problem).step or 1.0
        row, label, gain, base = _gains(problem.cost / step)
        X = problem.data.X
        features = np.flatnonzero(np.ptp(X, axis=0) > 0)
        ranked = [np.unique(X[:, feature], return_inverse=True) for feature in features]
        rank = np.array([places[row] for _, places in ranked], dtype=np.int32).reshape(
            features.size, row.size
        )
        return cls(
            features=features,
            values=tuple(values for values, _ in ranked),
            rank=rank,
            order=np.argsort(rank, axis=1, kind="stable").astype(np.int32),
            row=row,
            label=label.astype(np.int32),
            gain=gain,
            base=base,
            step=step,
            least=float(problem.cost.min(axis=1).sum()),
        )

    def kept(self, rows: BoolArray) -> Items:
        """Return the items of some rows; features, values and ranks stay those of all rows."""
        is_kept = rows[self.row]
        place = np.cumsum(is_kept, dtype=np.int32) - 1
        return replace(
            self,
            rank=np.ascontiguousarray(self.rank[:, is_kept]),
            order=np.array([place[items[is_kept[items]]] for items in self.order], dtype=np.int32),
            row=self.row[is_kept],
            label=self.label[is_kept],
            gain=self.gain[is_kept],
            base=self.base[is_kept],
        )

    @property
    def narrow(self) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        """Signed gains and gains in the narrowest numbers that hold all their sums exactly."""
        # ranks are compared as such numbers, too
        largest = max(float(self.gain.sum()), float(self.rank.max() + 1))
        whole = bool((self.gain == np.floor(self.gain)).all())
        kind = np.float64 if not whole or largest > LARGEST_INT else np.int32
        kind = np.int16 if whole and largest <= LARGEST_SHORT else kind
        gain = np.ascontiguousarray(self.gain.astype(kind))
        sign = np.where(self.label == 0, gain, -gain).astype(kind)
        return np.ascontiguousarray(sign), gain

    def own(self, cost: float) -> float:
        """Return a total cost of the problem in the items' own terms."""
        return (cost - self.least) / self.step

    def total(self, own: float) -> float:
        """Return a cost in the items' own terms as a total cost of the problem."""
        return own * self.step + self.least


def _gains(cost: FloatArray) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return row, class and gain of each item, and the rows' largest costs at their first items."""
    regret = cost - cost.min(axis=1, keepdims=True)
    largest = regret.max(axis=1)
    gain = largest[:, None] - regret
    counts = gain > 0
    # a row that gains nothing anywhere is still in the way of splits
    counts[~counts.any(axis=1), 0] = True
    row, label = np.nonzero(counts)
    is_first = np.diff(row, prepend=-1) > 0
    return row, label, gain[row, label], np.where(is_first, largest[row], 0.0)
