"""From a training table to its encoding: what each column is, and which categories it has."""

from __future__ import annotations

from oddlearn.diagram.labels import Label
from oddlearn.encoding.columns import ColumnTable, RawColumn
from oddlearn.encoding.encoding import EncodedColumn, Encoding
from oddlearn.encoding.values import value_kind, value_types
from oddlearn.errors import InvalidInputError

# a column of text with more different values is taken for names or remarks, not for categories
MOST_CATEGORIES = 100

# and so is one with more different values than half the rows, beyond this many
SURELY_CATEGORIES = 10


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
