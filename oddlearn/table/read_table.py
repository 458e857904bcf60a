"""Tables read from CSV, TSV or Parquet files."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray
from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import quote_names
from oddlearn.table.column_table import Column, ColumnTable
from oddlearn.table.csv_reader import (
    MISSING,
    UNKNOWN_DIALECT,
    CsvDialect,
    CsvRows,
    decode_text,
    find_words,
    has_decimal_commas,
    infer_column,
    parse_rows,
)
from oddlearn.table.files import read_content
from oddlearn.table.parquet_reader import MAGIC, parquet_columns
from oddlearn.table.value_kinds import is_number_text

BACKSLASHED_TAB = "\\t"


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file; None is found from the file."""

    delimiter: str | None = None  # one character between fields
    decimal: str | None = None  # "." or ","
    encoding: str | None = None
    has_header: bool = True  # False when the first line is a row already: columns are called x0, x1, ...
    dialect: CsvDialect = UNKNOWN_DIALECT  # of files read before; the options above take precedence
    missing: tuple[str, ...] = ()  # texts of a missing value, beside the usual ones and those of the dialect

    def __post_init__(self) -> None:
        if self.delimiter == BACKSLASHED_TAB:
            object.__setattr__(self, "delimiter", "\t")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise InvalidInputError(
                f"The delimiter is {self.delimiter!r}: give one character, such as ',' or ';' or '\\t'."
            )


@dataclass(frozen=True, eq=False)
class FileTable:
    """A table read from a file."""

    source: str  # name of the file, for messages
    columns: tuple[Column, ...]  # of equal length, with different names
    messages: tuple[str, ...] = ()  # sentences on decisions that the user should know of
    dialect: CsvDialect = UNKNOWN_DIALECT  # as which the file was read

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.columns[0].values.size

    def column(self, name: str, wanted_by: str = "") -> Column:
        """Return a column by its name, or say which name comes closest.

        ``wanted_by``: what asks for it, such as ``--target``, for the message.
        """
        for column in self.columns:
            if column.name == name:
                return column
        asking = f" ({wanted_by})" if wanted_by else ""
        raise InvalidInputError(
            f"{self.source} has no column {name!r}{asking}: {nearest_name(name, self.names)}"
        )

    def without(self, names: Collection[str]) -> FileTable:
        """Return the table without these columns."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def rows(self, places: NDArray[Any]) -> FileTable:
        """Return the table with these rows only, given by place or by a mask."""
        return replace(self, columns=tuple(column.rows(places) for column in self.columns))

    def incomplete_rows(self) -> BoolArray:
        """Return which rows miss a value, shape (n_rows,)."""
        lacking = np.zeros(self.n_rows, dtype=bool)
        for column in self.columns:
            lacking |= column.missing
        return lacking

    def to_column_table(self) -> ColumnTable:
        """Return the columns as an estimator takes them."""
        return ColumnTable(tuple(column.to_raw() for column in self.columns))


def nearest_name(name: str, names: tuple[str, ...]) -> str:
    """Return a hint at the name that comes closest."""
    folded = {column.casefold().strip(): column for column in names}
    close = difflib.get_close_matches(name.casefold().strip(), list(folded), n=1)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"it has {quote_names(names)}."


def read_table(
    path: str, reading: ReadOptions | None = None, *, text_columns: Collection[str] = ()
) -> FileTable:
    """Read a table of CSV, TSV or Parquet; errors name the file, the line or the column, and what to do.

    ``path``: of the file, ``-`` for standard input.
    ``text_columns``: columns whose values are kept as text, even if all are numbers.
    """
    how = reading or ReadOptions()
    content, source = read_content(path)
    if content.startswith(MAGIC):
        if how.missing:
            raise InvalidInputError(
                f"{source} is a Parquet file, which marks missing values itself: leave out --missing."
            )
        found = parquet_columns(content, source)
        _check_names(source, [column.name for column in found])
        columns = (column.as_text() if column.name in text_columns else column for column in found)
        table = FileTable(source, tuple(columns))
    else:
        table = read_delimited(content, source, how, text_columns)
    if not table.columns or table.n_rows == 0:
        raise InvalidInputError(f"{source} has no rows: give at least one line below the column names.")
    return table


def read_delimited(content: bytes, source: str, how: ReadOptions, text_columns: Collection[str]) -> FileTable:
    """Read a table from the content of a CSV or TSV file."""
    delimiter = how.delimiter or ("\t" if source.lower().endswith((".tsv", ".tab")) else None)
    rows = parse_rows(decode_text(content, source, how.encoding), source, delimiter, how.dialect.delimiter)
    names, fields, messages = _split_header(rows, how.has_header)
    _check_names(source, names)
    missing = tuple(dict.fromkeys((*how.dialect.missing, *how.missing)))
    missing_texts = MISSING.union(missing)
    columns, with_comma, row_numbers = [], [], []
    for place, raw in enumerate(zip(*fields, strict=True)):
        name, texts = names[place], list(map(str.strip, raw))
        if how.has_header and not rows.header[place] and _counts_rows(texts):
            row_numbers.append(name)
            continue
        given = how.decimal or how.dialect.decimal_of(name, rows.delimiter)
        decimal = given or _guess_decimal(rows.delimiter, texts, missing_texts)
        keep_text = name in text_columns
        column = infer_column(name, texts, decimal=decimal, keep_text=keep_text, missing_texts=missing_texts)
        columns.append(column)
        messages += [] if keep_text else _word_messages(column)
        is_found = given is None or (how.decimal is None and name in how.dialect.decimal_commas)
        if is_found and decimal == "," and column.kind == "number":
            with_comma.append(name)
    messages += _nameless_messages(names, rows.header if how.has_header else names, row_numbers)
    if with_comma:
        messages.append(f"Commas are taken for decimal commas in {quote_names(with_comma)} (see --decimal).")
    dialect = CsvDialect(rows.delimiter, how.decimal, tuple(with_comma), missing)
    return FileTable(source, tuple(columns), tuple(messages), dialect)


def _nameless_messages(names: list[str], header: list[str], row_numbers: list[str]) -> list[str]:
    """Return messages about columns without a name, of which ``row_numbers`` are left out."""
    nameless = [name for name, given in zip(names, header, strict=True) if not given]
    others = [name for name in nameless if name not in row_numbers]
    messages = [f"The header has no name for {quote_names(others)}."] if others else []
    if row_numbers:
        messages.append(f"{quote_names(row_numbers)} has no name and counts the rows: it is left out.")
    return messages


def _counts_rows(texts: list[str]) -> bool:
    """Return True for the numbers of several rows, from 0 or 1 on, as frames are written by default."""
    counts = ([str(row) for row in range(first, first + len(texts))] for first in (0, 1))
    return len(texts) > 1 and texts in counts


def _guess_decimal(delimiter: str, texts: list[str], missing_texts: frozenset[str]) -> str:
    # between commas, 1,234 in quotes is more often a thousand than a decimal comma
    return "," if delimiter != "," and has_decimal_commas(texts, missing_texts) else "."


def _word_messages(column: Column) -> list[str]:
    """Return a message about a column of numbers with a few words."""
    words = find_words(column)
    if not words:
        return []
    count, option = int(np.isin(column.values, words).sum()), shlex.quote(",".join(words))
    return [
        f"{column.name!r} holds numbers and {quote_names(words)} ({count} of {column.values.size} rows): it "
        f"is read as categories. If a missing value is meant, give --missing {option}."
    ]


def _split_header(rows: CsvRows, has_header: bool) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the names of the columns, the rows below, and what was decided about the names."""
    if not has_header:
        return [f"x{place}" for place in range(len(rows.header))], [rows.header, *rows.fields], []
    messages = []
    names = [name or f"column {place}" for place, name in enumerate(rows.header, start=1)]
    if rows.fields and all(is_number_text(name) for name in rows.header):
        messages.append(
            "The first line holds numbers only and is taken for the column names; if it is a row, give "
            "--no-header."
        )
    return names, rows.fields, messages


def _check_names(source: str, names: list[str]) -> None:
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubled:
        raise InvalidInputError(
            f"{source} has more than one column called {quote_names(doubled)}: give each a name of its own."
        )
