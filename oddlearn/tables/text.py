"""From the bytes of a file to text, and from text to rows of fields."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass
from typing import Any

from oddlearn.errors import InvalidInputError

DELIMITERS = (",", ";", "\t", "|")
DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

# how much of a file, and how many rows, the delimiter is guessed from
SNIFFED_CHARACTERS = 100_000
SNIFFED_ROWS = 30


@dataclass(frozen=True)
class Rows:
    """A header, rows of as many fields, and the delimiter between them."""

    header: list[str]
    fields: list[list[str]]
    delimiter: str


def decoded(content: bytes, source: str, encoding: str | None) -> str:
    """Return the bytes as text: in the encoding that is given, told by a byte-order mark, or UTF-8."""
    name = encoding or _marked_encoding(content) or "utf-8-sig"
    try:
        text = content.decode(name)
    except LookupError:
        raise InvalidInputError(
            f"The encoding {encoding!r} is not known: give one such as utf-8, cp1252 or latin-1."
        ) from None
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise InvalidInputError(
            f"{source} is not {problem.encoding} text: byte {content[problem.start]:#04x} at position "
            f"{problem.start}, in line {line}, does not fit. Save it as UTF-8, or name its encoding, such as "
            "--encoding cp1252."
        ) from None
    if "\0" in text:
        raise InvalidInputError(
            f"{source} holds a zero byte in line {_line_at(text, text.index(chr(0)))}: it is no text file. "
            "Give CSV, TSV or Parquet."
        )
    return text.removeprefix("\ufeff")  # the mark stays where utf-8 was named


def rows_of(text: str, source: str, delimiter: str | None, usual: str | None = None) -> Rows:
    """Split text into rows of fields; a row longer or shorter than the header is named by its line.

    Without a delimiter, the ``usual`` one is taken if the header has it, or has none at all.
    """
    if not text.strip():
        raise InvalidInputError(
            f"{source} is empty: give a file with a line of column names and rows below it."
        )
    used = delimiter or (usual if usual and _suits(text, usual) else _sniffed(text))
    try:
        parsed = [row for row in _reader(text, used) if row]
    except csv.Error as problem:
        raise InvalidInputError(f"{source}, line {_line_of_error(text, used)}: {_told(problem)}") from None
    header, *fields = parsed
    if any(len(row) != len(header) for row in fields):
        _refuse_ragged(text, source, used, len(header))
    return Rows([name.strip() for name in header], fields, used)


def _reader(text: str, delimiter: str) -> Any:  # noqa: ANN401
    """Return a reader of the csv module, whose type has no public name in all versions of Python."""
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)


def _marked_encoding(content: bytes) -> str | None:
    """Return what a byte-order mark says; UTF-32's begins like UTF-16's, so it is asked first."""
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    return "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _suits(text: str, usual: str) -> bool:
    header = text.lstrip().partition("\n")[0]
    return usual in header or not any(delimiter in header for delimiter in DELIMITERS)


def _sniffed(text: str) -> str:
    """Return the delimiter that gives the first rows equal widths, the widest if several do."""
    start = text[:SNIFFED_CHARACTERS]
    if len(start) < len(text):
        start = start[: start.rfind("\n") + 1] or start
    widths = {delimiter: _widths(start, delimiter) for delimiter in DELIMITERS}
    even = [delimiter for delimiter in DELIMITERS if len(set(widths[delimiter])) == 1]
    best = max(even, key=lambda delimiter: widths[delimiter][0], default=",")
    if even and widths[best][0] > 1:
        return best
    # no even widths: some row is ragged, and the header says best what was meant
    return max(DELIMITERS, key=lambda delimiter: widths[delimiter][:1])


def _widths(start: str, delimiter: str) -> list[int]:
    widths: list[int] = []
    try:
        for row in _reader(start, delimiter):
            if row:
                widths.append(len(row))
            if len(widths) == SNIFFED_ROWS:
                break
    except csv.Error:
        pass  # a quote that does not fit this delimiter: what came before it still counts
    return widths


def _refuse_ragged(text: str, source: str, delimiter: str, width: int) -> None:
    reader = _reader(text, delimiter)
    begins = 1
    for row in reader:
        if row and len(row) != width:
            raise InvalidInputError(
                f"{source}, line {begins}: {len(row)} field{'s' * (len(row) != 1)}, but the header has "
                f"{width} (fields are told apart by a {DELIMITER_NAMES.get(delimiter, delimiter)}). Correct "
                "the line, put quotes around fields that hold the delimiter, or give --delimiter."
            )
        begins = reader.line_num + 1


def _line_of_error(text: str, delimiter: str) -> int:
    reader = _reader(text, delimiter)
    begins = 1
    try:
        for _ in reader:
            begins = reader.line_num + 1
    except csv.Error:
        pass
    return begins


def _told(problem: csv.Error) -> str:
    if "field larger" in str(problem):
        return "a field is longer than 131,072 characters. Perhaps a quote is opened and never closed."
    if "unexpected end" in str(problem):
        return "a quote is opened and never closed. Close it, or double quotes inside quotes."
    if "expected after" in str(problem):
        return "a closing quote is followed by more text. Double quotes inside quotes."
    return f"the row cannot be read ({problem})."
