"""The columns of a training table: their ranks, and their orders, each sorted once for all solvers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray, read_only_floats
from oddlearn.kernels.common.single_splits import scan_single_splits
from oddlearn.table.column_medians import column_blocks

# numpy sorts 16-bit integers by counting, about ten times as fast as floats
MAX_SHORT_RANK = np.iinfo(np.uint16).max

# values sorted by one call: many short columns at once, long ones alone, as each call needs 10 bytes a value
MAX_BLOCK_CELLS = 1_000_000


class RankedColumns:
    """The features of a table as columns, (n_features, m), with the order of the rows along each.

    A column is sorted when it is first asked for. Two threads may sort one at the same time: both get the
    same order.
    """

    def __init__(self, X: FloatArray) -> None:
        self.columns = np.ascontiguousarray(X.T, dtype=np.float64)
        self._order = np.empty(self.columns.shape, dtype=np.int32)
        self._is_sorted = np.zeros(self.columns.shape[0], dtype=bool)

    def order(self, feature: int) -> NDArray[np.int32]:
        """Return the rows by increasing value of a feature, equal ones by number, shape (m,)."""
        if not self._is_sorted[feature]:
            self._order[feature] = _sort(self.columns[feature])
            self._is_sorted[feature] = True
        return np.asarray(self._order[feature])

    def orders(self) -> NDArray[np.int32]:
        """Return the orders along all features, shape (n_features, m)."""
        self._sort_features(slice(None))
        return self._order

    def single_split_costs(self, cost: FloatArray, features: slice) -> FloatArray:
        """Return the least cost of a split along each of some features, inf where it has one value.

        Either side gets its cheapest class; ``cost`` (m, n_classes) is that of each row and class.
        """
        self._sort_features(features)
        columns = self.columns[features]
        sums, least = np.empty((2, cost.shape[1])), np.empty(columns.shape[0])
        scan_single_splits(columns, self._order[features], np.ascontiguousarray(cost), sums, least)
        return least

    def _sort_features(self, wanted: slice) -> None:
        if self._is_sorted[wanted].all():
            return
        features = np.arange(self.columns.shape[0])[wanted]
        features = features[~self._is_sorted[wanted]]
        n_blocks = min(features.size, 1 + features.size * self.columns.shape[1] // MAX_BLOCK_CELLS)
        for block in np.array_split(features, max(1, n_blocks)):
            self._order[block] = _sort(self.columns[block])
        self._is_sorted[wanted] = True

    def values_and_ranks(self, feature: int) -> tuple[FloatArray, NDArray[np.int32]]:
        """Return the distinct values of a feature, ascending, and the place of each row's value, (m,)."""
        order = self.order(feature)[None]
        values, ranks = _rank_ordered(self.columns[feature][order], order)
        return values[0], ranks[0]

    def all_values_and_ranks(self, features: IntArray) -> tuple[tuple[FloatArray, ...], NDArray[np.int32]]:
        """Return ``values_and_ranks`` of some features; the ranks as rows of one array."""
        orders = self.orders()[features]
        return _rank_ordered(np.take_along_axis(self.columns[features], orders, axis=1), orders)


def _rank_ordered(
    ordered: FloatArray, order: NDArray[np.int32]
) -> tuple[tuple[FloatArray, ...], NDArray[np.int32]]:
    """Return the distinct values along each row of (k, m), in order, and the place of each sample's value."""
    is_first = np.ones(ordered.shape, dtype=bool)
    is_first[:, 1:] = ordered[:, 1:] > ordered[:, :-1]
    ranks = np.empty(ordered.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, np.cumsum(is_first, axis=1, dtype=np.int32) - 1, axis=1)
    return tuple(values[firsts] for values, firsts in zip(ordered, is_first, strict=True)), ranks


def _sort(columns: FloatArray) -> NDArray[np.int32]:
    """Return the stable order along the last axis; small integers, such as ranks, take the fast way."""
    keys: NDArray[np.generic] = columns
    if columns.size and columns.min() >= 0 and columns.max() <= MAX_SHORT_RANK:
        short = columns.astype(np.uint16)
        keys = short if (short == columns).all() else columns
    return np.argsort(keys, axis=-1, kind="stable").astype(np.int32)


class ColumnValues(Sequence[FloatArray]):
    """The distinct values of each column of a table, ascending, sorted when they are asked for.

    The table is the user's own: a wide one has as many values as cells, and a diagram asks about few columns.
    """

    def __init__(self, X: NDArray[np.floating], counts: IntArray) -> None:
        self.counts = counts  # number of values, (n_columns,)
        self._X = X

    def __len__(self) -> int:
        return int(self.counts.size)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        if not 0 <= place < len(self):
            raise IndexError(place)
        column = np.asarray(self._X[:, place], dtype=np.float64)
        return read_only_floats(np.unique(column[~np.isnan(column)]) + 0.0)  # -0.0 becomes 0.0


def rank_columns(X: NDArray[np.floating]) -> tuple[ColumnValues, BoolArray, FloatArray]:
    """Return the values of the columns of X (n, d), which have missing ones (d,), and ranks (n, d) from 0.

    The ranks are stored by columns.
    Few calls rank many columns: a wide table has 100,000 short ones.
    In a column with missing values (NaN) these have rank 0 and all others are one higher.
    """
    n_rows, n_columns = X.shape
    ranks, has_missing = np.empty((n_rows, n_columns), order="F"), np.zeros(n_columns, dtype=bool)
    n_values = []
    for block in column_blocks(n_rows, n_columns):
        columns = np.asarray(X[:, block].T, dtype=np.float64, order="C") + 0.0  # -0.0 becomes 0.0
        order = np.argsort(columns, axis=1)
        ordered = np.take_along_axis(columns, order, axis=1)  # missing ones are last
        is_missing = np.isnan(ordered)
        has_missing[block] = is_missing[:, -1]
        is_first = ~is_missing
        is_first[:, 1:] &= ordered[:, 1:] > ordered[:, :-1]
        places = np.cumsum(is_first, axis=1, dtype=np.float64) - ~is_missing[:, -1:]
        places[is_missing] = 0.0
        np.put_along_axis(columns, order, places, axis=1)  # the values themselves are needed no longer
        ranks[:, block] = columns.T
        n_values.append(is_first.sum(axis=1))
    return ColumnValues(X, np.concatenate(n_values)), has_missing, ranks
