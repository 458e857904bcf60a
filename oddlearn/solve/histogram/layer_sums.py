"""Sums of costs for one layer of a diagram: by node, column, bin and target, in one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.kernels.histogram.bin_scan import scan_bins
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram
from oddlearn.solve.histogram.binned_rows import BinnedRows
from oddlearn.solve.histogram.binned_table import BinnedTable

# lanes of sums are added together: this many 32-bit integers are one vector
LANE_BLOCK = 8
BINS = 256


@dataclass(frozen=True)
class BinSplit:
    """The best split of a group of rows."""

    value: float  # cost of the group's rows plus the price of the pair of targets; inf if no pair is allowed
    column: int = 0
    low: int = 0  # the positive side: bins low to high of the column
    high: int = 0
    targets: tuple[int, int] = (0, 0)  # negative and positive target


@dataclass(frozen=True, eq=False)
class LayerSums:
    """Sums over the rows at the nodes of a layer, and over those on the final arcs that lead past it."""

    table: BinnedTable
    # slot of each group of rows, or ``-1 - arc`` with arc = ``2 * slot + side`` of the layer above
    groups: tuple[int, ...]
    targets: tuple[int, ...]  # active slots of the next layer and all classes
    sums: NDArray[Any]  # (n_columns, n_groups, 256, lanes)

    def best_split(self, group: int, price: FloatArray, least: FloatArray, limit: float) -> BinSplit:
        """Return the cheapest split of a group below a limit; prices by pair, least flows by target."""
        value, split = self.splits_by_column(group, price, least, limit)
        column = int(value.argmin())
        if not np.isfinite(value[column]):
            return BinSplit(np.inf)
        low, high, negative, positive = split[column].tolist()
        targets = (self.targets[negative], self.targets[positive])
        return BinSplit(float(value[column]), column, low, high, targets)

    def splits_by_column(
        self, group: int, price: FloatArray, least: FloatArray, limit: float
    ) -> tuple[FloatArray, NDArray[np.int32]]:
        """Return the cost of the best split of each column, and its first and last bin and both targets."""
        n_columns = self.sums.shape[0]
        value, split = np.empty(n_columns), np.zeros((n_columns, 4), dtype=np.int32)
        table = self.table
        scan_bins(self.sums, group, table.n_bins, table.has_missing, price, least, limit, value, split)
        return value, split

    def totals(self, group: int) -> FloatArray:
        """Return the cost of a group for each target, and its flow where there is one."""
        return np.asarray(self.sums[0, group].sum(axis=0, dtype=np.float64))

    def side_totals(self, group: int, column: int, low: int, high: int) -> tuple[FloatArray, FloatArray]:
        """Return the totals of the negative and of the positive side of a split."""
        positive = self.sums[column, group, low : high + 1].sum(axis=0, dtype=np.float64)
        return self.totals(group) - positive, np.asarray(positive)


def sum_layer(
    problem: TrainingProblem,
    table: BinnedTable,
    diagram: BinnedDiagram,
    layer: int,
    budget: Budget,
    n_jobs: int = 1,
    grows: bool = True,
) -> LayerSums | None:
    """Return the sums of a layer; None if the time is over.

    With ``grows``, rows on arcs from the layer above to a class have sums of their own: a node could be put
    there.
    """
    first = problem.skeleton.first
    begin, end = int(first[layer]), int(first[layer + 1])
    n_slots, n_classes = problem.skeleton.n_nodes, problem.data.n_classes
    groups = [slot for slot in range(begin, end) if diagram.active[slot]]
    if grows and len(groups) < end - begin and layer > 0:
        above = (slot for slot in range(int(first[layer - 1]), begin) if diagram.active[slot])
        arcs = (2 * slot + side for slot in above for side in range(2))
        groups += [-1 - arc for arc in arcs if diagram.child.ravel()[arc] >= n_slots]
    following = range(end, int(first[layer + 2]) if layer + 1 < problem.skeleton.depth else end)
    targets = [slot for slot in following if diagram.active[slot]]
    targets += range(n_slots, n_slots + n_classes)
    slot_group, arc_group = np.full(n_slots, -1, dtype=np.int32), np.full(2 * n_slots, -1, dtype=np.int32)
    for place, group in enumerate(groups):
        (slot_group if group >= 0 else arc_group)[group if group >= 0 else -1 - group] = place
    if not groups:
        return LayerSums(table, (), tuple(targets), np.zeros((0, 0, BINS, 0), dtype=np.int32))
    n_lanes = -(-(len(targets) + table.has_flow) // LANE_BLOCK) * LANE_BLOCK
    shape = (table.features.size, len(groups), BINS, n_lanes)
    arrays = (slot_group, arc_group, np.array(targets, dtype=np.int32))
    work = SumLayer(diagram, n_classes, end, arrays, shape, table.scale.amount_type)
    sums = table.parts.reduce(work, lambda: budget.expired, n_jobs)
    if sums is None:
        return None
    sums = sums if sums.dtype == np.int32 else sums / table.scale.factor
    return LayerSums(table, tuple(groups), tuple(targets), sums)


@dataclass(frozen=True, eq=False)
class SumLayer:
    """The work of adding up the rows for one layer."""

    diagram: BinnedDiagram
    n_classes: int
    end: int  # slots before ``end`` are passed on the way
    # group of each slot and arc, and the targets
    arrays: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
    shape: tuple[int, ...]  # of the sums: columns, groups, bins, lanes
    amount_type: type[Any]  # of the sums

    def add(self, part: BinnedRows, total: NDArray[Any] | None) -> NDArray[Any]:
        """Return the sums over a part, added to those of others."""
        sums = np.zeros(self.shape, dtype=self.amount_type) if total is None else total
        columns = np.arange(self.shape[0], dtype=np.int32)
        row_pass = self.diagram.row_pass(part, self.n_classes)
        amounts = (part.cost, part.codes, part.weight, part.flow)
        row_pass.add_sums(0, part.n_rows, self.end, self.end, *self.arrays, *amounts, columns, sums)
        return sums

    def merge(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        """Return the sums over the rows of both."""
        return np.asarray(one + other)
