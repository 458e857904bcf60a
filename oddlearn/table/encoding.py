"""Columns turned into features, and how that is learned from a table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.features import Feature, FeatureKind, Label, label_from
from oddlearn.diagram.json_checks import field_of, listed, text
from oddlearn.errors import InvalidInputError, ModelFileError, UnknownCategoryWarning
from oddlearn.table.checks import shortened
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.value_kinds import value_kind, value_types

# a column of text with more different values is taken for names or remarks, not for categories
MOST_CATEGORIES = 100

# and so is one with more different values than half the rows, beyond this many
SURELY_CATEGORIES = 10


@dataclass(frozen=True)
class EncodedColumn:
    """One column of the training table.

    Attributes
    ----------
    name : str
    kind : "number", "boolean" or "category"
    categories : tuple of str, int, float or bool
        Those of the training rows, sorted; empty for other kinds.
    """

    name: str
    kind: FeatureKind
    categories: tuple[Label, ...] = ()

    @property
    def features(self) -> tuple[Feature, ...]:
        """One feature; of a category column one per category, of two categories only the second."""
        if self.kind != "category":
            return (Feature(self.name, kind=self.kind),)
        shown = self.categories[1:] if len(self.categories) == 2 else self.categories
        return tuple(Feature(self.name, category, "category") for category in shown)

    def encoded(self, values: NDArray[Any]) -> FloatArray:
        """Return the features of a column without missing values, shape (n, n_features)."""
        if self.kind == "category":
            shown = [feature.category for feature in self.features]
            # a dictionary takes any mixture of values; numpy would have to sort them
            place = {category: code for code, category in enumerate(shown)}
            codes = np.array([place.get(value, -1) for value in values.tolist()], dtype=np.intp)
            return np.asarray(codes[:, None] == np.arange(len(shown)), dtype=np.float64)
        numbers = self._numbers(values)
        if not np.isfinite(numbers).all():
            raise InvalidInputError(
                f"X contains infinity in the column {self.name}. Give finite numbers: replace infinity by a "
                "number beyond all others, or leave the rows out."
            )
        if self.kind == "boolean" and not np.isin(numbers, (0.0, 1.0)).all():
            raise self._surprise("numbers other than 0 and 1")
        return numbers[:, None]

    def unknown(self, values: NDArray[Any]) -> list[object]:
        """Return the values of a category column that no training row had."""
        if self.kind != "category":
            return []
        try:
            return sorted(set(values.tolist()) - set(self.categories), key=str)
        except TypeError:
            raise self._surprise("lists or other containers") from None

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {"name": self.name, "kind": self.kind, "categories": list(self.categories)}

    def _numbers(self, values: NDArray[Any]) -> FloatArray:
        kind = value_kind(values)
        if values.size and kind not in ("number", "boolean"):
            found = {"text": "text", "date": "dates or times"}.get(kind, "values of another kind")
            raise self._surprise(found)
        try:
            return values.astype(np.float64)
        except OverflowError:
            raise InvalidInputError(f"The column {self.name} holds numbers beyond 1e308.") from None

    def _surprise(self, found: str) -> InvalidInputError:
        kinds = {"number": "numbers", "boolean": "booleans", "category": "categories"}
        return InvalidInputError(
            f"The column {self.name} held {kinds[self.kind]} in the training data and holds {found} now: "
            f"give {kinds[self.kind]}."
        )


@dataclass(frozen=True)
class Encoding:
    """The columns of a training table; ``has_names`` is False when their names are not the user's."""

    columns: tuple[EncodedColumn, ...]
    has_names: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def features(self) -> tuple[Feature, ...]:
        """What the numbers of an encoded row stand for."""
        return tuple(feature for column in self.columns for feature in column.features)

    def encoded(self, table: ColumnTable) -> FloatArray:
        """Return the rows as numbers, shape (n, n_features); warns of categories that are not known.

        The table has the columns of the encoding, in its order.
        """
        table.check_complete()
        pairs = list(zip(self.columns, table.columns, strict=True))
        _warn_of_unknown(pairs)
        return np.hstack([column.encoded(raw.values) for column, raw in pairs])

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {"has_names": self.has_names, "columns": [column.to_dict() for column in self.columns]}


def encoding_from_dict(document: object, where: str = "encoding") -> Encoding:
    """Read an encoding written by ``to_dict``; a damaged one raises ModelFileError."""
    columns = listed(field_of(document, "columns", where), f"{where}.columns")
    named = field_of(document, "has_names", where)
    if not isinstance(named, bool):
        raise ModelFileError(f"The model file is damaged: {where}.has_names must be true or false.")
    read = (_column_from(column, f"{where}.columns[{place}]") for place, column in enumerate(columns))
    return Encoding(tuple(read), named)


def _column_from(document: object, where: str) -> EncodedColumn:
    kind = text(field_of(document, "kind", where), f"{where}.kind")
    if kind not in get_args(FeatureKind):
        raise ModelFileError(f"The model file is damaged: {where}.kind {kind!r} is not a kind of column.")
    given = listed(field_of(document, "categories", where), f"{where}.categories")
    categories = tuple(label_from(item, f"{where}.categories") for item in given)
    name = text(field_of(document, "name", where), f"{where}.name")
    return EncodedColumn(name, kind, categories)  # type: ignore[arg-type]


def _warn_of_unknown(pairs: list[tuple[EncodedColumn, RawColumn]]) -> None:
    unknown = [(column.name, column.unknown(raw.values)) for column, raw in pairs]
    told = [f"{name} ({shortened([repr(value) for value in values])})" for name, values in unknown if values]
    if told:
        warnings.warn(
            f"X holds categories that the training data did not have, in {shortened(told)}: they count as "
            "none of the known ones, all features of the column are 0.",
            UnknownCategoryWarning,
            stacklevel=7,  # the caller of predict
        )


def learned_encoding(table: ColumnTable) -> Encoding:
    """Return the encoding of a training table; columns that cannot be encoded are refused with a sentence."""
    table.check_complete()
    return Encoding(tuple(_learned(column) for column in table.columns), table.has_names)


def _learned(column: RawColumn) -> EncodedColumn:
    kind = value_kind(column.values)
    if kind == "date":
        raise InvalidInputError(
            f"X holds dates or times in {column.name}: turn dates into numbers first, for example into days "
            "since the first, or into the month as text."
        )
    if kind == "other":
        raise InvalidInputError(_mixture(column))
    if kind == "boolean":
        return EncodedColumn(column.name, "boolean")
    if kind == "number" and not column.is_category:
        return EncodedColumn(column.name, "number")
    return EncodedColumn(column.name, "category", _categories(column))


def _categories(column: RawColumn) -> tuple[Label, ...]:
    """Return the different values, sorted; too many are refused."""
    distinct = set(column.values.tolist())
    n_rows = column.values.size
    if len(distinct) > MOST_CATEGORIES or len(distinct) > max(SURELY_CATEGORIES, n_rows // 2):
        raise InvalidInputError(
            f"The column {column.name} holds {len(distinct):,} different values in {n_rows:,} rows, such as "
            f"{min(distinct)!r}: too many for categories. Leave it out if it names the rows, convert it "
            f"if it holds numbers (pandas.to_numeric), or group its values, at most {MOST_CATEGORIES}."
        )
    return tuple(sorted(distinct))


def _mixture(column: RawColumn) -> str:
    types = ", ".join(sorted(type_.__name__ for type_ in value_types(column.values)))
    return (
        f"The column {column.name} holds values of type {types}: give numbers only, booleans only or text "
        f'only, for example X["{column.name}"].astype(str).'
    )
