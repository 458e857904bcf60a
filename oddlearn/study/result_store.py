"""The results of a study in one SQLite file; each row is on disk before the next result is reported."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oddlearn import __version__
from oddlearn.errors import StoreError
from oddlearn.study.result_rows import (
    COLUMN_TYPES,
    COLUMNS,
    CSV_SUFFIXES,
    parse_row,
    read_csv,
    sort_results,
    to_row,
)
from oddlearn.study.trial import Result

SCHEMA = 2  # version of the columns, in the file as user_version
SQLITE_MAGIC = b"SQLite format 3\0"  # the first bytes of every SQLite file

SQL_TYPES = {"int": "INTEGER", "bool": "INTEGER", "float": "REAL"}

LOCK_TIMEOUT_SECONDS = 30.0  # wait for another writing process

# advice by a part of SQLite's message
ADVICE = {
    "full": "make room, then start again; finished trials are kept",
    "disk I/O": "make room, then start again; finished trials are kept",
    "readonly": "give a file that can be written, in a folder that can",
    "unable to open": "give a file in a folder that exists and can be written",
    "locked": "another process writes to it; end that one or wait, then start again",
    "malformed": "it is damaged; use a copy of it, or an exported CSV file",
}


class ResultStore:
    """The results of a study in a SQLite file.

    Each result is committed as soon as its trial ends, in write-ahead mode: a process that is killed loses
    only the trials in progress, and readers never wait.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> ResultStore:
        """Open a store; create it if there is none and ``create`` is True.

        If ``create`` is False nothing is written, so that a store in a read-only folder can be read.

        Raises StoreError if there is no store, if the file is not a store of this version, or if it cannot be
        written. The file stays unchanged.
        """
        is_new = _is_new(path)
        if is_new:
            _check_name(path)
            if not create:
                raise StoreError(
                    f"There is no store {path}: create one with 'oddlearn paper run --store {path}'."
                )
        with _translate_errors(path):
            connection = _connect(path, create)
            try:
                if is_new:
                    _create_table(connection)
                _check_version(path, connection)
                if create:
                    connection.execute("PRAGMA journal_mode=WAL")
                    connection.execute("PRAGMA synchronous=FULL")
            except BaseException:
                connection.close()
                raise
        return cls(path, connection)

    @classmethod
    def check(cls, path: Path) -> None:
        """Raise the errors of ``open`` that can be found without creating a store."""
        if not _is_new(path):
            cls.open(path).close()
            return
        _check_name(path)
        folder = path.absolute().parent
        if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            with _translate_errors(path):
                raise sqlite3.OperationalError("unable to open database file")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, result: Result, model: str) -> None:
        """Add a result and its model (JSON); if the trial has a result already, keep that one."""
        names = ", ".join(("key", "version", *COLUMNS, "model"))
        placeholders = ", ".join("?" * (len(COLUMNS) + 3))
        with _translate_errors(self.path), self._connection:
            self._connection.execute(
                f"INSERT OR IGNORE INTO results ({names}) VALUES ({placeholders})",
                (result.trial.key, __version__, *to_row(result), model),
            )

    def keys(self) -> set[str]:
        """Return the keys of all finished trials."""
        return {str(key) for (key,) in self._read("SELECT key FROM results")}

    def versions(self) -> tuple[str, ...]:
        """Return the versions of oddlearn that wrote the results, each once."""
        found = self._read("SELECT DISTINCT version FROM results ORDER BY version")
        return tuple(str(version) for (version,) in found)

    def results(self) -> list[Result]:
        """Return all results, sorted by trial."""
        rows = self._read(f"SELECT {', '.join(COLUMNS)} FROM results")
        try:
            return sort_results(map(parse_row, rows))
        except ValueError as problem:
            reason = str(problem).rstrip(".")
            raise StoreError(
                f"The store {self.path} was changed by hand ({reason}): use a copy of it, or an exported "
                "CSV file."
            ) from None

    def model(self, key: str) -> str | None:
        """Return the model of a trial as JSON; None if the trial has not run."""
        found = self._read("SELECT model FROM results WHERE key = ?", key)
        return str(found[0][0]) if found else None

    def _read(self, query: str, *values: str) -> list[tuple[object, ...]]:
        with _translate_errors(self.path):
            return self._connection.execute(query, values).fetchall()


def read_results(path: Path) -> list[Result]:
    """Return the results of a store or of an exported CSV file, sorted by trial.

    Raises StoreError if there is no such file, or if it is neither.
    """
    if not path.is_file():
        raise StoreError(f"There is no file {path}: give a store or an exported CSV file of a study.")
    if path.suffix in CSV_SUFFIXES and not is_store(path):
        return read_csv(path)
    with ResultStore.open(path, create=False) as store:
        return store.results()


def is_store(path: Path) -> bool:
    """Return True for a SQLite database, recognised by its first bytes, not by its name."""
    with path.open("rb") as stream:
        return stream.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC


def _is_new(path: Path) -> bool:
    """Return True if there is no store yet; an empty file is one whose creation was interrupted."""
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _check_name(path: Path) -> None:
    if path.suffix in CSV_SUFFIXES:
        raise StoreError(
            f"A store cannot be named {path}, as {path.suffix} is the suffix of an exported CSV file: give a "
            "name such as study.sqlite."
        )


def _connect(path: Path, create: bool) -> sqlite3.Connection:
    if create or os.access(path.absolute().parent, os.W_OK):
        return sqlite3.connect(path, timeout=LOCK_TIMEOUT_SECONDS)
    # an open write-ahead log holds results and must be read too; without one SQLite would try to create it
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=LOCK_TIMEOUT_SECONDS)


def _create_table(connection: sqlite3.Connection) -> None:
    columns = ", ".join(
        f"{name} {SQL_TYPES.get(kind, 'TEXT')} NOT NULL"
        for name, kind in zip(COLUMNS, COLUMN_TYPES, strict=True)
    )
    with connection:
        # one transaction: a killed process leaves both table and version, or neither
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, version TEXT NOT NULL, {columns}, "
            "model TEXT NOT NULL)"
        )
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _check_version(path: Path, connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    names = {row[1] for row in connection.execute("PRAGMA table_info(results)")}
    if found == SCHEMA and {"key", "version", "model", *COLUMNS} <= names:
        return
    if found != SCHEMA and {"key", "version", "model"} <= names:
        raise StoreError(
            f"The store {path} is of version {found}, and this oddlearn reads version {SCHEMA}: give another "
            "file, or read it with the oddlearn that wrote it."
        )
    raise StoreError(f"{path} is a database, but not a store of a study: give another file.")


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite into one sentence with advice."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        text = str(problem)
        if "not a database" in text:
            raise StoreError(f"{path} is not a store of a study: give another file.") from None
        advice = next((words for part, words in ADVICE.items() if part in text), "give another file")
        raise StoreError(f"The store {path} cannot be used ({text}): {advice}.") from None
