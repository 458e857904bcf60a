"""Results as rows of a file, and results in a compressed CSV file; every row that is read is checked."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import pairwise
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from oddlearn.datasets import find_entry
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, StoreError
from oddlearn.study.flow_text import parse_shape
from oddlearn.study.trial import Outcome, Result, Trial
from oddlearn.table.files import write_whole

TRIAL_COLUMNS = tuple(field.name for field in fields(Trial))
OUTCOME_COLUMNS = tuple(field.name for field in fields(Outcome))
COLUMNS = (*TRIAL_COLUMNS, *OUTCOME_COLUMNS)

# names of the column types: annotations are texts
COLUMN_TYPES = tuple(str(field.type) for owner in (Trial, Outcome) for field in fields(owner))

# CSV files hold the texts, databases the numbers
BOOLEANS = {"True": True, "False": False, "1": True, "0": False, 1: True, 0: False}

TYPE_TEXTS = {"int": "a whole number", "float": "a number", "bool": "True or False"}

CSV_SUFFIXES = (".csv", ".gz", ".xz")  # suffixes of CSV files, plain or compressed

# errors raised when the bytes of a file are damaged
DAMAGE_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, csv.Error, ValueError)

# all fields as a tuple; dataclasses.astuple copies each value, which would take most of the time
_trial_values = attrgetter(*TRIAL_COLUMNS)
_outcome_values = attrgetter(*OUTCOME_COLUMNS)


def to_row(result: Result) -> tuple[Any, ...]:
    """Return the values of a result in the order of ``COLUMNS``."""
    return (*_trial_values(result.trial), *_outcome_values(result.outcome))


def parse_row(row: Sequence[object]) -> Result:
    """Return the result of a row, with values in the order of ``COLUMNS``.

    Raises ValueError if a value is invalid, or not a possible outcome of the trial.
    """
    if len(row) != len(COLUMNS):
        raise ValueError(f"{len(row)} fields, and {len(COLUMNS)} are expected")
    try:
        values = [parse(value) for parse, value in zip(_PARSERS, row, strict=True)]
    except (ValueError, TypeError, KeyError):
        raise ValueError(_type_error_text(row)) from None
    result = Result(Trial(*values[: len(TRIAL_COLUMNS)]), Outcome(*values[len(TRIAL_COLUMNS) :]))
    _check_flows(result)
    return result


def sort_results(results: Iterable[Result]) -> list[Result]:
    """Return results sorted by trial.

    Raises InvalidInputError if a trial occurs twice: it would be counted twice in the tables.
    """
    # sort by tuples built once: comparing trials builds them anew each time
    keyed = sorted(((_trial_values(one.trial), one) for one in results), key=itemgetter(0))
    for (values, one), (others, _) in pairwise(keyed):
        if values == others:
            method = f"{one.trial.method}, {one.trial.seconds:g} s"
            raise InvalidInputError(f"A trial occurs twice: {one.trial}, {method}.")
    return [one for _, one in keyed]


def write_csv(results: Sequence[Result], path: Path) -> None:
    """Write results, without their models, to a CSV file; the suffix .gz or .xz compresses it.

    The same results give the same bytes. An existing file is replaced only after the new one is complete.
    """
    check_csv_suffix(path)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(to_row, sort_results(results)))
    try:
        write_whole(path, _compress(text.getvalue().encode(), path))
    except OSError as problem:
        raise StoreError(
            f"The file {path} cannot be written ({problem.strerror}): give a file in a folder that can be "
            "written, with room."
        ) from None


def check_csv_suffix(path: Path) -> None:
    """Raise unless the suffix of a file says that it is a CSV file, plain or compressed."""
    if path.suffix not in CSV_SUFFIXES:
        raise InvalidInputError(f"The file {path} must end in .csv, .csv.gz or .csv.xz.")


def read_csv(path: Path) -> list[Result]:
    """Return the results of a file of ``write_csv``, sorted by trial.

    Raises StoreError if the file is damaged, or has other columns.
    """
    try:
        text = _decompress(path).decode()
        lines = csv.reader(text.splitlines())
        if tuple(next(lines, ())) != COLUMNS:
            raise StoreError(
                f"{path} is not a results file of this version: its columns should be {', '.join(COLUMNS)}."
            )
        if not text.endswith("\n"):
            raise ValueError("its last line is cut off")
        return sort_results(_parse_lines(lines))
    except StoreError:
        raise
    except DAMAGE_ERRORS as problem:
        reason = str(problem).rstrip(".")
        raise StoreError(f"{path} is damaged ({reason}): get it again.") from None


def _parse_lines(lines: Iterable[Sequence[str]]) -> Iterator[Result]:
    """Yield the results of the lines below the header; the number of a bad line is part of the error."""
    for number, line in enumerate(lines, start=2):
        try:
            yield parse_row(line)
        except ValueError as problem:
            raise ValueError(f"line {number}: {problem}") from None


def _compress(content: bytes, path: Path) -> bytes:
    if path.suffix == ".gz":
        return gzip.compress(content, mtime=0)
    return lzma.compress(content) if path.suffix == ".xz" else content


def _decompress(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    return lzma.decompress(content) if path.suffix == ".xz" else content


def _parse_int(value: object) -> int:
    return int(str(value))


_PARSERS_BY_TYPE: dict[str, Callable[[Any], Any]] = {
    "int": _parse_int,
    "float": float,
    "bool": BOOLEANS.__getitem__,
}
_PARSERS = tuple(_PARSERS_BY_TYPE.get(name, str) for name in COLUMN_TYPES)


def _type_error_text(row: Sequence[object]) -> str:
    """Return a description of the first value of a row that does not have the type of its column."""
    for name, kind, parse, value in zip(COLUMNS, COLUMN_TYPES, _PARSERS, row, strict=True):
        try:
            parse(value)
        except (ValueError, TypeError, KeyError):
            return f"{name} is {value!r}, and not {TYPE_TEXTS[kind]}"
    raise AssertionError("every value of the row has its type")


def _check_flows(result: Result) -> None:
    trial, outcome = result.trial, result.outcome
    shape = parse_shape(outcome.flows)
    if shape.n_nodes != outcome.n_nodes:
        raise ValueError(f"n_nodes is {outcome.n_nodes}, and flows has {shape.n_nodes}")
    shape.check(Skeleton.parse(trial.skeleton), trial.is_tree, find_entry(trial.dataset).classes)
