"""Labelled samples, taken by row with their weights and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.table.column_table import ColumnTable, is_frame
from oddlearn.table.groups import checked_sensitive


@dataclass(frozen=True, eq=False)
class Samples:
    """Rows, labels, weights and groups as a user gave them, checked; a row is taken with all four."""

    X: Any
    y: NDArray[Any]
    sample_weight: FloatArray | None = None
    sensitive_features: dict[str, NDArray[Any]] | None = None

    def rows(self, places: IntArray) -> Samples:
        """Return these rows only."""
        weight = None if self.sample_weight is None else self.sample_weight[places]
        X = self.X.rows(places) if isinstance(self.X, ColumnTable) else _safe_indexing(self.X, places)
        groups = self.sensitive_features
        taken = None if groups is None else {name: values[places] for name, values in groups.items()}
        return Samples(X, self.y[places], weight, taken)


def samples_of(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    sensitive_features: object = None,
) -> Samples:
    """Gather a training table that was checked."""
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    rows = X if isinstance(X, ColumnTable) or is_frame(X) else np.asarray(X)
    labels = np.asarray(y).ravel()
    sensitive = checked_sensitive(sensitive_features, labels.size)
    groups = {column.name: np.array(column.levels, dtype=object)[column.codes] for column in sensitive}
    return Samples(rows, labels, weight, groups or None)
