"""Ranks of many columns by few calls: a wide table has 100,000 short ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray, read_only_floats
from oddlearn.table.column_medians import column_blocks


class ColumnValues(Sequence[FloatArray]):
    """The distinct values of each column, ascending, kept in one array."""

    def __init__(self, blocks: list[FloatArray], counts: IntArray) -> None:
        self.counts = counts  # number of values, (n_columns,)
        self._values = read_only_floats(np.concatenate(blocks))
        self._first = np.concatenate([[0], np.cumsum(counts)])

    def __len__(self) -> int:
        return int(self.counts.size)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._values[self._first[place] : self._first[place + 1]]


def rank_columns(X: NDArray[np.floating]) -> tuple[ColumnValues, BoolArray, FloatArray]:
    """Return the values of the columns of X (n, d), which have missing ones (d,), and ranks (d, n) from 0.

    In a column with missing values (NaN) these have rank 0 and all others are one higher.
    """
    n_rows, n_columns = X.shape
    ranks, has_missing = np.empty((n_columns, n_rows)), np.zeros(n_columns, dtype=bool)
    distinct, n_values = [], []
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
        np.put_along_axis(ranks[block], order, places, axis=1)
        distinct.append(ordered[is_first])
        n_values.append(is_first.sum(axis=1))
    return ColumnValues(distinct, np.concatenate(n_values)), has_missing, ranks
