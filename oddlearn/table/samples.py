"""Labelled samples, taken by row with their weights and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.table.column_table import ColumnTable, is_frame, to_dense, to_plain_labels
from oddlearn.table.groups import read_sensitive_features


@dataclass(frozen=True, eq=False)
class LabelledSamples:
    """Samples with their labels, weights and groups, as ``fit`` takes them."""

    X: Any  # array, frame or ColumnTable (n, n_features)
    y: NDArray[Any]  # (n,)
    sample_weight: FloatArray | None = None  # (n,)
    sensitive_features: dict[str, NDArray[Any]] | None = None  # from column to (n,) values

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return int(self.y.size)

    def rows(self, places: NDArray[Any]) -> LabelledSamples:
        """Return these samples only, given by place or by a mask."""
        weight = None if self.sample_weight is None else self.sample_weight[places]
        groups = self.sensitive_features
        taken = None if groups is None else {name: values[places] for name, values in groups.items()}
        return LabelledSamples(_take_rows(self.X, places), self.y[places], weight, taken)


def _take_rows(X: Any, places: NDArray[Any]) -> Any:  # noqa: ANN401
    if isinstance(X, ColumnTable):
        return X.rows(places)
    from sklearn.utils import _safe_indexing  # takes a second, and the command line has tables only

    return _safe_indexing(X, places)


def gather_samples(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, sensitive_features: object = None
) -> LabelledSamples:
    """Return the samples of the arguments of ``fit``; sensitive features are checked."""
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    rows = X if isinstance(X, ColumnTable) or is_frame(X) else np.asarray(to_dense(X))
    labels = np.asarray(to_plain_labels(y)).ravel()
    sensitive = read_sensitive_features(sensitive_features, labels.size)
    groups = {column.name: np.array(column.levels, dtype=object)[column.codes] for column in sensitive}
    return LabelledSamples(rows, labels, weight, groups or None)
