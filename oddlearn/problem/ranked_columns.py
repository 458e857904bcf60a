"""The columns of a training table, each sorted once for all solvers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray

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
        self.columns = np.ascontiguousarray(X.T)
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
        features = np.flatnonzero(~self._is_sorted)
        n_blocks = min(features.size, 1 + features.size * self.columns.shape[1] // MAX_BLOCK_CELLS)
        for block in np.array_split(features, max(1, n_blocks)):
            self._order[block] = _sort(self.columns[block])
        self._is_sorted[:] = True
        return self._order

    def values_and_ranks(self, feature: int) -> tuple[FloatArray, NDArray[np.int32]]:
        """Return the distinct values of a feature, ascending, and the place of each row's value, (m,)."""
        order = self.order(feature)
        ordered = self.columns[feature][order]
        is_first = np.ones(ordered.size, dtype=bool)
        is_first[1:] = ordered[1:] > ordered[:-1]
        ranks = np.empty(ordered.size, dtype=np.int32)
        ranks[order] = np.cumsum(is_first, dtype=np.int32) - 1
        return ordered[is_first], ranks


def _sort(columns: FloatArray) -> NDArray[np.int32]:
    """Return the stable order along the last axis; small integers, such as ranks, take the fast way."""
    keys: NDArray[np.generic] = columns
    if columns.size and columns.min() >= 0 and columns.max() <= MAX_SHORT_RANK:
        short = columns.astype(np.uint16)
        keys = short if (short == columns).all() else columns
    return np.argsort(keys, axis=-1, kind="stable").astype(np.int32)
