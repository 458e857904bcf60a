"""Thresholds between raw values: the best one near each edge, by an exact pass over the rows there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.splits import threshold_between
from oddlearn.kernels.histogram.bins import MISSING_BIN
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram
from oddlearn.solve.histogram.binned_rows import BinnedRows
from oddlearn.solve.histogram.binned_table import BinnedTable
from oddlearn.solve.histogram.layer_sums import BINS

# different values, ascending, and the sum of each
ValueSums = tuple[FloatArray, NDArray[np.int64]]

# sums of so many parts are put together
MAX_PIECES = 64


def snap_thresholds(table: BinnedTable, diagram: BinnedDiagram, n_classes: int, budget: Budget) -> int:
    """Move the edge of each node to the best place between its two neighbours; return how many were moved.

    Edges and bins of the table change with the thresholds, so that every move is measured on the diagram as
    it is then, and none makes it worse. The raw values beside all edges are read in one pass.
    """
    active = np.flatnonzero(diagram.active)[::-1].tolist()
    slots = [slot for slot in active if _is_alone(table, diagram, slot)]
    if not slots:
        return 0
    table.load_values(_bins_near(diagram, slots))
    n_moved = 0
    for slot in slots:
        if budget.expired:
            break
        threshold = _find_threshold(table, diagram, slot, n_classes)
        if threshold is not None:
            table.move_edge(int(diagram.column[slot]), int(diagram.low[slot]), threshold)
            n_moved += 1
    return n_moved


def _is_alone(table: BinnedTable, diagram: BinnedDiagram, slot: int) -> bool:
    """Return True if the slot's split is at an edge that no other active slot uses."""
    low, column = diagram.low[slot], diagram.column[slot]
    shared = (diagram.active == 1) & (diagram.column == column) & (diagram.low == low)
    return 1 <= low <= table.edges[column].size and int(shared.sum()) == 1


def _bins_near(diagram: BinnedDiagram, slots: list[int]) -> dict[int, NDArray[np.bool_]]:
    """Return the two bins beside the edges of some slots, by column: moves of these edges stay inside."""
    wanted: dict[int, NDArray[np.bool_]] = {}
    for slot in slots:
        own = wanted.setdefault(int(diagram.column[slot]), np.zeros(BINS, dtype=bool))
        own[int(diagram.low[slot]) - 1] = True
        own[int(diagram.low[slot])] = True
        own[MISSING_BIN] = False
    return wanted


def _find_threshold(table: BinnedTable, diagram: BinnedDiagram, slot: int, n_classes: int) -> float | None:
    """Return the best threshold in the two bins beside a node's edge; None if the edge itself is best."""
    found = table.parts.reduce(SumNear(diagram, slot, n_classes))
    if not found:
        return None
    values, change = _join(found)
    # sums[k]: what the rows with the k lowest values cost more on the negative side than on the positive one
    sums = np.concatenate([[0], np.cumsum(change)])
    present = int(np.searchsorted(values, table.edges[int(diagram.column[slot])][int(diagram.low[slot]) - 1]))
    if values.size < 2 or not sums[1:-1].min() < sums[present]:
        return None
    best = 1 + int(sums[1:-1].argmin())
    return threshold_between(float(values[best - 1]), float(values[best]))


@dataclass(frozen=True, eq=False)
class SumNear:
    """The work of adding up, by raw value, what rows beside a node's edge cost more on its negative side."""

    diagram: BinnedDiagram
    slot: int
    n_classes: int

    def add(self, part: BinnedRows, total: list[ValueSums] | None) -> list[ValueSums]:
        """Return the values of a part and the sum of each, with those of others."""
        diagram, slot = self.diagram, self.slot
        n_slots, low = diagram.active.size, int(diagram.low[slot])
        slot_group, arc_group = np.full(n_slots, -1, dtype=np.int32), np.full(2 * n_slots, -1, dtype=np.int32)
        slot_group[slot] = 0
        rows, ends = np.empty(part.n_rows, dtype=np.int64), np.empty((part.n_rows, 2), dtype=np.uint8)
        row_pass, highest = diagram.row_pass(part, self.n_classes), min(low, MISSING_BIN - 1)
        arrays = (slot_group, arc_group, rows, ends)
        count = row_pass.list_rows(0, part.n_rows, slot, low - 1, highest, *arrays)
        rows, ends = rows[:count], ends[:count]
        change = part.amounts(rows, ends[:, 0]) - part.amounts(rows, ends[:, 1])
        own = _sum_equal(part.near[int(diagram.column[slot])].of(rows), change)
        return [own] if total is None else self.merge(total, [own])

    def merge(self, one: list[ValueSums], other: list[ValueSums]) -> list[ValueSums]:
        """Return the sums of both."""
        pieces = [*one, *other]
        return pieces if len(pieces) <= MAX_PIECES else [_join(pieces)]


def _join(pieces: list[ValueSums]) -> ValueSums:
    """Return all values, ascending, and the sum of each."""
    values, sums = zip(*pieces, strict=True)
    return _sum_equal(np.concatenate(values), np.concatenate(sums))


def _sum_equal(values: FloatArray, change: NDArray[np.int64]) -> ValueSums:
    """Return the different values, ascending, and the sum over equal ones."""
    if values.size == 0:
        return values, change
    order = np.argsort(values, kind="stable")
    values, change = values[order], change[order]
    starts = np.concatenate([[0], 1 + np.flatnonzero(values[1:] > values[:-1])])
    return values[starts], np.add.reduceat(change, starts)
