"""The cost of one split along each column of a wide table, a block of columns at a time.

Nothing is kept of a block but one number for each of its columns: a table of 100,000 columns needs no more
memory than one of a hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.kernels.common.single_splits import scan_single_splits
from oddlearn.streaming.row_source import Stop, never
from oddlearn.table.column_medians import column_blocks


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows that one split would part.

    Attributes
    ----------
    is_member : (n,) bool
    cost : (n, n_targets) float
        Of every row, member or not, by where the split sends it.
    """

    is_member: BoolArray
    cost: FloatArray


def scan_columns(
    X: NDArray[np.floating], rows: IntArray, groups: Sequence[RowGroup], stop: Stop = never
) -> FloatArray | None:
    """Return the least cost of a split of each group along each column, (n_groups, d); None if stopped.

    The groups are of some rows of X, ascending. The cost is inf where the members of a group have one value.
    Missing values (NaN) are below all others or above them, whichever costs less. Either side of a split has
    its cheapest target.
    """
    least = np.full((len(groups), X.shape[1]), np.inf)
    costs = [np.ascontiguousarray(group.cost, dtype=np.float64) for group in groups]
    some = slice(None) if rows.size == len(X) else rows
    for block in column_blocks(rows.size, X.shape[1]):
        if stop():
            return None
        for own, columns in _fill_missing(np.array(X[:, block][some].T, dtype=np.float64, order="C")):
            order = np.argsort(columns, axis=1).astype(np.int32)
            for number, (group, cost) in enumerate(zip(groups, costs, strict=True)):
                found = _scan_group(columns, order, group.is_member, cost)
                place = block.start + own
                least[number, place] = np.minimum(least[number, place], found)
    return least


def _fill_missing(columns: FloatArray) -> Iterator[tuple[NDArray[np.intp], FloatArray]]:
    """Yield columns and their places: those with missing values above all others, then all, those below."""
    missing = np.isnan(columns)
    own = np.flatnonzero(missing.any(axis=1))
    if own.size:
        yield own, np.where(missing[own], np.inf, columns[own])
        columns[missing] = -np.inf
    yield np.arange(len(columns)), columns


def _scan_group(
    columns: FloatArray, order: NDArray[np.int32], is_member: BoolArray, cost: FloatArray
) -> FloatArray:
    """Return the least cost of a split of the members along each column."""
    if not is_member.all():
        order = order[is_member[order]].reshape(len(order), -1)
    sums, least = np.empty((2, cost.shape[1])), np.empty(len(columns))
    scan_single_splits(columns, order, cost, sums, least)
    return least


def find_best_split(
    X: NDArray[np.floating], feature: int, cost: FloatArray
) -> tuple[UnivariateSplit, tuple[int, int], float] | None:
    """Return the best split along a feature, the targets of its sides and its cost; None for a constant."""
    best: tuple[UnivariateSplit, tuple[int, int], float] | None = None
    given = np.asarray(X[:, feature], dtype=np.float64)
    for fill in (-np.inf, np.inf) if np.isnan(given).any() else (-np.inf,):
        values = np.where(np.isnan(given), fill, given)
        order = np.argsort(values)
        below = np.cumsum(cost[order], axis=0)
        above = below[-1] - below
        totals = below.min(axis=1) + above.min(axis=1)
        ordered = values[order]
        totals[:-1][ordered[1:] <= ordered[:-1]] = np.inf
        totals[-1] = np.inf
        at = int(totals.argmin())
        if np.isfinite(totals[at]) and (best is None or totals[at] < best[2]):
            split = _split_between(feature, float(ordered[at]), float(ordered[at + 1]), fill > 0)
            best = (split, (int(below[at].argmin()), int(above[at].argmin())), float(totals[at]))
    return best


def _split_between(feature: int, low: float, high: float, missing_positive: bool) -> UnivariateSplit:
    """Return the split between two values, of which an infinite one stands for missing values."""
    if np.isinf(low) or np.isinf(high):
        return UnivariateSplit.is_missing(feature, positive=missing_positive)
    return UnivariateSplit(feature, threshold_between(low, high), missing_positive)
