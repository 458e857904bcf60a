"""Tables read from CSV, TSV or Parquet files."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import listed
from oddlearn.table.column_table import Column, FileTable
from oddlearn.table.csv_dialect import UNKNOWN_DIALECT, CsvDialect
from oddlearn.table.csv_reader import Rows, decoded, has_decimal_commas, rows_of, typed_column
from oddlearn.table.files import read_content

BACKSLASHED_TAB = "\\t"

MAGIC = b"PAR1"


@dataclass(frozen=True)
class Reading:
    """How a file is to be read; None lets the file tell.

    Attributes
    ----------
    delimiter : str or None
        One character between fields.
    decimal : "." or "," or None
    encoding : str or None
    has_header : bool
        False when the first line is a row already; the columns are then called x0, x1, ...
    dialect : CsvDialect
        How files like it were read; what is given above goes first.
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    has_header: bool = True
    dialect: CsvDialect = UNKNOWN_DIALECT

    def __post_init__(self) -> None:
        if self.delimiter == BACKSLASHED_TAB:
            object.__setattr__(self, "delimiter", "\t")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise InvalidInputError(
                f"The delimiter is {self.delimiter!r}: give one character, such as ',' or ';' or '\\t'."
            )


def read_table(path: str, reading: Reading | None = None, *, text_columns: Collection[str] = ()) -> FileTable:
    """Read a table of CSV, TSV or Parquet.

    Parameters
    ----------
    path : str
        Of the file, ``-`` for standard input.
    reading : Reading, optional
    text_columns : collection of str
        Columns whose values are kept as text, even if all are numbers.

    Raises
    ------
    InvalidInputError
        With the file, the line or the column, and what to do.
    """
    how = reading or Reading()
    content, source = read_content(path)
    if content.startswith(MAGIC):
        found = parquet_columns(content, source)
        _check_names(source, [column.name for column in found])
        columns = (column.as_text() if column.name in text_columns else column for column in found)
        table = FileTable(source, tuple(columns))
    else:
        table = _delimited(content, source, how, text_columns)
    if not table.columns or table.n_rows == 0:
        raise InvalidInputError(f"{source} has no rows: give at least one line below the column names.")
    return table


def _delimited(content: bytes, source: str, how: Reading, text_columns: Collection[str]) -> FileTable:
    given = how.delimiter or ("\t" if source.lower().endswith((".tsv", ".tab")) else None)
    rows = rows_of(decoded(content, source, how.encoding), source, given, how.dialect.delimiter)
    names, fields, remarks = _named(rows, how.has_header)
    _check_names(source, names)
    columns, with_comma = [], []
    for name, raw in zip(names, zip(*fields, strict=True), strict=False):
        texts = list(map(str.strip, raw))
        known = how.decimal or how.dialect.decimal_of(name, rows.delimiter)
        decimal = known or _guessed_decimal(rows.delimiter, texts)
        column = typed_column(name, texts, decimal=decimal, keep_text=name in text_columns)
        columns.append(column)
        is_found = known is None or (how.decimal is None and name in how.dialect.decimal_commas)
        if is_found and decimal == "," and column.kind == "number":
            with_comma.append(name)
    if with_comma:
        remarks.append(f"Commas are taken for decimal commas in {listed(with_comma)} (see --decimal).")
    dialect = CsvDialect(rows.delimiter, how.decimal, tuple(with_comma))
    return FileTable(source, tuple(columns), tuple(remarks), dialect)


def _guessed_decimal(delimiter: str, texts: list[str]) -> str:
    # between commas, 1,234 in quotes is more often a thousand than a decimal comma
    return "," if delimiter != "," and has_decimal_commas(texts) else "."


def _named(rows: Rows, has_header: bool) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the names of the columns, the rows below, and what was decided about the names."""
    if not has_header:
        return [f"x{place}" for place in range(len(rows.header))], [rows.header, *rows.fields], []
    remarks = []
    names = [name or f"column {place}" for place, name in enumerate(rows.header, start=1)]
    nameless = [name for name, given in zip(names, rows.header, strict=True) if not given]
    if nameless:
        remarks.append(f"The header has no name for {listed(nameless)}.")
    if rows.fields and all(_is_number(name) for name in rows.header):
        remarks.append(
            "The first line holds numbers only and is taken for the column names; if it is a row, give "
            "--no-header."
        )
    return names, rows.fields, remarks


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_names(source: str, names: list[str]) -> None:
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubled:
        raise InvalidInputError(
            f"{source} has more than one column called {listed(doubled)}: give each a name of its own."
        )


def parquet_columns(content: bytes, source: str) -> list[Column]:
    """Return the columns of a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InvalidInputError(
            f'{source} is a Parquet file, and pyarrow is not installed: pip install "oddlearn[tables]", or '
            "give the table as CSV."
        ) from None
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError) as problem:
        reason = str(problem).splitlines()[0]
        raise InvalidInputError(f"{source} is not a whole Parquet file: {reason}") from None
    return [
        _column(str(name), values) for name, values in zip(table.column_names, table.columns, strict=True)
    ]


def _column(name: str, values: Any) -> Column:  # noqa: ANN401
    """Return a pyarrow column in plain arrays; what is neither number nor boolean becomes text, as in CSV."""
    import pyarrow

    kinds = pyarrow.types
    if kinds.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    missing = values.is_null(nan_is_null=kinds.is_floating(values.type)).to_numpy()
    plain: NDArray[Any]
    if kinds.is_boolean(values.type):
        plain = values.fill_null(False).to_numpy().astype(bool)
    elif kinds.is_integer(values.type):
        plain = values.fill_null(0).to_numpy()
        plain = plain.astype(np.float64 if plain.dtype == np.uint64 else np.int64)
    elif kinds.is_floating(values.type) or kinds.is_decimal(values.type):
        plain = values.cast(pyarrow.float64()).to_numpy().astype(np.float64)
    else:
        plain = np.array(["" if given is None else str(given) for given in values.to_pylist()], dtype=object)
    return Column(name, plain, missing)
