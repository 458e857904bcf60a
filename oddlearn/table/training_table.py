"""Checks of training tables: rows, labels, weights and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.table.categories import check_pooling
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.encoding import Encoding, learn_encoding, learn_number_encoding
from oddlearn.table.feature_rows import training_rows
from oddlearn.table.groups import SampleGroups, read_sensitive_features
from oddlearn.table.labels_and_weights import (
    check_class_weight,
    check_cost_matrix,
    check_sample_weight,
    check_total_weight,
    check_weighted_classes,
    encode_labels,
)


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """A training table, checked; rows of weight 0 are left out."""

    X: NDArray[np.floating]  # (n, n_features) float32 or float64
    codes: IntArray  # (n,): place of each label in ``classes``
    classes: NDArray[Any]  # (n_classes,): the labels, sorted
    weight: FloatArray  # (n,): sample weight times class weight, all positive
    cost_matrix: FloatArray  # (n_classes, n_classes): [true, predicted]
    sample_groups: SampleGroups  # as constraints count: sample weights alone, and groups
    # how X was made of columns of several kinds, or of numbers some of which are missing or may be; None when
    # X was given as numbers and stays as it is
    encoding: Encoding | None = None
    factors: FloatArray | None = None  # (n_classes,): weight of each class, None without class weights

    @property
    def has_sample_weights(self) -> bool:
        """True when samples have weights: sums of them are no numbers of samples."""
        return bool((self.sample_groups.weight != 1).any())

    @property
    def cost_measure(self) -> str:
        """Kind of the mean cost: "error", "weighted_error" or, with a cost matrix, "cost"."""
        if not np.array_equal(self.cost_matrix, 1 - np.eye(self.classes.size)):
            return "cost"
        return "weighted_error" if (self.weight != 1).any() else "error"

    @property
    def class_weights(self) -> tuple[float, ...]:
        """Weight of each class, empty without class weights; that of a class without rows is 0."""
        if self.factors is None:
            return ()
        has_rows = np.bincount(self.codes, minlength=self.classes.size) > 0
        return tuple(np.where(has_rows, self.factors, 0.0).tolist())

    @property
    def row_weight(self) -> float:
        """Largest class weight: that of a row whose sample weight is 1; 1 without class weights."""
        return max(self.class_weights, default=1.0)


def check_training_table(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    sensitive_features: object = None,
    *,
    encoding: Encoding | None = None,
) -> TrainingTable:
    """Check a training table; sets ``n_features_in_`` and ``feature_names_in_`` of the estimator.

    Columns of several kinds are turned into numbers, as ``encoding`` says if it is given.
    """
    as_columns = encoding is not None and not encoding.is_numeric
    rows, labels = training_rows(estimator, X, y, as_columns)
    classes, codes = encode_labels(labels)
    codes.setflags(write=False)  # nobody else holds them: they need not be copied
    alone = check_sample_weight(sample_weight, rows.shape[0])
    sensitive = read_sensitive_features(sensitive_features, rows.shape[0])
    with np.errstate(over="ignore"):  # refused below, with the total
        factor = check_class_weight(estimator.class_weight, classes, codes, alone)
        weight = alone if estimator.class_weight is None else alone * factor[codes]
    has_weight = weight > 0
    kept = slice(None) if has_weight.all() else np.flatnonzero(has_weight)
    check_weighted_classes(classes, codes[kept])
    costs = check_cost_matrix(estimator.cost_matrix, classes.size)
    check_total_weight(weight, costs)
    if not isinstance(kept, slice):
        rows = rows.rows(kept) if isinstance(rows, ColumnTable) else rows[kept]
        codes, weight, alone = codes[kept], weight[kept], alone[kept]
        sensitive = tuple(column.take(kept) for column in sensitive)
    numbers, encoding = _encode_rows(estimator, rows, encoding)
    sample_groups = SampleGroups(codes, alone, tuple(classes.tolist()), sensitive)
    if estimator.class_weight is None:
        weight = sample_groups.weight
    factors = None if estimator.class_weight is None else factor
    return TrainingTable(numbers, codes, classes, weight, costs, sample_groups, encoding, factors)


def _encode_rows(
    estimator: BaseEstimator, rows: NDArray[np.floating] | ColumnTable, encoding: Encoding | None
) -> tuple[NDArray[np.floating], Encoding | None]:
    """Return the rows as numbers, and the encoding, which is learned unless it is given."""
    fill = estimator.split == "multivariate"  # a sum needs all its terms
    if isinstance(rows, ColumnTable):
        pooling = check_pooling(estimator.max_categories, estimator.min_frequency)
        encoding = encoding or learn_encoding(rows, pooling, fill=fill)
        return encoding.encode(rows), encoding
    if encoding is None:
        names = getattr(estimator, "feature_names_in_", None)
        encoding = learn_number_encoding(rows, None if names is None else names.tolist(), fill=fill)
    return rows if encoding is None else encoding.encode_numbers(rows), encoding
