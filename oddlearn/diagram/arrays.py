"""Array types, and the one way arrays are put into frozen values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def read_only(values: ArrayLike, dtype: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return the values as a C-contiguous array that nobody can write to.

    An array that is already read-only and owns its data is shared, any other is copied.
    """
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable or not array.flags.owndata:
        array = array.copy()
        array.setflags(write=False)
    return array


def read_only_table(values: ArrayLike) -> FloatArray:
    """Return a read-only float64 table, stored by rows or by columns as the values are."""
    table = np.asarray(values, dtype=np.float64)
    if not table.flags.f_contiguous:
        return read_only_floats(table)
    if table.flags.writeable or not table.flags.owndata:
        table = table.copy(order="F")
        table.setflags(write=False)
    return table


def take_rows_of(table: FloatArray, rows: IntArray) -> FloatArray:
    """Return some rows of a table, stored as it is: numpy's index would store them by rows."""
    if table.flags.c_contiguous:
        return table[rows]
    taken = np.empty((rows.size, table.shape[1]), order="F")
    np.take(table.T, rows, axis=1, out=taken.T, mode="clip")  # other modes need a buffer
    return taken


def read_only_floats(values: ArrayLike) -> FloatArray:
    """Return a read-only float64 array."""
    return read_only(values, np.float64)


def read_only_integers(values: ArrayLike) -> IntArray:
    """Return a read-only integer array."""
    return read_only(values, np.intp)
