"""Results as a compressed table: small enough to commit, and read as if it were the store."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from oddlearn.errors import InvalidInputError, StoreError
from oddlearn.experiments.rows import COLUMNS, in_order, result_of, row_of
from oddlearn.experiments.store import EXTRACT_ENDINGS, Store, is_store
from oddlearn.experiments.trial import Result
from oddlearn.files import write_whole

# what reading raises when bytes of a table, plain or compressed, were lost or changed
DAMAGES = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, csv.Error, ValueError)


def write_extract(results: Sequence[Result], path: Path) -> None:
    """Write results, without their models, as CSV; a name that ends in .gz or .xz is compressed.

    The same results give the same bytes, and an earlier file is replaced only when the new one is whole.
    """
    check_name(path)
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(row_of, in_order(results)))
    _write(path, _compressed(lines.getvalue().encode(), path))


def check_name(path: Path) -> None:
    """Refuse a name that does not say how an extract is to be written."""
    if path.suffix not in EXTRACT_ENDINGS:
        raise InvalidInputError(f"The extract {path} must end in .csv, .csv.gz or .csv.xz.")


def read_results(path: Path) -> list[Result]:
    """Return the results of a store or of an extract, sorted by trial.

    Raises
    ------
    StoreError
        When there is no such file, or when it is neither.
    """
    if not path.is_file():
        raise StoreError(f"There is no file {path}: give a store or an extract of a study.")
    if path.suffix not in EXTRACT_ENDINGS or is_store(path):
        with Store.open(path, create=False) as store:
            return store.results()
    try:
        text = _expanded(path).decode()
        lines = csv.reader(text.splitlines())
        if tuple(next(lines, ())) != COLUMNS:
            raise StoreError(
                f"{path} is no extract of this version's study: its columns should be {', '.join(COLUMNS)}."
            )
        if not text.endswith("\n"):
            raise ValueError("its last line is cut off")
        return in_order(_results_of(lines))
    except StoreError:
        raise
    except DAMAGES as problem:
        reason = str(problem).rstrip(".")
        raise StoreError(f"{path} is damaged ({reason}): get it again.") from None


def _results_of(lines: Iterable[Sequence[str]]) -> Iterator[Result]:
    """Yield the results of the lines below the columns' names; the first that cannot be is told."""
    for number, line in enumerate(lines, start=2):
        try:
            yield result_of(line)
        except ValueError as problem:
            raise ValueError(f"line {number}: {problem}") from None


def _write(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as problem:
        raise StoreError(
            f"The extract {path} cannot be written ({problem.strerror}): give a file in a folder that can be "
            "written, with room."
        ) from None


def _compressed(content: bytes, path: Path) -> bytes:
    if path.suffix == ".gz":
        return gzip.compress(content, mtime=0)
    return lzma.compress(content) if path.suffix == ".xz" else content


def _expanded(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    return lzma.decompress(content) if path.suffix == ".xz" else content
