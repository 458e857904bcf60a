"""The constraints on the observables, which are linear functions of the columns."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from oddlearn.diagram.arrays import FloatArray
from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import Columns
from oddlearn.milp.setting import Setting
from oddlearn.problem.rows import LinearRows


def observation_matrix(n_columns: int, setting: Setting, columns: Columns) -> csr_array:
    """Return the matrix that turns a point of the model into observables, (layout.size, n_columns).

    ``parted`` is 0 in a model whose constraints do not name it.
    """
    layout, slots = setting.problem.layout, setting.original_slots
    pairs = [
        (layout.assigned, columns.w_class),
        (layout.reached[:, slots], columns.w_negative),
        (layout.reached[:, slots], columns.w_positive),
        (layout.positive[:, slots], columns.w_positive),
        (layout.used[slots], columns.d),
        (np.full(columns.parted.size, layout.parted), columns.parted),
    ]
    places = np.concatenate([place.ravel() for place, _ in pairs])
    ids = np.concatenate([column.ravel() for _, column in pairs])
    return csr_array((np.ones(ids.size), (places, ids)), shape=(layout.size, n_columns))


def constraints_hold(
    builder: ModelBuilder, setting: Setting, columns: Columns, observation: csr_array
) -> None:
    """The problem's constraints on the observables, all of them at once; soft ones have a priced excess."""
    rows = setting.problem.rows
    if not len(rows):
        return
    scale = row_scales(rows)
    lower, upper = scale * rows.lower, scale * rows.upper
    matrix = csr_array(diags_array(scale) @ csr_array(rows.matrix @ observation))
    hard, soft = ~rows.is_soft, rows.is_soft
    builder.sparse_rows(matrix[hard], lower[hard], upper[hard])
    if soft.any():
        builder.cost(columns.excess, rows.price[soft] / scale[soft])
        _within(builder, columns, matrix[soft], lower[soft])
        _within(builder, columns, -matrix[soft], -upper[soft])


def _within(builder: ModelBuilder, columns: Columns, matrix: csr_array, lower: FloatArray) -> None:
    """Add ``matrix @ x + excess >= lower`` where that limit is finite."""
    limited = np.flatnonzero(np.isfinite(lower))
    if limited.size == 0:
        return
    places = (np.ones(limited.size), (np.arange(limited.size), columns.excess[limited]))
    allowance = csr_array(places, shape=(limited.size, matrix.shape[1]))
    builder.sparse_rows(csr_array(matrix[limited] + allowance), lower[limited], np.inf)


def row_scales(rows: LinearRows) -> FloatArray:
    """Return a power of two for each row that makes its largest entry about 1: tolerances are absolute."""
    largest = abs(rows.matrix).max(axis=1).toarray().ravel()
    return np.asarray(2.0 ** -np.rint(np.log2(np.where(largest > 0, largest, 1.0))))


def root_parts_rows(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """``parted`` is 1 exactly when rows leave the root on both sides."""
    positive, negative = columns.w_positive[:, [0]], columns.w_negative[:, [0]]
    parted = columns.parted[None]
    # a row that leaves on another side than the first one
    builder.rows([(parted, 1.0), (positive[1:], -1.0), (positive[:1], 1.0)], 0.0, np.inf)
    builder.rows([(parted, 1.0), (positive[1:], 1.0), (positive[:1], -1.0)], 0.0, np.inf)
    builder.rows([(positive.T, 1.0), (parted, -1.0)], 0.0, np.inf)
    builder.rows([(negative.T, 1.0), (parted, -1.0)], 0.0, np.inf)
