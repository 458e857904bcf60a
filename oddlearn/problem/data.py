"""Training data as distinct rows of the unit box with a weight per class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers
from oddlearn.errors import InvalidInputError
from oddlearn.problem.distinct import distinct_rows


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Distinct rows and what was observed at each: row order and repetition leave no trace.

    Attributes
    ----------
    X : (m, n_features) float
        Distinct rows in lexicographic order, unit coordinates.
    class_weight : (m, n_classes) float
        Total sample weight of each class at each distinct row.
    group : (n,) int
        Distinct row of each original row, -1 for rows of weight 0, which are dropped.
    """

    X: FloatArray
    class_weight: FloatArray
    group: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", read_only_floats(self.X))
        object.__setattr__(self, "class_weight", read_only_floats(self.class_weight))
        object.__setattr__(self, "group", read_only_integers(self.group))

    @classmethod
    def collect(
        cls, X: FloatArray, codes: IntArray, n_classes: int, sample_weight: FloatArray | None = None
    ) -> TrainingData:
        """Gather equal rows of X (n, n_features) with class codes (n,) and weights (n,)."""
        weight = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        kept = np.flatnonzero(weight > 0)
        if kept.size == 0:
            raise InvalidInputError("All sample weights are zero: at least one must be positive.")
        rows = np.asarray(X, dtype=np.float64)[kept] + 0.0  # -0.0 becomes 0.0
        representative, group = distinct_rows(rows)
        full_group = np.full(X.shape[0], -1, dtype=np.intp)
        full_group[kept] = group
        cell = group * n_classes + np.asarray(codes, dtype=np.intp)[kept]
        totals = _summed(cell, weight[kept], representative.size * n_classes)
        return cls(rows[representative], totals.reshape(-1, n_classes), full_group)

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes, whether observed or not."""
        return int(self.class_weight.shape[1])

    @cached_property
    def total_weight(self) -> float:
        """Sum of all sample weights."""
        return float(self.class_weight.sum())

    def raw_rows(self, X: NDArray[np.floating]) -> FloatArray:
        """Return an original row of X (n, n_features) for each distinct row, shape (m, n_features)."""
        chosen = np.empty(self.n_rows, dtype=np.intp)
        kept = np.flatnonzero(self.group >= 0)
        chosen[self.group[kept]] = kept
        return np.asarray(X, dtype=np.float64)[chosen]


def _summed(cell: IntArray, weight: FloatArray, n_cells: int) -> FloatArray:
    """Add up the weight of each cell, to the last bit the same for every order of the rows."""
    if not (weight == np.floor(weight)).all():
        order = np.lexsort((weight, cell))
        cell, weight = cell[order], weight[order]
    return np.bincount(cell, weights=weight, minlength=n_cells).astype(np.float64, copy=False)
