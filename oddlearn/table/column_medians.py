"""Medians of many columns by few calls: a wide table has 100,000 short ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray

# values that are sorted by one call
SORTED_CELLS = 200_000

# of longer columns the median of rows spread evenly is taken
MAX_MEDIAN_ROWS = 100_000


def column_blocks(n_rows: int, n_columns: int) -> list[slice]:
    """Return the columns in blocks that one call sorts."""
    width = max(1, SORTED_CELLS // max(1, n_rows))
    return [slice(first, min(n_columns, first + width)) for first in range(0, n_columns, width)]


def median_step(n_rows: int) -> int:
    """Return n where the median is that of every n-th row."""
    return -(-n_rows // MAX_MEDIAN_ROWS)


def column_medians(rows: NDArray[np.floating]) -> FloatArray:
    """Return the median of each column of (n, d), missing values (NaN) left out; 0 if there is no other."""
    some = rows[:: median_step(rows.shape[0])]
    medians = np.zeros(rows.shape[1])
    for block in column_blocks(*some.shape):
        ordered = np.sort(some[:, block].T.astype(np.float64), axis=1)  # missing ones are last
        n_present = ordered.shape[1] - np.isnan(ordered).sum(axis=1)
        places = np.arange(ordered.shape[0])
        low, high = ordered[places, (n_present - 1) // 2], ordered[places, n_present // 2]
        # halves, because the sum of two large numbers may overflow
        medians[block] = np.where(n_present == 0, 0.0, np.where(low == high, low, low / 2 + high / 2))
    return medians
