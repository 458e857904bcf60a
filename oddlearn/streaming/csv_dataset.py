"""CSV files as a pyarrow dataset: the types of their columns from the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import list_names
from oddlearn.table.column_table import Column
from oddlearn.table.csv_reader import MISSING, infer_column
from oddlearn.table.read_table import FileTable, ReadOptions, read_delimited

# bytes of the first file from which delimiter and types are found
HEAD_BYTES = 1_000_000

# bytes that pyarrow reads at once
BLOCK_BYTES = 4_000_000

TRUE_TEXTS, FALSE_TEXTS = ("true", "True", "TRUE"), ("false", "False", "FALSE")


def open_csv_dataset(
    files: Sequence[Path],
    reading: ReadOptions | None,
    target: str | None,
    partitions: dict[str, Any] | None = None,
) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """Return a dataset of CSV files, its columns of dates in text, and those that only count the rows."""
    import pyarrow.csv
    import pyarrow.dataset

    how = reading or ReadOptions()
    first = next((file for file in files if _has_rows(file)), files[0])
    head = _read_head(first, how)
    if how.has_header and not _has_rows(first):
        raise InvalidInputError(f"{first} has column names and no rows below them: give at least two rows.")
    names = _header_names(first, head, how)
    for file in files:  # pyarrow would skip the header of the others and read their columns by place
        others = _header_names(file, head, how)
        if others != names:
            raise InvalidInputError(other_columns_text(str(file), others, str(first), names))
    columns = _find_types(head, [file for file in files if file != first and _has_rows(file)], how)
    dates = tuple(column.name for column in columns if column.kind == "date")
    has_comma = bool(head.dialect.decimal_commas) or how.decimal == ","
    csv_format = pyarrow.dataset.CsvFileFormat(
        parse_options=pyarrow.csv.ParseOptions(delimiter=head.dialect.delimiter or ","),
        read_options=pyarrow.csv.ReadOptions(
            block_size=BLOCK_BYTES,
            encoding=how.encoding or "utf8",
            column_names=names,
            skip_rows=1 if how.has_header else 0,
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={column.name: _arrow_type(column, column.name == target) for column in columns},
            null_values=[*MISSING, *head.dialect.missing],
            strings_can_be_null=True,
            true_values=list(TRUE_TEXTS),
            false_values=list(FALSE_TEXTS),
            decimal_point="," if has_comma else ".",
        ),
    )
    dataset = pyarrow.dataset.dataset([str(file) for file in files], format=csv_format, **(partitions or {}))
    left_out = tuple(name for name in names if name not in head.names)
    return dataset, dates, left_out


def other_columns_text(name: str, names: Sequence[str], first: str, first_names: Sequence[str]) -> str:
    """Return the message about a file whose columns are not those of the first."""
    return (
        f"{name} has the columns {list_names(names)}, and {first} has {list_names(first_names)}: give files "
        "with the same columns in the same order."
    )


def _find_types(head: FileTable, others: Sequence[Path], how: ReadOptions) -> list[Column]:
    """Return columns of the first file, those without any value there from the next file that has one."""
    columns = {column.name: column for column in head.columns}
    for path in others:
        untyped = {name for name, column in columns.items() if column.missing.all()}
        if not untyped:
            break
        found = _read_head(path, how).columns
        columns.update({column.name: column for column in found if column.name in untyped})
    return list(columns.values())


def _has_rows(path: Path) -> bool:
    """Return True for a file with anything below its first line."""
    with path.open("rb") as stream:
        stream.readline()
        return bool(stream.read(HEAD_BYTES).strip())


def _read_head(path: Path, how: ReadOptions) -> FileTable:
    with path.open("rb") as stream:
        content = stream.read(HEAD_BYTES)
        is_whole = not stream.read(1)
    if not is_whole:
        content = content[: content.rfind(b"\n") + 1]
    if not content:
        raise InvalidInputError(_empty_text(path))
    return read_delimited(content, str(path), how, ())


def _empty_text(path: Path) -> str:
    return f"{path} is empty: give a file with a line of column names and rows below it."


def _header_names(path: Path, head: FileTable, how: ReadOptions) -> list[str]:
    """Return the names of all columns of a file, in their order, those that were left out included."""
    import csv

    with path.open("r", encoding=how.encoding or "utf-8-sig", errors="replace", newline="") as stream:
        try:
            first = next(csv.reader(stream, delimiter=head.dialect.delimiter or ","), None)
        except csv.Error as problem:
            raise InvalidInputError(f"{path} cannot be read: {problem}.") from None
    if first is None:
        raise InvalidInputError(_empty_text(path))
    if not how.has_header:
        return [f"x{place}" for place in range(len(first))]
    return [name.strip() or f"column {place}" for place, name in enumerate(first, start=1)]


def _arrow_type(column: Column, is_target: bool) -> Any:  # noqa: ANN401
    import pyarrow

    if column.kind == "number":
        is_whole = is_target and column.values.dtype.kind in "iu"
        return pyarrow.int64() if is_whole else pyarrow.float64()
    return pyarrow.bool_() if column.kind == "boolean" else pyarrow.string()


def parse_text_dates(column: Column, source: str) -> Column:
    """Return a column of text as dates and times."""
    texts = [
        "" if lacks else str(text).strip() for text, lacks in zip(column.values, column.missing, strict=True)
    ]
    parsed = infer_column(column.name, texts, decimal=".")
    if parsed.kind != "date" and not column.missing.all():
        present = [text for text in texts if text]
        raise InvalidInputError(
            f"The column {column.name} of {source} holds dates in its first rows and text such as "
            f"{present[0]!r} later: give dates in all of them."
        )
    if column.missing.all():
        return Column(column.name, np.full(len(texts), "NaT", dtype="datetime64[us]"), column.missing)
    return parsed
