"""Text of a CSV file to typed columns: encoding, delimiter, decimal sign."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import Column
from oddlearn.table.timestamp_columns import parse_iso
from oddlearn.table.value_kinds import is_number_text

DELIMITERS = (",", ";", "\t", "|")
DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

# how much of a file, and how many rows, the delimiter is guessed from
SNIFFED_CHARACTERS = 100_000
SNIFFED_ROWS = 30

# texts of a missing value, without leading and trailing blanks
MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "na", "<NA>", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null"]
)

# words in a column of numbers of which the user is told: their share of the values, and how many at most
MAX_WORD_SHARE = 0.2
MAX_WORDS = 5

# first bytes of files that hold a table in a form that is not read, and what is said of them
PACKED = {
    b"PK\x03\x04": "an Excel workbook or a zip archive: save its sheet as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "an Excel workbook: save its sheet as CSV",
    b"\x1f\x8b": "compressed by gzip: unpack it first, as by gunzip",
    b"BZh91AY": "compressed by bzip2: unpack it first, as by bunzip2",
    b"\xfd7zXZ": "compressed by xz: unpack it first, as by unxz",
    b"(\xb5/\xfd": "compressed by zstd: unpack it first, as by unzstd",
}

TRUTH = {"true": True, "false": False}

# with decimal comma, and perhaps dots between groups of three digits
DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?(,\d*)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class CsvDialect:
    """Delimiter and decimal sign of a file; files with the same delimiter are read in the same way."""

    delimiter: str | None = None  # one character between fields
    decimal: str | None = None  # "." or "," or None: given by the user; None if it was found for each column
    decimal_commas: tuple[str, ...] = ()  # columns that were found to have decimal commas
    missing: tuple[str, ...] = ()  # texts that the user named for a missing value, beside the usual ones

    def decimal_of(self, name: str, delimiter: str) -> str | None:
        """Return the decimal sign of a column of a file with this delimiter, None if it is not known."""
        if delimiter != self.delimiter:
            return None
        return self.decimal or ("," if name in self.decimal_commas else None)


UNKNOWN_DIALECT = CsvDialect()


@dataclass(frozen=True)
class CsvRows:
    """A header, rows of as many fields, and the delimiter between them."""

    header: list[str]
    fields: list[list[str]]
    delimiter: str


def decode_text(content: bytes, source: str, encoding: str | None) -> str:
    """Return the bytes as text: in the given encoding, that of a byte-order mark, or UTF-8."""
    for start, remedy in PACKED.items():
        if content.startswith(start):
            raise InvalidInputError(f"{source} is {remedy}.")
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
    # any two bytes are some letter of UTF-16; but line breaks have zero bytes, and the mark tells their order
    is_wide = codecs.lookup(name).name.startswith(("utf-16", "utf-32"))
    if is_wide and (b"\0" not in content or text.startswith("\ufffe")):
        raise InvalidInputError(f"{source} is not {encoding} text: leave --encoding out, or name another.")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InvalidInputError(
            f"{source} holds a zero byte in line {line}: it is no text file. Give CSV, TSV or Parquet."
        )
    return text.removeprefix("\ufeff")  # the mark stays where utf-8 was named


def parse_rows(text: str, source: str, delimiter: str | None, usual: str | None = None) -> CsvRows:
    """Split text into rows of fields; a row longer or shorter than the header is named by its line.

    Without a delimiter, the ``usual`` one is taken if the header has it, or has none at all.
    """
    if not text.strip():
        raise InvalidInputError(
            f"{source} is empty: give a file with a line of column names and rows below it."
        )
    used = delimiter or (usual if usual and _suits(text, usual) else _detect_delimiter(text))
    try:
        parsed = [row for row in _reader(text, used) if row]
    except csv.Error as problem:
        line = _line_of_error(text, used)
        raise InvalidInputError(f"{source}, line {line}: {_error_text(problem)}") from None
    header, *fields = parsed
    if any(len(row) != len(header) for row in fields):
        _refuse_ragged(text, source, used, len(header))
    return CsvRows([name.strip() for name in header], fields, used)


def _reader(text: str, delimiter: str) -> Any:  # noqa: ANN401
    """Return a reader of the csv module, whose type has no public name in all versions of Python."""
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)


def _marked_encoding(content: bytes) -> str | None:
    """Return the encoding of a byte-order mark; UTF-32's begins like UTF-16's, so it is tried first."""
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    return "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def _suits(text: str, usual: str) -> bool:
    header = text.lstrip().partition("\n")[0]
    return usual in header or not any(delimiter in header for delimiter in DELIMITERS)


def _detect_delimiter(text: str) -> str:
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
                f"{width} (the delimiter is a {DELIMITER_NAMES.get(delimiter, delimiter)}). Correct "
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


def _error_text(problem: csv.Error) -> str:
    if "field larger" in str(problem):
        return "a field is longer than 131,072 characters. Perhaps a quote is opened and never closed."
    if "unexpected end" in str(problem):
        return "a quote is opened and never closed. Close it, or double quotes inside quotes."
    if "expected after" in str(problem):
        return "a closing quote is followed by more text. Double quotes inside quotes."
    return f"the row cannot be read ({problem})."


def infer_column(
    name: str,
    texts: Sequence[str],
    *,
    decimal: str,
    keep_text: bool = False,
    missing_texts: frozenset[str] = MISSING,
) -> Column:
    """Return the texts as numbers, booleans, or dates if all that are not missing are, else as text.

    Dates and times are those of ISO 8601: ``2021-03-04``, ``2021-03-04 05:06:07``, perhaps with a time zone.

    ``texts``: without blanks at their ends.
    ``decimal`` "." or ",".
    ``keep_text``: True leaves them as they are.
    ``missing_texts``: the texts of a missing value.
    """
    missing = np.zeros(len(texts), dtype=bool)
    present = list(texts)
    if not missing_texts.isdisjoint(texts):
        missing = np.array([text in missing_texts for text in texts])
        present = [text for text in texts if text not in missing_texts]
    values = None if keep_text else _convert(present, decimal)
    dates = parse_iso(present) if values is None and not keep_text else None
    if values is None:
        values = np.array(present, dtype=object) if dates is None else dates[0]
    spread = np.zeros(len(texts), dtype=values.dtype)
    spread[~missing] = values
    if spread.dtype.kind == "f":
        missing |= np.isnan(spread)
    if dates is None:
        return Column(name, spread, missing)
    return Column(name, spread, missing, np.array(texts, dtype=object), is_utc=dates[1])


def has_decimal_commas(texts: Sequence[str], missing_texts: frozenset[str] = MISSING) -> bool:
    """Return whether all texts that are not missing are numbers, and some of them have a decimal comma."""
    if "," not in "".join(texts):
        return False
    return all(text in missing_texts or DECIMAL_COMMA.fullmatch(text) for text in texts)


def find_words(column: Column) -> list[str]:
    """Return the few words in a text column of numbers, [] for any other column: they may mean "missing"."""
    if column.kind != "text":
        return []
    texts = column.values[~column.missing].tolist()
    words = [text for text in texts if not is_number_text(text)]
    distinct = list(dict.fromkeys(words))
    is_few = 0 < len(words) <= MAX_WORD_SHARE * len(texts) and len(distinct) <= MAX_WORDS
    return distinct if is_few else []


def _convert(texts: list[str], decimal: str) -> NDArray[Any] | None:
    if "_" in "".join(texts):
        return None  # Python would read 1_2 as the number 12
    # a column of numbers with decimal points stays one: its points are not those of thousands
    if decimal == "," and all(map(DECIMAL_COMMA.fullmatch, texts)):
        texts = [text.replace(".", "").replace(",", ".") for text in texts]
    for reader, kind in ((int, np.int64), (float, np.float64), (TRUTH.__getitem__, np.bool_)):
        given = map(str.lower, texts) if kind is np.bool_ else texts
        try:
            return np.fromiter(map(reader, given), dtype=kind, count=len(texts))
        except (ValueError, OverflowError, KeyError):
            continue
    return None
