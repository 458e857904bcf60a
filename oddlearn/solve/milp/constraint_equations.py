"""The objective, equation (18), and the constraint rows on observables, linear functions of the columns."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.skeleton import untruncated_slots
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.solve.milp.context import FormulationContext
from oddlearn.solve.milp.model_builder import ModelBuilder
from oddlearn.solve.milp.model_columns import ModelColumns


def set_objective(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(18): set the cost of the classes assigned, per weight, and the price of active nodes but the root."""
    problem = context.problem
    builder.cost(columns.w_class, problem.cost / problem.total_weight)
    builder.cost(columns.d[1:], problem.node_price)


def observation_matrix(n_columns: int, context: FormulationContext, columns: ModelColumns) -> csr_array:
    """Return the matrix that turns a point of the model into observables, (layout.size, n_columns).

    ``root_splits`` is 0 in a model whose constraint rows do not contain it.
    """
    layout = context.problem.layout
    slots = untruncated_slots(context.skeleton, context.problem.skeleton)
    pairs = [
        (layout.assigned, columns.w_class),
        (layout.reached[:, slots], columns.w_negative),
        (layout.reached[:, slots], columns.w_positive),
        (layout.positive[:, slots], columns.w_positive),
        (layout.used[slots], columns.d),
        (np.full(columns.root_splits.size, layout.root_splits), columns.root_splits),
    ]
    places = np.concatenate([place.ravel() for place, _ in pairs])
    ids = np.concatenate([column.ravel() for _, column in pairs])
    return csr_array((np.ones(ids.size), (places, ids)), shape=(layout.size, n_columns))


def add_constraint_rows(
    builder: ModelBuilder, context: FormulationContext, columns: ModelColumns, observation: csr_array
) -> None:
    """Add the problem's constraint rows; the violation of soft ones has a price."""
    rows = context.problem.rows
    if not len(rows):
        return
    scale = row_scales(rows)
    lower, upper = scale * rows.lower, scale * rows.upper
    matrix = csr_array(diags_array(scale) @ csr_array(rows.matrix @ observation))
    hard, soft = ~rows.is_soft, rows.is_soft
    builder.sparse_rows(matrix[hard], lower[hard], upper[hard])
    if soft.any():
        builder.cost(columns.violation, rows.penalty[soft] / scale[soft])
        _limit_from_below(builder, columns, matrix[soft], lower[soft])
        _limit_from_below(builder, columns, -matrix[soft], -upper[soft])


def _limit_from_below(
    builder: ModelBuilder, columns: ModelColumns, matrix: csr_array, lower: FloatArray
) -> None:
    """Add ``matrix @ x + violation >= lower`` where that limit is finite."""
    limited = np.flatnonzero(np.isfinite(lower))
    if limited.size == 0:
        return
    places = (np.ones(limited.size), (np.arange(limited.size), columns.violation[limited]))
    violation = csr_array(places, shape=(limited.size, matrix.shape[1]))
    builder.sparse_rows(csr_array(matrix[limited] + violation), lower[limited], np.inf)


def row_scales(rows: LinearRows) -> FloatArray:
    """Return a power of two for each row that makes its largest entry about 1: tolerances are absolute."""
    largest = abs(rows.matrix).max(axis=1).toarray().ravel()
    return np.asarray(2.0 ** -np.rint(np.log2(np.where(largest > 0, largest, 1.0))))


def define_root_splits(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Let ``root_splits`` be 1 exactly when rows leave the root on both sides."""
    positive, negative = columns.w_positive[:, [0]], columns.w_negative[:, [0]]
    splits = columns.root_splits[None]
    # a row that leaves on another side than the first one
    builder.rows([(splits, 1.0), (positive[1:], -1.0), (positive[:1], 1.0)], 0.0, np.inf)
    builder.rows([(splits, 1.0), (positive[1:], 1.0), (positive[:1], -1.0)], 0.0, np.inf)
    builder.rows([(positive.T, 1.0), (splits, -1.0)], 0.0, np.inf)
    builder.rows([(negative.T, 1.0), (splits, -1.0)], 0.0, np.inf)
