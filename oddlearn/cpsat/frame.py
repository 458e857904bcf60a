"""What a model is built for: a problem, a number of nodes and the skeleton cut to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.cpsat.features import Feature
from oddlearn.cpsat.whole import WholeCosts, WholeRow
from oddlearn.diagram.arrays import BoolArray, IntArray
from oddlearn.diagram.cut import cut_to
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.problem import TrainingProblem

# with more entries in the clauses a model takes gigabytes and gets nowhere
MOST_ENTRIES = 20_000_000


@dataclass(frozen=True, eq=False)
class Frame:
    """The diagrams with exactly ``count`` nodes.

    Attributes
    ----------
    problem : TrainingProblem
    count : int
    skeleton : Skeleton
        Cut to the count. Its slots are numbered anew; class c is ``skeleton.n_nodes + c`` as a target.
    features : tuple of Feature
    costs : WholeCosts
    rows : tuple of WholeRow
    orders_nodes : bool
        True when only one order of the nodes of a layer is allowed.
    """

    problem: TrainingProblem
    count: int
    skeleton: Skeleton
    features: tuple[Feature, ...]
    costs: WholeCosts
    rows: tuple[WholeRow, ...]
    orders_nodes: bool

    @classmethod
    def of(
        cls,
        problem: TrainingProblem,
        count: int,
        features: tuple[Feature, ...],
        costs: WholeCosts,
        rows: tuple[WholeRow, ...],
        order_nodes: bool,
    ) -> Frame:
        """Frame the diagrams with ``count`` nodes."""
        # a constraint on who reaches which slot tells the nodes of a layer apart
        orders_nodes = order_nodes and not any(is_reached(problem, row).any() for row in rows)
        return cls(problem, count, cut_to(problem.skeleton, count), features, costs, rows, orders_nodes)

    @property
    def original_slot(self) -> IntArray:
        """The slot of the problem's own skeleton for each slot, shape (n_nodes,)."""
        layer = self.skeleton.layer_of
        return self.problem.skeleton.first[layer] + np.arange(layer.size) - self.skeleton.first[layer]

    def next_slots(self, slot: int) -> range:
        """Return the slots of the layer below a slot."""
        layer = int(self.skeleton.layer_of[slot])
        if layer + 1 == self.skeleton.depth:
            return range(0)
        return range(int(self.skeleton.first[layer + 1]), int(self.skeleton.first[layer + 2]))

    @property
    def entries(self) -> int:
        """About how many entries the clauses of the model have."""
        n_rows = self.problem.data.n_rows
        below = sum(1 + len(self.next_slots(slot)) for slot in range(self.skeleton.n_nodes))
        return n_rows * (2 * len(self.features) * self.skeleton.n_nodes + 8 * below)


def is_reached(problem: TrainingProblem, row: WholeRow) -> BoolArray:
    """Return which entries of a row are about who reaches a slot, a mask of shape (k,)."""
    layout = problem.layout
    return np.asarray((row.places >= layout.reached[0, 0]) & (row.places < layout.used[0]))
