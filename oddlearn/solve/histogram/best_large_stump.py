"""The best single split of a large table, exactly: by bins, then between raw values where it could be better.

One pass counts classes by column and bin. That gives the cost of every threshold at an edge, and a bound on
those inside each bin: rows below the bin take one class, rows above it the other, and rows inside the cheaper
of both. A second pass looks at the raw values of the bins whose bound is below the best edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.kernels.histogram.bins import MAX_EDGES, MISSING_BIN, assign_bins
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.row_passes import count_integers
from oddlearn.solve.budget import Budget
from oddlearn.streaming.row_source import RowBlock

BINS = 256

# raw values that the second pass keeps; with more nothing is proved
MAX_VALUES = 8_000_000


@dataclass(frozen=True)
class LargeStump:
    """The best single split, or constant, among those tried.

    Attributes
    ----------
    cost : float
        Its total cost; of the best constant if ``split`` is None.
    split : UnivariateSplit or None
    classes : (int, int)
        Of its negative and positive side.
    is_complete : bool
        True if no single split costs less.
    """

    cost: float
    split: UnivariateSplit | None = None
    classes: tuple[int, int] = (0, 0)
    is_complete: bool = False


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
            found.setdefault(feature, []).append(
                np.stack([block.X[rows, feature].astype(np.float64), block.codes[rows], weight])
            )
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
    best, bounds = costs.best_edge(edges)
    wanted = np.zeros((data.n_features, BINS), dtype=bool)
    wanted[:, :MISSING_BIN] = bounds < best.cost * (1 - 1e-12) - 1e-12
    n_wanted = int(counts.sum(axis=2)[wanted].sum() / data.factor / max(data.source.weights.largest, 1e-300))
    if n_wanted > MAX_VALUES:
        return best
    near = data.source.reduce(CollectBins(padded, wanted, data.factor), None, lambda: budget.expired)
    if near is None:
        return best
    for feature, pieces in near.items():
        best = costs.best_value(
            feature, wanted[feature], padded[feature], np.hstack(pieces), data.factor, best
        )
    return LargeStump(best.cost, best.split, best.classes, is_complete=True)


@dataclass(frozen=True, eq=False)
class ColumnCosts:
    """Costs of thresholds from weights by column, bin and class.

    Attributes
    ----------
    weights : (n_features, 256, n_classes) float
    cost_matrix : (n_classes, n_classes) float
        Of true and given class.
    """

    weights: FloatArray
    cost_matrix: FloatArray

    def best_edge(self, edges: tuple[FloatArray, ...]) -> tuple[LargeStump, FloatArray]:
        """Return the best split at an edge, and bounds (n_features, 255) on those inside each bin."""
        totals = self.weights[0].sum(axis=0) @ self.cost_matrix
        best, bounds = LargeStump(float(totals.min())), np.full((len(edges), MISSING_BIN), np.inf)
        for feature, own in enumerate(edges):
            n_bins = own.size + 1
            by_class = self.weights[feature] @ self.cost_matrix
            for missing_positive in (False, True):
                below, above = self._sums(by_class, n_bins, missing_positive)
                costs = below.min(axis=1) + above.min(axis=1)
                edge = int(costs.argmin())
                if costs[edge] < best.cost:
                    split = _split_at(feature, own, edge, missing_positive)
                    classes = (int(below[edge].argmin()), int(above[edge].argmin()))
                    best = LargeStump(float(costs[edge]), split, classes)
                inside = self._bound_inside(self.weights[feature, :n_bins], below[:-1], above[1:])
                bounds[feature, :n_bins] = np.minimum(bounds[feature, :n_bins], inside)
        return best, bounds

    def _sums(
        self, by_class: FloatArray, n_bins: int, missing_positive: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Return the costs (n_bins + 1, n_classes) of the rows below and above each edge, by given class."""
        zero = np.zeros((1, by_class.shape[1]))
        below = np.vstack([zero, np.cumsum(by_class[:n_bins], axis=0)])
        above = np.vstack([np.cumsum(by_class[:n_bins][::-1], axis=0)[::-1], zero])
        missing = by_class[MISSING_BIN]
        return (below, above + missing) if missing_positive else (below + missing, above)

    def _bound_inside(self, weights: FloatArray, below: FloatArray, above: FloatArray) -> FloatArray:
        """Return for each bin what a threshold inside it costs at least: its rows take the cheaper class."""
        bounds = np.full(len(weights), np.inf)
        for negative, costs in enumerate(self.cost_matrix.T):
            cheaper = weights @ np.minimum(costs[:, None], self.cost_matrix)
            bounds = np.minimum(bounds, (below[:, [negative]] + above + cheaper).min(axis=1))
        return bounds

    def best_value(
        self,
        feature: int,
        wanted: BoolArray,
        edges: FloatArray,
        rows: FloatArray,
        factor: float,
        best: LargeStump,
    ) -> LargeStump:
        """Return the best split, if one between raw values of the wanted bins of a column is better."""
        rows = rows[:, np.argsort(rows[0], kind="stable")]
        bins = np.searchsorted(edges, rows[0], side="right")
        by_class = self.weights[feature] @ self.cost_matrix
        n_bins = int(np.isfinite(edges).sum()) + 1
        for missing_positive in (False, True):
            below, above = self._sums(by_class, n_bins, missing_positive)
            for place in np.flatnonzero(wanted[:n_bins]).tolist():
                values, codes, weight = rows[:, bins == place]
                own = np.zeros((values.size, self.cost_matrix.shape[0]))
                own[np.arange(values.size), codes.astype(np.intp)] = weight / factor
                inside = np.cumsum(own @ self.cost_matrix, axis=0)
                low, high = below[place] + inside, above[place] - inside
                costs = low.min(axis=1) + high.min(axis=1)
                costs[_is_tied(values)] = np.inf
                at = int(costs.argmin()) if costs.size else -1
                if at >= 0 and costs[at] < best.cost:
                    threshold = threshold_between(float(values[at]), float(values[at + 1]))
                    split = UnivariateSplit(feature, threshold, missing_positive)
                    best = LargeStump(
                        float(costs[at]), split, (int(low[at].argmin()), int(high[at].argmin()))
                    )
        return best


def _is_tied(values: FloatArray) -> BoolArray:
    """Return True for sorted values with no larger one after them."""
    tied = np.ones(values.size, dtype=bool)
    tied[:-1] = values[1:] <= values[:-1]
    return tied


def _split_at(feature: int, edges: FloatArray, edge: int, missing_positive: bool) -> UnivariateSplit:
    """Return the split with so many bins of values on its negative side."""
    if edge == 0:
        return (
            UnivariateSplit.is_missing(feature, positive=False)
            if not missing_positive
            else UnivariateSplit(feature, float(np.finfo(np.float64).min), True)
        )
    if edge > edges.size:
        return (
            UnivariateSplit.is_missing(feature)
            if missing_positive
            else UnivariateSplit(feature, float(np.finfo(np.float64).max))
        )
    return UnivariateSplit(feature, float(edges[edge - 1]), missing_positive)
