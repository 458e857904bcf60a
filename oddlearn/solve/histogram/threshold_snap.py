"""Thresholds between raw values: the best one near each edge, by an exact pass over the rows there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.splits import threshold_between
from oddlearn.kernels.histogram.bins import MISSING_BIN
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram
from oddlearn.solve.histogram.binned_table import CHUNK_ROWS, BinnedTable


def snap_thresholds(
    problem: TrainingProblem, table: BinnedTable, diagram: BinnedDiagram, budget: Budget
) -> int:
    """Move the edge of each node to the best place between its two neighbours; return how many were moved.

    The table holds all rows of the problem. Its edges and bins change with the thresholds, so that every move
    is measured on the diagram as it is then, and none makes it worse.
    """
    n_moved = 0
    for slot in np.flatnonzero(diagram.active)[::-1].tolist():
        if budget.expired:
            break
        if _is_alone(table, diagram, slot):
            threshold = _find_threshold(problem, table, diagram, slot)
            if threshold is not None:
                _move_edge(problem, table, int(diagram.column[slot]), int(diagram.low[slot]), threshold)
                n_moved += 1
    return n_moved


def _is_alone(table: BinnedTable, diagram: BinnedDiagram, slot: int) -> bool:
    """Return True if the slot's split is at an edge that no other active slot uses."""
    low, column = diagram.low[slot], diagram.column[slot]
    shared = (diagram.active == 1) & (diagram.column == column) & (diagram.low == low)
    return 1 <= low <= table.edges[column].size and int(shared.sum()) == 1


def _find_threshold(
    problem: TrainingProblem, table: BinnedTable, diagram: BinnedDiagram, slot: int
) -> float | None:
    """Return the best threshold in the two bins beside a node's edge; None if the edge itself is best."""
    place, low = int(diagram.column[slot]), int(diagram.low[slot])
    rows, classes = _list_rows(problem, table, diagram, slot)
    values = problem.data.X[rows, table.features[place]].astype(np.float64)
    costs = np.take_along_axis(problem.cost[rows], classes.astype(np.intp), axis=1)
    order = np.argsort(values, kind="stable")
    values, change = values[order], (costs[:, 0] - costs[:, 1])[order]
    # sums[k]: what the k lowest rows cost more on the negative side than on the positive one
    sums = np.concatenate([[0.0], np.cumsum(change)])
    allowed = 1 + np.flatnonzero(values[1:] > values[:-1])
    present = int(np.searchsorted(values, table.edges[place][low - 1]))
    if allowed.size == 0 or not sums[allowed].min() < sums[present]:
        return None
    best = int(allowed[sums[allowed].argmin()])
    return threshold_between(float(values[best - 1]), float(values[best]))


def _list_rows(
    problem: TrainingProblem, table: BinnedTable, diagram: BinnedDiagram, slot: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows at a node in the two bins beside its edge, and the classes they end in by side."""
    n_slots, low = diagram.active.size, int(diagram.low[slot])
    slot_group, arc_group = np.full(n_slots, -1, dtype=np.int32), np.full(2 * n_slots, -1, dtype=np.int32)
    slot_group[slot] = 0
    row_pass = diagram.row_pass(table, problem.data.n_classes)
    rows, classes = [], []
    for first in range(0, table.n_rows, CHUNK_ROWS):
        last = min(table.n_rows, first + CHUNK_ROWS)
        some, ends = np.empty(last - first, dtype=np.int64), np.empty((last - first, 2), dtype=np.uint8)
        highest = min(low, MISSING_BIN - 1)
        count = row_pass.list_rows(first, last, slot, low - 1, highest, slot_group, arc_group, some, ends)
        rows.append(some[:count].copy())
        classes.append(ends[:count].copy())
    return np.concatenate(rows), np.concatenate(classes)


def _move_edge(
    problem: TrainingProblem, table: BinnedTable, place: int, low: int, threshold: float
) -> None:
    """Move the edge between bins ``low - 1`` and ``low`` of a column, and the rows in these bins."""
    table.edges[place][low - 1] = threshold
    bins, feature = table.bins[place], table.features[place]
    for first in range(0, table.n_rows, CHUNK_ROWS):
        part = bins[first : first + CHUNK_ROWS]
        near = np.flatnonzero((part == low - 1) | ((part == low) & (part != MISSING_BIN)))
        part[near] = low - 1 + (problem.data.X[first + near, feature] >= threshold)
