"""Importance of the columns of a table for a fitted diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_data import row_costs
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.table.column_medians import column_blocks

# rows x nodes x columns: of larger tables rows spread evenly are taken (1 s for 50 million on a busy machine)
MAX_VISITS = 20_000_000
MAX_ROWS = 200_000

# of weighted sums of more columns those are measured whose terms vary most: each takes 0.1 ms
MAX_COLUMNS = 2_000


def column_importances(
    problem: TrainingProblem, diagram: DecisionDiagram, raw_X: FloatArray, column_of: Sequence[int]
) -> FloatArray:
    """Return the rise of the mean training cost without the splits on each column, shape (n_columns,).

    Without them, a univariate split on the column sends all rows to the side that more training weight at its
    node takes; in a weighted sum the column has its mean. Other splits stay as they are. Of more than 2,000
    columns those are measured whose terms vary most, and all others have 0.

    ``diagram``: in raw units.
    ``raw_X`` (m, n_features) float: the distinct rows in raw units, NaN where a value is missing.
    ``column_of``: column of each feature.
    """
    columns = np.asarray(column_of, dtype=np.intp)
    n_used = min(MAX_COLUMNS, max(1, len(_used_columns(diagram, column_of))))
    rows = _some_rows(problem.data.n_rows, max(1, diagram.n_nodes) * n_used)
    features = np.arange(diagram.n_features)
    if all(isinstance(split, UnivariateSplit) for split in diagram.splits) and diagram.n_nodes:
        features = np.array(diagram.used_features)
        diagram = _keep_features(diagram, features)
    own = columns[features].tolist()
    found = measure_importances(diagram, *_take_rows(problem, raw_X, rows, features), own)
    importances = np.zeros(int(columns.max(initial=-1)) + 1)
    importances[: found.size] = found
    return importances


def _keep_features(diagram: DecisionDiagram, features: IntArray) -> DecisionDiagram:
    """Return a diagram of univariate splits over some features: a wide table is not copied for a few."""
    splits = (split for split in diagram.splits if isinstance(split, UnivariateSplit))
    kept = tuple(replace(split, feature=int(np.searchsorted(features, split.feature))) for split in splits)
    return replace(diagram, splits=kept, n_features=features.size)


def measure_importances(
    diagram: DecisionDiagram,
    raw_X: FloatArray,
    row_cost: FloatArray,
    row_weight: FloatArray,
    column_of: Sequence[int],
) -> FloatArray:
    """Return what ``column_importances`` does, from the cost (m, n_classes) and the weight (m,) of rows."""
    columns = np.asarray(column_of, dtype=np.intp)
    importances = np.zeros(int(columns.max(initial=-1)) + 1)
    used = _used_columns(diagram, column_of)
    if not used:
        return importances
    rows = _some_rows(len(raw_X), diagram.n_nodes * min(MAX_COLUMNS, len(used)))
    X, cost, weight = (_select(array, rows) for array in (raw_X, row_cost, row_weight))
    keys = [split.key(X) for split in diagram.splits]
    sides = np.column_stack([split.compare(key) for split, key in zip(diagram.splits, keys, strict=True)])
    reached, predicted = _route(diagram, sides)
    before = _total(cost, predicted)
    dense = np.array([split.dense_weights(diagram.n_features) for split in diagram.splits])
    for column in _heaviest(used, columns, dense, X):
        own = np.flatnonzero(columns == column)
        changed = sides.copy()
        for node in np.flatnonzero(dense[:, own].any(axis=1)).tolist():
            split, at, side = diagram.splits[node], reached[:, node], sides[:, node]
            if isinstance(split, UnivariateSplit):
                changed[:, node] = 2 * weight[at & side].sum() >= weight[at].sum()
            else:
                means = np.average(X[:, own], axis=0, weights=weight)
                changed[:, node] = split.compare(keys[node] + (means - X[:, own]) @ dense[node, own])
        importances[column] = (_total(cost, _route(diagram, changed)[1]) - before) / weight.sum()
    return importances


def _heaviest(used: list[int], columns: IntArray, dense: FloatArray, X: FloatArray) -> list[int]:
    """Return the columns whose terms vary most, as many as are measured; all others count as 0."""
    if len(used) <= MAX_COLUMNS:
        return used
    blocks = column_blocks(*X.shape)  # numpy needs a copy of what it is given
    terms = np.abs(dense).sum(axis=0) * np.concatenate([X[:, block].std(axis=0) for block in blocks])
    totals = np.bincount(columns, weights=terms)
    return [int(column) for column in np.sort(np.argsort(-totals, kind="stable")[:MAX_COLUMNS])]


def _used_columns(diagram: DecisionDiagram, column_of: Sequence[int]) -> list[int]:
    return sorted({int(column_of[feature]) for feature in diagram.used_features})


def _take_rows(
    problem: TrainingProblem, raw_X: FloatArray, rows: IntArray, features: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return some features of some rows in raw units, the costs of the rows and their weights."""
    data = problem.data
    if isinstance(data, LargeData):
        if isinstance(data.source, MemoryRows) and features.size == data.n_features:
            block = data.source.take(slice(None, None, -(-data.n_rows // rows.size)))  # copies nothing
        elif isinstance(data.source, MemoryRows):
            block = data.source.take_columns(rows, features)
        else:
            block = data.source.take(rows)
            block = replace(block, X=block.X[:, features])
        class_weight = block.class_weight(data.n_classes)
        return np.asarray(block.X), row_costs(class_weight, data.cost_matrix), class_weight.sum(axis=1)
    X = raw_X if features.size == raw_X.shape[1] else raw_X[:, features]
    cost, class_weight = _select(problem.cost, rows), _select(data.class_weight, rows)
    return _select(X, rows), cost, class_weight.sum(axis=1)


def _route(diagram: DecisionDiagram, sides: BoolArray) -> tuple[BoolArray, IntArray]:
    """Return the rows that reach each node, and the class of each row."""
    reached = np.zeros((len(sides), diagram.n_nodes + diagram.n_classes), dtype=bool)
    reached[:, 0] = True
    for node in range(diagram.n_nodes):  # layer by layer
        reached[:, diagram.positive[node]] |= reached[:, node] & sides[:, node]
        reached[:, diagram.negative[node]] |= reached[:, node] & ~sides[:, node]
    return reached[:, : diagram.n_nodes], reached[:, diagram.n_nodes :].argmax(axis=1)


def _total(cost: FloatArray, predicted: IntArray) -> float:
    return float(cost[np.arange(len(cost)), predicted].sum())


def _select(X: FloatArray, rows: IntArray) -> FloatArray:
    """Return some rows in ascending order; all of them without a copy."""
    return X if rows.size == len(X) else X[rows]


def _some_rows(n_rows: int, n_steps: int) -> IntArray:
    count = min(n_rows, MAX_ROWS, max(1, MAX_VISITS // n_steps))
    if count == n_rows:
        return np.arange(n_rows)
    return np.unique(np.linspace(0, n_rows - 1, count).round().astype(np.intp))
