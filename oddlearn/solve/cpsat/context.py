"""The context of a model: a problem, a node count, the truncated skeleton and the features by rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.skeleton import Skeleton, truncate_skeleton
from oddlearn.problem.cost_units import CostUnits, IntegerRow
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.problem.training_problem import TrainingProblem

# a model with more entries in its clauses takes gigabytes and gets nowhere
MAX_ENTRIES = 20_000_000


@dataclass(frozen=True, eq=False)
class RankedFeature:
    """A feature with more than one value, its distinct values in ascending order."""

    index: int
    values: FloatArray  # (k,)
    rows: tuple[NDArray[np.int32], ...]  # the rows with each value

    @property
    def n_values(self) -> int:
        """Number of distinct values."""
        return int(self.values.size)

    @classmethod
    def from_columns(cls, columns: RankedColumns, index: int) -> RankedFeature:
        """Return a column of a table with the rows of each value."""
        values, ranks = columns.values_and_ranks(index)
        rows = tuple(np.split(columns.order(index), np.cumsum(np.bincount(ranks))[:-1]))
        return cls(index, values, rows)


@dataclass(frozen=True, eq=False)
class ModelContext:
    """The context of a model of all diagrams with exactly ``count`` nodes."""

    problem: TrainingProblem
    count: int
    # truncated to the count. Its slots are numbered anew; class c is ``skeleton.n_nodes + c`` as a target.
    skeleton: Skeleton
    features: tuple[RankedFeature, ...]
    costs: CostUnits
    rows: tuple[IntegerRow, ...]
    orders_nodes: bool  # True when only one order of the nodes of a layer is allowed

    @classmethod
    def build(
        cls,
        problem: TrainingProblem,
        count: int,
        features: tuple[RankedFeature, ...],
        costs: CostUnits,
        rows: tuple[IntegerRow, ...],
        order_nodes: bool,
    ) -> ModelContext:
        """Return the context of the diagrams with ``count`` nodes."""
        # a constraint on who reaches which slot tells the nodes of a layer apart
        orders_nodes = order_nodes and not any(reached_mask(problem, row).any() for row in rows)
        skeleton = truncate_skeleton(problem.skeleton, count)
        return cls(problem, count, skeleton, features, costs, rows, orders_nodes)

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
    """Return the features that can split rows, one of those that rank all rows alike."""
    kept: dict[bytes, RankedFeature] = {}
    for index in range(problem.data.n_features):
        feature = RankedFeature.from_columns(problem.data.ranked_columns, index)
        if feature.n_values > 1:
            kept.setdefault(_ranking(feature), feature)
    return tuple(kept.values())


def _ranking(feature: RankedFeature) -> bytes:
    """Return the order of the rows and the number of rows with each value."""
    order = np.concatenate(feature.rows)
    counts = np.array([rows.size for rows in feature.rows])
    return order.tobytes() + counts.tobytes()
