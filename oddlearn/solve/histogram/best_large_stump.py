"""The best single split of a large table, exactly: by bins, then between raw values where it could be better.

One pass counts classes by column and bin. That gives the cost of every threshold at an edge, and a bound on
those inside each bin: rows below the bin take one class, rows above it the other, and rows inside the cheaper
of both. A second pass looks at the raw values of the bins whose bound is below the best edge, cheapest first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.kernels.histogram.bins import MAX_EDGES, MISSING_BIN, assign_bins
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.row_passes import count_integers
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.stump_columns import ColumnCosts, ColumnValues, LargeStump, can_improve
from oddlearn.streaming.row_source import RowBlock

BINS = 256

# raw values that the second pass keeps; with more nothing is proved
MAX_VALUES = 8_000_000

# of sorting the collected values of a column, per value
SECONDS_PER_SORT = 2e-7


@dataclass(frozen=True, eq=False)
class CountBins:
    """The work of counting classes by column and bin, in integers.

    Attributes
    ----------
    edges : (n_features, 255) float
        Filled up with inf.
    n_classes : int
    factor : float
        By which weights become integers.
    """

    edges: FloatArray
    n_classes: int
    factor: float

    def add(self, block: RowBlock, total: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Return the counts (n_features, 256, n_classes) of a block, added to those of others."""
        bins = bin_values(block, self.edges)
        weight = None if block.weight is None else (block.weight * self.factor).astype(np.int64)
        counts = np.empty((len(bins), BINS, self.n_classes), dtype=np.int64)
        for own, column in zip(counts, bins, strict=True):
            cell = column.astype(np.intp) * self.n_classes + block.codes
            own[:] = count_integers(cell, weight, BINS * self.n_classes, self.factor).reshape(own.shape)
        return counts if total is None else counts + total

    def merge(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts of both."""
        return one + other


@dataclass(frozen=True, eq=False)
class CollectBins:
    """The work of collecting the raw values in some bins, with class and weight.

    Attributes
    ----------
    edges : (n_features, 255) float
    wanted : (n_features, 256) bool
    factor : float
    """

    edges: FloatArray
    wanted: BoolArray
    factor: float

    def add(self, block: RowBlock, total: dict[int, list[FloatArray]] | None) -> dict[int, list[FloatArray]]:
        """Return arrays (3, k) of values, codes and weights by feature."""
        bins, found = bin_values(block, self.edges), total or {}
        for feature in np.flatnonzero(self.wanted.any(axis=1)).tolist():
            rows = np.flatnonzero(self.wanted[feature][bins[feature]])
            weight = np.ones(rows.size) if block.weight is None else block.weight[rows]
            weight = np.floor(weight * self.factor)
            piece = np.stack([block.X[rows, feature].astype(np.float64), block.codes[rows], weight])
            found.setdefault(feature, []).append(_merge_constant_bins(piece, bins[feature][rows]))
        return found

    def merge(
        self, one: dict[int, list[FloatArray]], other: dict[int, list[FloatArray]]
    ) -> dict[int, list[FloatArray]]:
        """Return the values of both."""
        return {feature: [*own, *other.get(feature, [])] for feature, own in one.items()}


def bin_values(block: RowBlock, edges: FloatArray) -> NDArray[np.uint8]:
    """Return the bins (n_features, n) of a block that has all features."""
    bins = np.empty((block.X.shape[1], block.n_rows), dtype=np.uint8)
    assign_bins(block.X, edges, bins)
    return bins


def find_large_stump(data: LargeData, edges: tuple[FloatArray, ...], budget: Budget) -> LargeStump | None:
    """Return the best single split; None without time for one pass."""
    padded = np.full((data.n_features, MAX_EDGES + 1), np.inf)
    for own, values in zip(padded, edges, strict=True):
        own[: values.size] = values
    counts = data.source.reduce(CountBins(padded, data.n_classes, data.factor), None, lambda: budget.expired)
    if counts is None:
        return None
    costs = ColumnCosts(counts / data.factor, data.cost_matrix)
    best, bounds = costs.best_edge(edges, budget)
    if budget.expired:
        return best
    wanted = np.zeros((data.n_features, BINS), dtype=bool)
    wanted[:, :MISSING_BIN] = can_improve(bounds, best)
    n_wanted = int(counts.sum(axis=2)[wanted].sum() / data.factor / max(data.source.weights.largest, 1e-300))
    if n_wanted > MAX_VALUES:
        return best
    near = data.source.reduce(CollectBins(padded, wanted, data.factor), None, lambda: budget.expired)
    if near is None:
        return best
    return compare_values(costs, near, padded, bounds, best, data.factor, budget)


def compare_values(
    costs: ColumnCosts,
    near: dict[int, list[FloatArray]],
    edges: FloatArray,
    bounds: FloatArray,
    best: LargeStump,
    factor: float,
    budget: Budget,
) -> LargeStump:
    """Return the best split between collected values too, the cheapest columns first; these are used up.

    It is complete if the budget reaches all columns.
    """
    for feature in sorted(near, key=lambda one: float(bounds[one].min())):
        rows = np.hstack(near.pop(feature))
        if SECONDS_PER_SORT * rows.shape[1] > budget.remaining():
            return best
        column = ColumnValues.build(costs, feature, edges[feature], rows, factor)
        best = column.improve(best, bounds[feature], budget)
        if budget.expired:
            return best
    return LargeStump(best.cost, best.split, best.classes, is_complete=True)


def _merge_constant_bins(rows: FloatArray, bins: NDArray[np.uint8]) -> FloatArray:
    """Return values, codes and weights (3, k), added up by class if all values of each bin are equal."""
    values, codes, weight = rows
    value_of = np.zeros(BINS)
    value_of[bins] = values
    if not values.size or not np.array_equal(value_of[bins], values):
        return rows
    cell = codes.astype(np.intp) * BINS + bins
    total = np.bincount(cell, weight)
    cells = np.flatnonzero(total)
    return np.stack([value_of[cells % BINS], cells // BINS, total[cells]])
