"""Distinct rows of the training table with their weights per class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    read_only_floats,
    read_only_integers,
    read_only_table,
    take_rows_of,
)
from oddlearn.diagram.routing import row_blocks
from oddlearn.errors import InvalidInputError
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.table.groups import SampleGroups, SensitiveColumn


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Distinct rows and what was observed at each: row order and repetition leave no trace."""

    # (m, n_features): distinct rows in lexicographic order, unit coordinates. A table of ranks is stored by
    # columns, which ``ranked_columns`` then need not copy
    X: FloatArray
    class_weight: FloatArray  # (m, n_classes): total sample weight of each class at each distinct row
    distinct_row_of: IntArray  # (n,): distinct row of each original row, -1 for dropped ones of weight 0
    sample_groups: SampleGroups | None = None  # original samples, classes and groups, for constraints
    is_merged: bool = True  # False for a large table, see ``LargeData``

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", read_only_table(self.X))
        object.__setattr__(self, "class_weight", read_only_floats(self.class_weight))
        object.__setattr__(self, "distinct_row_of", read_only_integers(self.distinct_row_of))

    @classmethod
    def collect(
        cls,
        X: FloatArray,
        codes: IntArray,
        n_classes: int,
        sample_weight: FloatArray | None = None,
        sample_groups: SampleGroups | None = None,
    ) -> TrainingData:
        """Gather equal rows of X (n, n_features) with class codes (n,) and weights (n,).

        Without ``sample_groups``, every sample counts with its weight, classes are named 0, 1, ... and there
        are no groups.
        """
        weight = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        kept = np.flatnonzero(weight > 0)
        if kept.size == 0:
            raise InvalidInputError("All sample weights are zero: at least one must be positive.")
        given = np.asarray(X, dtype=np.float64)
        rows = given if kept.size == len(given) else take_rows_of(given, kept)
        representative, group = distinct_rows(rows)
        full_group = np.full(X.shape[0], -1, dtype=np.intp)
        full_group[kept] = group
        cell = group * n_classes + np.asarray(codes, dtype=np.intp)[kept]
        totals = _add_up_cells(cell, weight[kept], representative.size * n_classes)
        if sample_groups is None:
            sample_groups = SampleGroups(np.asarray(codes, dtype=np.intp), weight, tuple(range(n_classes)))
        rows = take_rows_of(rows, representative)  # the only copy
        rows += 0.0  # -0.0 becomes 0.0
        for array in (rows, full_group):  # nobody else holds them: they need not be copied again
            array.setflags(write=False)
        return cls(rows, totals.reshape(-1, n_classes), full_group, sample_groups)

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
    def ranked_columns(self) -> RankedColumns:
        """The columns of X with their orders, sorted once for all solvers."""
        return RankedColumns(self.X)

    @cached_property
    def spans(self) -> FloatArray:
        """Largest minus smallest value of each feature, shape (n_features,)."""
        return np.asarray(np.ptp(self.X, axis=0))

    def release_columns(self) -> None:
        """Forget the sorted columns, which only solvers need."""
        self.__dict__.pop("ranked_columns", None)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields only: a process that unpickles the data sorts the columns it needs."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def total_weight(self) -> float:
        """Sum of all sample weights."""
        return float(self.class_weight.sum())

    def weight_by_class_and_group(self, column: SensitiveColumn | None = None) -> FloatArray:
        """Return the weight of the samples at each distinct row by class and group of the column.

        Class weights are no part of it. Shape (m, n_classes, n_levels); without a column everybody is in one
        group, with one a sample of code -1 is in none.
        """
        sample_groups = self.sample_groups
        if sample_groups is None:
            raise InvalidInputError("These data have no samples to count: make them by TrainingData.collect.")
        n_levels = 1 if column is None else len(column.levels)
        level = np.zeros(self.distinct_row_of.size, dtype=np.intp) if column is None else column.codes
        kept = np.flatnonzero((self.distinct_row_of >= 0) & (level >= 0))
        row_and_class = self.distinct_row_of[kept] * self.n_classes + sample_groups.codes[kept]
        cell = row_and_class * n_levels + level[kept]
        shape = (self.n_rows, self.n_classes, n_levels)
        return _add_up_cells(
            cell, sample_groups.weight[kept], self.n_rows * self.n_classes * n_levels
        ).reshape(shape)

    def raw_representatives(self, X: NDArray[np.floating]) -> FloatArray:
        """Return an original row of X (n, n_features) for each distinct row, shape (m, n_features)."""
        chosen = np.empty(self.n_rows, dtype=np.intp)
        kept = np.flatnonzero(self.distinct_row_of >= 0)
        chosen[self.distinct_row_of[kept]] = kept
        return np.asarray(X, dtype=np.float64)[chosen]


def _add_up_cells(cell: IntArray, weight: FloatArray, n_cells: int) -> FloatArray:
    """Add up the weight of each cell, to the last bit the same for every order of the rows."""
    if not (weight == np.floor(weight)).all():
        order = np.lexsort((weight, cell))
        cell, weight = cell[order], weight[order]
    return np.bincount(cell, weights=weight, minlength=n_cells).astype(np.float64, copy=False)


def distinct_rows(X: FloatArray) -> tuple[IntArray, IntArray]:
    """Return a row of X, (n, d), for each distinct row, in their order, (m,), and that of each row, (n,)."""
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


def row_costs(class_weight: FloatArray, cost_matrix: FloatArray) -> FloatArray:
    """Return the cost of giving each distinct row each class, shape (m, n_classes)."""
    # summed class by class, so that a row's cost does not depend on the other rows
    total = np.zeros(class_weight.shape)
    for block in row_blocks(len(total)):
        for true_class in range(class_weight.shape[1]):
            total[block] += class_weight[block, true_class, None] * cost_matrix[true_class]
    total.setflags(write=False)
    return total
