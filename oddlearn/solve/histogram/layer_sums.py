"""Sums of costs for one layer of a diagram: by node, column, bin and target, in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.kernels.histogram.bin_scan import scan_bins
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram
from oddlearn.solve.histogram.binned_table import CHUNK_ROWS, BinnedTable

# lanes of sums are added together: this many 32-bit integers are one vector
LANE_BLOCK = 8
BINS = 256


@dataclass(frozen=True)
class BinSplit:
    """The best split of a group of rows.

    Attributes
    ----------
    value : float
        Cost of the group's rows plus the price of the pair of targets; inf if no pair is allowed.
    column, low, high : int
        The positive side: bins low to high of a column.
    targets : (int, int)
        Negative and positive target.
    """

    value: float
    column: int = 0
    low: int = 0
    high: int = 0
    targets: tuple[int, int] = (0, 0)


@dataclass(frozen=True, eq=False)
class LayerSums:
    """Sums over the rows at the nodes of a layer, and over those on the final arcs that lead past it.

    Attributes
    ----------
    table : BinnedTable
    groups : tuple of int
        Slot of each group of rows, or ``-1 - arc`` with arc = ``2 * slot + side`` of the layer above.
    targets : tuple of int
        Active slots of the next layer and all classes.
    sums : (n_columns, n_groups, 256, lanes)
    """

    table: BinnedTable
    groups: tuple[int, ...]
    targets: tuple[int, ...]
    sums: NDArray[Any]

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
        return LayerSums(table, (), tuple(targets), np.zeros((0, 0, BINS, 0), dtype=table.amount_type))
    n_lanes = -(-(len(targets) + bool(table.flow.size)) // LANE_BLOCK) * LANE_BLOCK
    shape = (table.features.size, len(groups), BINS, n_lanes)
    arrays = (slot_group, arc_group, np.array(targets, dtype=np.int32))
    sums = _sum_rows(table, diagram, arrays, end, shape, n_classes, budget, n_jobs)
    return None if sums is None else LayerSums(table, tuple(groups), tuple(targets), sums)


def _sum_rows(
    table: BinnedTable,
    diagram: BinnedDiagram,
    arrays: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    end: int,
    shape: tuple[int, ...],
    n_classes: int,
    budget: Budget,
    n_jobs: int,
) -> NDArray[Any] | None:
    """Add up the rows, in threads, each with sums of its own; None if the time is over."""
    columns = np.arange(table.features.size, dtype=np.int32)
    bounds = np.linspace(0, table.n_rows, max(1, n_jobs) + 1).astype(int).tolist()

    def add(part: tuple[int, int]) -> NDArray[Any] | None:
        sums = np.zeros(shape, dtype=table.amount_type)
        row_pass = diagram.row_pass(table, n_classes)
        for start in range(*part, CHUNK_ROWS):
            if budget.expired:
                return None
            stop = min(part[1], start + CHUNK_ROWS)
            row_pass.add_sums(start, stop, end, end, *arrays, table.cost, table.flow, columns, sums)
        return sums

    parts = list(pairwise(bounds))
    results = [add(parts[0])] if len(parts) == 1 else _in_threads(add, parts)
    total = results[0]
    for part in results[1:]:
        if total is None or part is None:
            return None
        total += part
    return total


def _in_threads(function: Any, parts: Sequence[tuple[int, int]]) -> list[NDArray[Any] | None]:  # noqa: ANN401
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(function, parts))
