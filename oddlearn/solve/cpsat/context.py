"""The context of a model: a problem, a node count, the truncated skeleton and the features by rank."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.cut import cut_to
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import MARGIN_TOLERANCE
from oddlearn.problem.problem import TrainingProblem
from oddlearn.solve.cpsat.integer_scaling import IntegerCosts, IntegerRow

# a model with more entries in its clauses takes gigabytes and gets nowhere
MAX_ENTRIES = 20_000_000


@dataclass(frozen=True, eq=False)
class RankedFeature:
    """A feature that can part rows, as places in ascending order.

    A place is a value; values that no split can part, each within the margin of the next and all within the
    margin of each other, share a place.

    Attributes
    ----------
    index : int
    low : (k,) float
        Lowest value of each place.
    rows : tuple of (.,) int
        The rows at each place.
    nearest : (k,) int
        With a place on the negative side, the last one that cannot be on the positive side: the place itself
        or a higher one within the margin.
    skippable : (k,) bool
        True for places within the margin of both neighbours. The empty gap between two sides may have to
        contain them: a node with such a place inside its gap is one that no row of the place reaches.
    """

    index: int
    low: FloatArray
    rows: tuple[IntArray, ...]
    nearest: IntArray
    skippable: BoolArray

    @property
    def n_places(self) -> int:
        """Number of places."""
        return int(self.low.size)

    @classmethod
    def from_column(cls, index: int, column: FloatArray, margin: float) -> RankedFeature:
        """Read a feature from the column (m,) of its values."""
        gap = margin - MARGIN_TOLERANCE
        values, rank = np.unique(column, return_inverse=True)
        place_of = _places(values, gap)
        low = values[np.searchsorted(place_of, np.arange(place_of[-1] + 1))]
        nearest = _nearest(low, gap)
        is_close = nearest[:-1] > np.arange(low.size - 1)
        none = np.array([False])
        skippable = np.concatenate([none, is_close]) & np.concatenate([is_close, none])
        order = np.argsort(place_of[rank], kind="stable")
        rows = tuple(np.split(order, np.cumsum(np.bincount(place_of[rank]))[:-1]))
        return cls(index, low, rows, nearest, skippable)


@dataclass(frozen=True, eq=False)
class ModelContext:
    """The context of a model of all diagrams with exactly ``count`` nodes.

    Attributes
    ----------
    problem : TrainingProblem
    count : int
    skeleton : Skeleton
        Truncated to the count. Its slots are numbered anew; class c is ``skeleton.n_nodes + c`` as a target.
    features : tuple of RankedFeature
    costs : IntegerCosts
    rows : tuple of IntegerRow
    orders_nodes : bool
        True when only one order of the nodes of a layer is allowed.
    """

    problem: TrainingProblem
    count: int
    skeleton: Skeleton
    features: tuple[RankedFeature, ...]
    costs: IntegerCosts
    rows: tuple[IntegerRow, ...]
    orders_nodes: bool

    @classmethod
    def build(
        cls,
        problem: TrainingProblem,
        count: int,
        features: tuple[RankedFeature, ...],
        costs: IntegerCosts,
        rows: tuple[IntegerRow, ...],
        order_nodes: bool,
    ) -> ModelContext:
        """Return the context of the diagrams with ``count`` nodes."""
        # a constraint on who reaches which slot tells the nodes of a layer apart
        orders_nodes = order_nodes and not any(reached_mask(problem, row).any() for row in rows)
        return cls(problem, count, cut_to(problem.skeleton, count), features, costs, rows, orders_nodes)

    @property
    def original_slots(self) -> IntArray:
        """The slot of the problem's skeleton for each slot, shape (n_nodes,)."""
        layer = self.skeleton.layer_of
        return self.problem.skeleton.first[layer] + np.arange(layer.size) - self.skeleton.first[layer]

    def next_slots(self, slot: int) -> range:
        """Return the slots of the layer below a slot."""
        layer = int(self.skeleton.layer_of[slot])
        if layer + 1 == self.skeleton.depth:
            return range(0)
        return range(int(self.skeleton.first[layer + 1]), int(self.skeleton.first[layer + 2]))

    @property
    def n_entries(self) -> int:
        """Estimated number of entries in the clauses of the model."""
        n_rows = self.problem.data.n_rows
        below = sum(1 + len(self.next_slots(slot)) for slot in range(self.skeleton.n_nodes))
        return n_rows * (2 * len(self.features) * self.skeleton.n_nodes + 8 * below)


def reached_mask(problem: TrainingProblem, row: IntegerRow) -> BoolArray:
    """Return the mask (k,) of the entries of a row whose observables are rows reaching a slot."""
    layout = problem.layout
    return np.asarray((row.observables >= layout.reached[0, 0]) & (row.observables < layout.used[0]))


def rank_features(problem: TrainingProblem) -> tuple[RankedFeature, ...]:
    """Return the features that can part rows, one of those that part them alike."""
    kept: dict[bytes, RankedFeature] = {}
    for index in range(problem.data.n_features):
        feature = RankedFeature.from_column(index, problem.data.X[:, index], problem.margin)
        if feature.n_places > 1:
            kept.setdefault(_content(feature), feature)
    return tuple(kept.values())


def _places(values: FloatArray, gap: float) -> IntArray:
    """Return the place of each value: differences are compared with the gap as in ``evaluate``."""
    starts = np.flatnonzero(np.diff(values, prepend=-np.inf) >= gap)
    is_new = np.ones(values.size, dtype=bool)
    for first, end in pairwise([*starts.tolist(), values.size]):
        # a chain of close values is one place if its ends are close
        if values[end - 1] - values[first] < gap:
            is_new[first + 1 : end] = False
    return np.asarray(np.cumsum(is_new) - 1)


def _nearest(low: FloatArray, gap: float) -> IntArray:
    """Return the last place less than the gap above each, or itself.

    A place of several values has no other within the gap: its lowest value speaks for it.
    """
    nearest = np.arange(low.size)
    last = 0
    for place in range(low.size):
        last = max(last, place)
        while last + 1 < low.size and low[last + 1] - low[place] < gap:
            last += 1
        nearest[place] = last
    return nearest


def _content(feature: RankedFeature) -> bytes:
    """Return what a feature can do: the order of the rows and the near places."""
    order = np.concatenate(feature.rows)
    counts = np.array([rows.size for rows in feature.rows])
    return order.tobytes() + counts.tobytes() + feature.nearest.tobytes()
