"""Distinct rows of a matrix in lexicographic order, without comparing whole rows."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray


def distinct_rows(X: FloatArray) -> tuple[IntArray, IntArray]:
    """Find the distinct rows of X, shape (n, d).

    Returns
    -------
    representative : (m,) int
        One row of X per distinct row, in lexicographic order.
    group : (n,) int
        Distinct row of each row of X.
    """
    order, starts = _sorted_rows(X)
    group = np.empty(X.shape[0], dtype=np.intp)
    group[order] = np.cumsum(starts) - 1
    return order[starts], group


def _sorted_rows(X: FloatArray) -> tuple[IntArray, BoolArray]:
    """Sort by one column after the other, each time only the rows that are still tied."""
    order = np.arange(X.shape[0])
    starts = np.zeros(X.shape[0], dtype=bool)
    starts[:1] = True
    for column in X.T:
        tied = np.flatnonzero(~(starts & np.append(starts[1:], True)))
        if tied.size == 0:
            break
        block = np.cumsum(starts)[tied]
        values = column[order[tied]]
        ranking = np.lexsort((values, block))
        order[tied] = order[tied][ranking]
        # a new block starts where the column changes inside an old one
        values = values[ranking]
        starts[tied[1:]] |= values[1:] != values[:-1]
    return order, starts
