"""Checks of training tables: rows, labels, weights and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.encoding import Encoding, learned_encoding
from oddlearn.table.feature_rows import training_rows
from oddlearn.table.groups import People, checked_sensitive
from oddlearn.table.labels_and_weights import (
    check_total_weight,
    check_weighted_classes,
    checked_class_weight,
    checked_cost_matrix,
    checked_sample_weight,
    coded_labels,
)


@dataclass(frozen=True, eq=False)
class Table:
    """A training table, checked; rows of weight 0 are left out.

    Attributes
    ----------
    X : (n, n_features) float32 or float64
    codes : (n,) int
        Place of each label in ``classes``.
    classes : (n_classes,)
        The labels, sorted.
    weight : (n,) float
        Sample weight times class weight, all positive.
    cost_matrix : (n_classes, n_classes) float
        [true, predicted].
    people : People
        The samples as constraints count them: their sample weights alone, and their groups.
    encoding : Encoding or None
        How X was made of columns of several kinds, None when X was given as numbers.
    """

    X: NDArray[np.floating]
    codes: IntArray
    classes: NDArray[Any]
    weight: FloatArray
    cost_matrix: FloatArray
    people: People
    encoding: Encoding | None = None


def checked_table(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    sensitive_features: object = None,
    *,
    encoding: Encoding | None = None,
) -> Table:
    """Check a training table; sets ``n_features_in_`` and ``feature_names_in_`` of the estimator.

    Columns of several kinds are turned into numbers, as ``encoding`` says if it is given.
    """
    rows, labels = training_rows(estimator, X, y, as_columns=encoding is not None)
    classes, codes = coded_labels(labels)
    alone = checked_sample_weight(sample_weight, rows.shape[0])
    sensitive = checked_sensitive(sensitive_features, rows.shape[0])
    with np.errstate(over="ignore"):  # refused below, with the total
        weight = alone * checked_class_weight(estimator.class_weight, classes, codes, alone)[codes]
    kept = np.flatnonzero(weight > 0)
    check_weighted_classes(classes, codes[kept])
    costs = checked_cost_matrix(estimator.cost_matrix, classes.size)
    check_total_weight(weight, costs)
    if kept.size < weight.size:
        rows = rows.rows(kept) if isinstance(rows, ColumnTable) else rows[kept]
        codes, weight, alone = codes[kept], weight[kept], alone[kept]
        sensitive = tuple(column.kept(kept) for column in sensitive)
    if isinstance(rows, ColumnTable):
        encoding = learned_encoding(rows) if encoding is None else encoding
        rows = encoding.encoded(rows)
    people = People(codes, alone, tuple(classes.tolist()), sensitive)
    return Table(rows, codes, classes, weight, costs, people, encoding)
