"""Encoding of columns as features, learned from a training table."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.features import Feature
from oddlearn.diagram.json_checks import read_record
from oddlearn.diagram.routing import row_blocks
from oddlearn.diagram.timestamps import DAY, TimestampKind
from oddlearn.errors import InvalidInputError, MissingColumnWarning, UnknownCategoryWarning
from oddlearn.table.categories import Pooling, learn_categories
from oddlearn.table.checks import list_names
from oddlearn.table.column_medians import column_medians
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.encoded_column import ColumnKind, EncodedColumn
from oddlearn.table.timestamp_columns import to_microseconds
from oddlearn.table.value_kinds import find_missing, value_types


@dataclass(frozen=True)
class Encoding:
    """The columns of a training table; ``has_names`` is False when their names are not the user's."""

    columns: tuple[EncodedColumn, ...]
    has_names: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Features of an encoded row, in order."""
        return tuple(feature for column in self.columns for feature in column.features)

    @cached_property
    def column_of(self) -> tuple[int, ...]:
        """Place of the column that each feature comes from."""
        return tuple(place for place, column in enumerate(self.columns) for _ in column.features)

    @property
    def is_numeric(self) -> bool:
        """True if all columns were numbers."""
        return all(column.kind in ("number", "empty") for column in self.columns)

    def encode(self, table: ColumnTable, needed: Collection[int] | None = None) -> FloatArray:
        """Return the rows as numbers, shape (n, n_features); warns of categories that are not known.

        ``table``: with the columns of the encoding, in its order.
        ``needed``: columns whose unknown categories are warned of; all of them by default.
        """
        pairs = list(zip(self.columns, table.columns, strict=True))
        _warn_of_unknown(pairs if needed is None else [pairs[place] for place in sorted(needed)])
        return self._join(table.shape[0], (column.encode(raw) for column, raw in pairs))

    def encode_numbers(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the features of rows of numbers, of which NaN are missing, shape (n, n_features)."""
        if len(self.features) == rows.shape[1] and not _has_nan(rows):
            return rows
        columns = zip(self.columns, rows.T, strict=True)
        parts = (column.fill_missing(values.astype(np.float64)) for column, values in columns)
        return self._join(rows.shape[0], parts)

    def _join(self, n_rows: int, parts: Iterable[FloatArray]) -> FloatArray:
        """Return the features of all columns side by side; each column is made when it is written."""
        joined, place = np.empty((n_rows, len(self.features))), 0
        for part in parts:
            joined[:, place : place + part.shape[1]] = part
            place += part.shape[1]
        return joined

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {"has_names": self.has_names, "columns": [column.to_dict() for column in self.columns]}


def needed_columns(model: Any) -> frozenset[int]:  # noqa: ANN401
    """Return the places of the columns that the diagram of a fitted classifier asks about."""
    features = model.diagram_.used_features
    if model.encoding_ is None:
        return frozenset(features)
    return frozenset(model.encoding_.column_of[feature] for feature in features)


def encoding_from_dict(document: object, where: str = "encoding") -> Encoding:
    """Read an encoding written by ``to_dict``; a damaged one raises ModelFileError."""
    return read_record(Encoding, document, where)


def _warn_of_unknown(pairs: list[tuple[EncodedColumn, RawColumn]]) -> None:
    unknown = [(column.name, column.unknown(raw)) for column, raw in pairs]
    texts = [f"{name} ({list_names(values)})" for name, values in unknown if values]
    if texts:
        warnings.warn(
            f"X holds categories that the training data did not have, in {list_names(texts)}: they count as "
            "none of the known ones, all features of the column are 0.",
            UnknownCategoryWarning,
            stacklevel=8,  # the caller of predict
        )


def learn_encoding(table: ColumnTable, pooling: Pooling | None = None, *, fill: bool = False) -> Encoding:
    """Return the encoding of a training table; columns that cannot be encoded are refused with a sentence.

    ``pooling``: of rare categories.
    ``fill``: True to replace missing numbers by the median of their column; False leaves them NaN.
    """
    learned = [_learn_column(column, pooling or Pooling(), fill) for column in table.columns]
    warn_of_empty(learned)
    return Encoding(tuple(learned), table.has_names)


def learn_number_encoding(
    rows: NDArray[np.floating], names: list[str] | None, *, fill: bool
) -> Encoding | None:
    """Return the encoding of a training table of numbers, of which NaN are missing.

    None if the numbers need none: no value is missing, and there is nothing to fill in.
    """
    has_missing, is_empty = _find_missing_columns(rows)
    if not fill and not has_missing.any():
        return None
    columns, fills = [], column_medians(rows).tolist() if fill else [None] * rows.shape[1]
    for place, name in enumerate(names or [f"x{place}" for place in range(rows.shape[1])]):
        kind: ColumnKind = "empty" if is_empty[place] else "number"
        columns.append(EncodedColumn(name, kind, (), 0, bool(has_missing[place]), fills[place]))
    warn_of_empty(columns)
    return Encoding(tuple(columns), names is not None)


def _find_missing_columns(rows: NDArray[np.floating]) -> tuple[BoolArray, BoolArray]:
    """Return the columns with missing values, and those that have no others."""
    has_missing, is_empty = np.zeros(rows.shape[1], dtype=bool), np.ones(rows.shape[1], dtype=bool)
    if not _has_nan(rows):
        return has_missing, has_missing
    for block in row_blocks(rows.shape[0]):
        missing = np.isnan(rows[block])
        has_missing |= missing.any(axis=0)
        is_empty &= missing.all(axis=0)
    return has_missing, is_empty


def _has_nan(rows: NDArray[np.floating]) -> bool:
    """Return True if a value is NaN, by one pass and without an array of flags; none is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan(rows.sum()):
            return False
    return any(bool(np.isnan(rows[block]).any()) for block in row_blocks(rows.shape[0]))


def warn_of_empty(columns: list[EncodedColumn]) -> None:
    """Warn of columns without any value."""
    empty = [column.name for column in columns if column.kind == "empty"]
    if empty:
        warnings.warn(
            f"All values are missing in {list_names(empty)}: no split uses these columns.",
            MissingColumnWarning,
            stacklevel=6,
        )


def _learn_column(raw: RawColumn, pooling: Pooling, fill: bool) -> EncodedColumn:
    missing = find_missing(raw.values)
    present, has_missing = raw.values[~missing], bool(missing.any())
    if not present.size:
        return EncodedColumn(raw.name, "empty", has_missing=True, fill=0.0 if fill else None)
    kind = raw.kind(present)
    if kind == "other":
        raise InvalidInputError(mixture_text(raw.name, present))
    if kind == "boolean":
        return EncodedColumn(raw.name, "boolean", has_missing=has_missing)
    if kind == "text" or (kind == "number" and raw.is_category):
        levels, n_pooled = learn_categories(raw.name, present.tolist(), missing.size, pooling)
        return EncodedColumn(raw.name, "category", levels, n_pooled, has_missing)
    if kind == "datetime" and not (to_microseconds(present) % DAY).any():
        kind = "date"
    column = EncodedColumn(raw.name, cast("ColumnKind | TimestampKind", kind), has_missing=has_missing)
    return replace(column, fill=float(column_medians(column.encode(raw))[0])) if fill else column


def mixture_text(name: str, present: NDArray[np.object_]) -> str:
    """Return a message on a column with values of several kinds."""
    types = ", ".join(sorted(type_.__name__ for type_ in value_types(present)))
    return (
        f"The column {name} holds values of type {types}: give numbers only, booleans only, dates only or "
        f'text only, for example X["{name}"].astype(str).'
    )
