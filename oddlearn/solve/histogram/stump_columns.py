"""The best single split of a large table from class weights: at edges of bins, and between raw values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.kernels.histogram.bins import MISSING_BIN
from oddlearn.solve.budget import Budget

# thresholds x classes that are compared between two looks at the budget
PIECE = 250_000


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

    def best_edge(self, edges: tuple[FloatArray, ...], budget: Budget) -> tuple[LargeStump, FloatArray]:
        """Return the best split at an edge, and bounds (n_features, 255) on those inside each bin.

        Columns that the budget does not reach are left out.
        """
        totals = self.weights[0].sum(axis=0) @ self.cost_matrix
        best, bounds = LargeStump(float(totals.min())), np.full((len(edges), MISSING_BIN), np.inf)
        for feature, own in enumerate(edges):
            if budget.expired:
                break
            n_bins = own.size + 1
            by_class = self.weights[feature] @ self.cost_matrix
            for missing_positive in (False, True):
                below, above = self.sum_sides(by_class, n_bins, missing_positive)
                costs = below.min(axis=1) + above.min(axis=1)
                edge = int(costs.argmin())
                if costs[edge] < best.cost:
                    split = _split_at(feature, own, edge, missing_positive)
                    classes = (int(below[edge].argmin()), int(above[edge].argmin()))
                    best = LargeStump(float(costs[edge]), split, classes)
                inside = self._bound_inside(self.weights[feature, :n_bins], below[:-1], above[1:])
                bounds[feature, :n_bins] = np.minimum(bounds[feature, :n_bins], inside)
        return best, bounds

    def sum_sides(
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


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The collected raw values of a column, sorted, equal ones numbered alike.

    Attributes
    ----------
    costs : ColumnCosts
    feature : int
    n_bins : int
        Without that of missing values.
    values, codes, weight : (k,) float, int, float
    starts : (n_distinct + 1,) int
        The first of each run of equal values, and k.
    bins : (n_distinct,) int
        Ascending.
    """

    costs: ColumnCosts
    feature: int
    n_bins: int
    values: FloatArray
    codes: NDArray[np.intp]
    weight: FloatArray
    starts: NDArray[np.intp]
    bins: NDArray[np.intp]

    @classmethod
    def build(
        cls, costs: ColumnCosts, feature: int, edges: FloatArray, rows: FloatArray, factor: float
    ) -> ColumnValues:
        """Return values (3, k) of a column, with codes and weights, in order."""
        values, codes, weight = rows[:, np.argsort(rows[0])]
        is_first = np.ones(values.size, dtype=bool)
        is_first[1:] = values[1:] > values[:-1]
        starts = np.flatnonzero(is_first)
        bins = np.searchsorted(edges, values[starts], side="right")
        starts = np.append(starts, values.size)
        n_bins = int(np.isfinite(edges).sum()) + 1
        return cls(costs, feature, n_bins, values, codes.astype(np.intp), weight / factor, starts, bins)

    def improve(self, best: LargeStump, bounds: FloatArray, budget: Budget) -> LargeStump:
        """Return the best split, if one between the values is better, as far as the budget reaches."""
        by_class = self.costs.weights[self.feature] @ self.costs.cost_matrix
        sides = [(False, *self.costs.sum_sides(by_class, self.n_bins, False))]
        if self.costs.weights[self.feature, MISSING_BIN].any():
            sides.append((True, *self.costs.sum_sides(by_class, self.n_bins, True)))
        for place in np.argsort(bounds, kind="stable").tolist():
            if budget.expired or not can_improve(bounds[place], best):
                break
            own = [(positive, below[place], above[place]) for positive, below, above in sides]
            best = self._improve_bin(best, place, own, budget)
        return best

    def _improve_bin(
        self, best: LargeStump, place: int, sides: list[tuple[bool, FloatArray, FloatArray]], budget: Budget
    ) -> LargeStump:
        first, end = np.searchsorted(self.bins, [place, place + 1]).tolist()
        passed = np.zeros((self.costs.cost_matrix.shape[0], 1))
        step = max(1, PIECE // passed.size)
        for start in range(first, end - 1, step):
            if budget.expired:
                break
            stop = min(start + step, end - 1)
            inside = passed + np.cumsum(self._sum_by_class(start, stop), axis=1)
            passed = inside[:, -1:]
            for missing_positive, below, above in sides:
                low, high = below[:, None] + inside, above[:, None] - inside
                costs = low.min(axis=0) + high.min(axis=0)
                at = int(costs.argmin())
                if costs[at] < best.cost:
                    split = UnivariateSplit(self.feature, self._threshold_after(start + at), missing_positive)
                    classes = (int(low[:, at].argmin()), int(high[:, at].argmin()))
                    best = LargeStump(float(costs[at]), split, classes)
        return best

    def _sum_by_class(self, start: int, stop: int) -> FloatArray:
        """Return the costs (n_classes, stop - start) of some distinct values, by given class."""
        rows, n_classes = slice(self.starts[start], self.starts[stop]), self.costs.cost_matrix.shape[0]
        number = np.repeat(np.arange(stop - start), np.diff(self.starts[start : stop + 1]))
        cell = self.codes[rows] * (stop - start) + number
        own = np.bincount(cell, self.weight[rows], n_classes * (stop - start))
        return np.asarray(self.costs.cost_matrix.T @ own.reshape(n_classes, -1))

    def _threshold_after(self, number: int) -> float:
        low, high = self.values[self.starts[[number, number + 1]]].tolist()
        return threshold_between(low, high)


def can_improve(bounds: FloatArray, best: LargeStump) -> BoolArray:
    """Return True for bounds below the best cost by more than rounding."""
    return np.asarray(bounds < best.cost * (1 - 1e-12) - 1e-12)


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
