"""A large training table that is not in memory: what one pass over it found, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import InvalidInputError
from oddlearn.streaming.batch_profile import TableProfile
from oddlearn.streaming.batch_rows import BatchEncoder
from oddlearn.streaming.row_source import RowSource, WeightSummary
from oddlearn.table.categories import check_pooling
from oddlearn.table.column_medians import column_medians, median_step
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.encoding import Encoding
from oddlearn.table.groups import SampleGroups
from oddlearn.table.labels_and_weights import (
    check_cost_matrix,
    check_total_weight,
    check_weighted_classes,
    find_class_factors,
)
from oddlearn.table.samples import LabelledSamples
from oddlearn.table.training_table import TrainingTable

# classes are bytes
MAX_CLASSES = 250


@dataclass(frozen=True, eq=False)
class LargeTable(TrainingTable):
    """A checked table whose rows are seen through a source; its arrays are empty."""

    source: RowSource | None = None
    has_weights: bool = False  # True if samples have weights

    @property
    def rows(self) -> RowSource:
        """The rows."""
        assert self.source is not None
        return self.source

    @property
    def has_sample_weights(self) -> bool:
        """True when samples have weights."""
        return self.has_weights

    @property
    def cost_measure(self) -> str:
        """Kind of the mean cost: "error", "weighted_error" or, with a cost matrix, "cost"."""
        if not np.array_equal(self.cost_matrix, 1 - np.eye(self.classes.size)):
            return "cost"
        is_weighted = self.has_weights or (self.factors is not None and bool((self.factors != 1).any()))
        return "weighted_error" if is_weighted else "error"

    @property
    def class_weights(self) -> tuple[float, ...]:
        """Weight of each class, empty without class weights."""
        return () if self.factors is None else tuple(self.factors.tolist())


@dataclass(frozen=True, eq=False)
class LearnedTable:
    """The encoding, labels, weights and costs of a large table after its first pass."""

    encoder: BatchEncoder
    n_rows: int
    weights: WeightSummary
    cost_matrix: FloatArray
    factors: FloatArray | None
    has_weights: bool

    @classmethod
    def from_profile(
        cls, estimator: BaseEstimator, profile: TableProfile, encoding: Encoding | None = None
    ) -> LearnedTable:
        """Check labels and weights, and learn the encoding unless it is given.

        For weighted sums missing numbers become 0, until ``fill_medians``.
        """
        classes, totals = profile.classes(), profile.class_totals()
        if not classes.size:
            raise InvalidInputError("All weights are zero: give at least two classes a positive weight.")
        check_weighted_classes(classes, np.flatnonzero(totals > 0))
        if classes.size > MAX_CLASSES:
            raise InvalidInputError(f"y holds {classes.size:,} classes: at most {MAX_CLASSES} are taken.")
        factors = None
        if estimator.class_weight is not None:
            factors = find_class_factors(estimator.class_weight, classes, totals)
            if not (factors > 0).all():
                raise InvalidInputError(
                    "class_weight is 0 for a class: leave its rows out of a table that is read in parts."
                )
        costs = check_cost_matrix(estimator.cost_matrix, classes.size)
        largest, is_integer = profile.largest, profile.is_integer
        if factors is not None:
            largest, is_integer = (
                largest * float(factors.max()),
                is_integer and bool((factors % 1 == 0).all()),
            )
        check_total_weight(np.array([largest * profile.n_rows]), costs)
        pooling = check_pooling(estimator.max_categories, estimator.min_frequency)
        learned = encoding or profile.encoding(pooling, fill=estimator.split == "multivariate")
        names = tuple(column.name for column in profile.columns)
        is_weighted = profile.has_weights or factors is not None
        encoder = BatchEncoder(names, learned, classes, factors, is_weighted)
        weights = WeightSummary(largest, is_integer)
        set_names(estimator, names, profile.has_names)
        return cls(encoder, profile.n_rows, weights, costs, factors, profile.has_weights)

    def fill_medians(self, open_rows: Callable[[LearnedTable], RowSource]) -> LearnedTable:
        """Return the table with medians in place of missing numbers: one pass, as of a table in memory."""
        encoding = self.encoder.encoding
        assert encoding is not None
        columns = tuple(replace(column, fill=None) for column in encoding.columns)
        rows = open_rows(self._with_encoding(replace(encoding, columns=columns)))
        medians = column_medians(rows.take(np.arange(0, self.n_rows, median_step(self.n_rows))).X)
        firsts = np.cumsum([0, *(len(column.features) for column in columns)])
        filled = tuple(
            column if column.fill is None else replace(column, fill=float(medians[first]))
            for column, first in zip(encoding.columns, firsts[:-1], strict=True)
        )
        return self._with_encoding(replace(encoding, columns=filled))

    def _with_encoding(self, encoding: Encoding) -> LearnedTable:
        return replace(self, encoder=replace(self.encoder, encoding=encoding))

    def to_table(self, source: RowSource) -> LargeTable:
        """Return the table of these rows."""
        classes, none = self.encoder.classes, np.empty(0)
        codes = np.empty(0, dtype=np.intp)
        return LargeTable(
            np.empty((0, self.encoder.n_features)),
            codes,
            classes,
            none,
            self.cost_matrix,
            SampleGroups(codes, none, tuple(classes.tolist())),
            self.encoder.encoding,
            self.factors,
            source,
            self.has_weights,
        )


def set_names(estimator: BaseEstimator, names: tuple[str, ...], has_names: bool) -> None:
    """Set the number and the names of the columns of an estimator."""
    estimator.n_features_in_ = len(names)
    vars(estimator).pop("feature_names_in_", None)
    if has_names:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def collect_samples(batches: Iterable[LabelledSamples]) -> LabelledSamples:
    """Return the rows of all batches in memory: numbers as a frame, other columns as they are."""
    parts = list(batches)
    if not parts:
        raise InvalidInputError("The table has no rows: give at least two.")
    tables = [cast(ColumnTable, part.X) for part in parts]
    columns = [
        _join_columns([table.columns[place] for table in tables]) for place in range(tables[0].shape[1])
    ]
    y = np.concatenate([part.y for part in parts])
    weights = [part.sample_weight for part in parts if part.sample_weight is not None]
    weight = np.concatenate(weights) if weights else None
    X: Any = ColumnTable(tuple(columns), tables[0].has_names)
    if all(column.values.dtype.kind in "iuf" and not column.is_category for column in columns):
        X = _to_frame(columns, tables[0].has_names)
    return LabelledSamples(X, y, weight)


def _join_columns(columns: list[RawColumn]) -> RawColumn:
    values: list[NDArray[Any]] = [column.values for column in columns]
    kinds = {array.dtype.kind for array in values}
    if "O" in kinds and len(kinds) > 1:  # a batch without missing values, and one with some
        values = [array.astype(object) for array in values]
    first = columns[0]
    return RawColumn(first.name, np.concatenate(values), first.is_category, first.is_utc)


def _to_frame(columns: list[RawColumn], has_names: bool) -> Any:  # noqa: ANN401
    """Return columns of numbers as a frame, or as an array if they have no names or there is no pandas."""
    if not has_names:
        return np.column_stack([column.values for column in columns])
    try:
        import pandas
    except ImportError:
        return ColumnTable(tuple(columns))
    return pandas.DataFrame({column.name: column.values for column in columns})
