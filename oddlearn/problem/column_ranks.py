"""Ranks of many columns by few calls: a wide table has 100,000 short ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray, read_only_floats
from oddlearn.table.column_medians import column_blocks


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

    In a column with missing values (NaN) these have rank 0 and all others are one higher.
    """
    n_rows, n_columns = X.shape
    ranks, has_missing = np.empty((n_rows, n_columns)), np.zeros(n_columns, dtype=bool)
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
