"""A diagram over the bins of a table: a node's positive side is a range of bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.slot_diagram import Slots, assign_slots, diagram_from_slots, slots_from_diagram
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.kernels.histogram.bins import MISSING_BIN
from oddlearn.kernels.histogram.layer_histogram import RowPass
from oddlearn.kernels.local_search.search_table import EVERYTHING_POSITIVE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.histogram.binned_rows import BinnedRows
from oddlearn.solve.histogram.binned_table import BinnedTable


@dataclass(eq=False)
class BinnedDiagram:
    """Arrays of a diagram by the slots of its skeleton, changed in place.

    Attributes
    ----------
    child : (n_slots, 2) int32
        Negative and positive target; ``n_slots + c`` is class c.
    column : (n_slots,) int32
        Column of the binned table.
    low, high : (n_slots,) uint8
        First and last bin of the positive side; 0 and 255 where all rows are positive.
    active : (n_slots,) uint8
    """

    child: NDArray[np.int32]
    column: NDArray[np.int32]
    low: NDArray[np.uint8]
    high: NDArray[np.uint8]
    active: NDArray[np.uint8]

    @classmethod
    def from_diagram(
        cls, problem: TrainingProblem, table: BinnedTable, diagram: DecisionDiagram
    ) -> BinnedDiagram:
        """Return the diagram over bins; a threshold becomes the first edge at or above it."""
        slots = slots_from_diagram(diagram, problem.skeleton)
        n_slots = slots.active.size
        column, low = np.zeros(n_slots, dtype=np.int32), np.zeros(n_slots, dtype=np.uint8)
        high = np.full(n_slots, MISSING_BIN, dtype=np.uint8)
        column_of = {int(feature): place for place, feature in enumerate(table.features)}
        for slot, split in zip(assign_slots(diagram, problem.skeleton).tolist(), diagram.splits, strict=True):
            if isinstance(split, UnivariateSplit) and split.feature in column_of:
                column[slot] = column_of[split.feature]
                low[slot], high[slot] = _positive_bins(table.edges[column[slot]], split)
        return cls(slots.child.astype(np.int32), column, low, high, slots.active.astype(np.uint8))

    def to_diagram(self, problem: TrainingProblem, table: BinnedTable) -> DecisionDiagram:
        """Return the diagram in the units of the problem; thresholds are edges."""
        n_slots = self.active.size
        splits = [self._split(table, slot) for slot in range(n_slots)]
        feature = np.array([EVERYTHING_POSITIVE if split is None else split.feature for split in splits])
        slots = Slots(
            self.child.astype(np.intp),
            feature,
            np.zeros(n_slots),
            np.zeros((n_slots, problem.data.n_features)),
            self.active.astype(bool),
        )
        has_rows = len(problem.rows) > 0
        diagram = diagram_from_slots(
            slots, problem.skeleton, problem.data.n_classes, "univariate", keep_idle_root=has_rows
        )
        if diagram.n_nodes == 0:
            return diagram
        chosen: list[Split] = [
            plain if splits[slot] is None else splits[slot] or plain
            for slot, plain in zip(np.flatnonzero(self.active).tolist(), diagram.splits, strict=True)
        ]
        return diagram.with_splits(tuple(chosen))

    def _split(self, table: BinnedTable, slot: int) -> UnivariateSplit | None:
        """Return the split of a slot; None if all rows take its positive side."""
        place, low, high = int(self.column[slot]), int(self.low[slot]), int(self.high[slot])
        feature, edges = int(table.features[place]), table.edges[place]
        if low == 0:
            return None if high == MISSING_BIN else UnivariateSplit.is_missing(feature, positive=False)
        missing_positive = high == MISSING_BIN and bool(table.has_missing[place])
        if low <= edges.size:
            return UnivariateSplit(feature, float(edges[low - 1]), missing_positive)
        if missing_positive:
            return UnivariateSplit.is_missing(feature)
        return UnivariateSplit(feature, float(np.finfo(np.float64).max))  # all rows are negative

    def row_pass(self, part: BinnedRows, n_classes: int) -> RowPass:
        """Return the kernel that routes the rows of a part."""
        return RowPass(part.bins, self.child, self.column, self.low, self.high, self.active, n_classes)

    def copy(self) -> BinnedDiagram:
        """Return a copy that can be changed alone."""
        return BinnedDiagram(*(array.copy() for array in vars(self).values()))

    def reachable(self) -> int:
        """Return the slots that arcs reach from the root, as bits of an integer."""
        return reachable_slots(self.child.tolist(), {0})

    def drop_unreachable(self) -> None:
        """Make the slots inactive that no arc reaches."""
        reached = self.reachable()
        self.active[:] = [reached >> slot & 1 for slot in range(self.active.size)]


def reachable_slots(child: list[list[int]], starts: set[int], without: int = -1) -> int:
    """Return the slots reached from some slots, as bits; the arcs of the slot ``without`` do not count."""
    reached = sum(1 << slot for slot in starts if slot < len(child))
    for slot, arcs in enumerate(child):  # layer by layer: arcs lead to later slots
        if reached >> slot & 1 and slot != without:
            for target in arcs:
                reached |= 1 << target if target < len(child) else 0
    return reached


def _positive_bins(edges: FloatArray, split: UnivariateSplit) -> tuple[int, int]:
    high = MISSING_BIN if split.missing_positive else MISSING_BIN - 1
    if split.threshold == -np.inf:
        return 0, high
    return min(int(np.searchsorted(edges, split.threshold)) + 1, MISSING_BIN), high
