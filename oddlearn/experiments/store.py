"""Results in one SQLite file, a row per trial, each safe on disk before the next is told of."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import oddlearn
from oddlearn.errors import StoreError
from oddlearn.experiments.trial import Outcome, Result, Trial

# raised whenever the columns change their meaning; the file keeps it as its user_version
SCHEMA = 1

TRIAL_COLUMNS = tuple(field.name for field in fields(Trial))
OUTCOME_COLUMNS = tuple(field.name for field in fields(Outcome))
COLUMNS = (*TRIAL_COLUMNS, *OUTCOME_COLUMNS)

# waits this long for another process that writes
WAIT_SECONDS = 30.0

# what to do, by a part of what SQLite says
ADVICE = {
    "full": "make room, then start again; finished trials are kept",
    "disk I/O": "make room, then start again; finished trials are kept",
    "readonly": "give a file that can be written, in a folder that can",
    "unable to open": "give a file in a folder that exists and can be written",
    "locked": "another process writes to it; end that one or wait, then start again",
    "malformed": "it is damaged; take a copy of it, or an extract",
}


class Store:
    """The results of a study.

    A row is committed as soon as its trial has run, in write-ahead mode: a process that is killed loses the
    trials it had not finished, and readers never wait.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> Store:
        """Open a store; a new one is made if there is none and ``create`` allows it.

        Without ``create`` nothing is written, so that a store in a folder that is read-only can be read.

        Raises
        ------
        StoreError
            When there is none, when the file is something else or of another version, or when it cannot be
            written. The file stays as it is.
        """
        is_new = not path.exists() or path.stat().st_size == 0
        if is_new and not create:
            raise StoreError(f"There is no store {path}: make one with 'oddlearn paper run --store {path}'.")
        with _sentences(path):
            connection = _connected(path, create)
            try:
                if is_new:
                    _lay_out(connection)
                _check_version(path, connection)
                if create:
                    connection.execute("PRAGMA journal_mode=WAL")
                    connection.execute("PRAGMA synchronous=FULL")
            except BaseException:
                connection.close()
                raise
        return cls(path, connection)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, result: Result, model: str) -> None:
        """Write a result and its model; one that is there already stays."""
        values = (*astuple(result.trial), *astuple(result.outcome))
        names = ", ".join(("key", "version", *COLUMNS, "model"))
        places = ", ".join("?" * (len(COLUMNS) + 3))
        with _sentences(self.path), self._connection:
            self._connection.execute(
                f"INSERT OR IGNORE INTO results ({names}) VALUES ({places})",
                (result.trial.key, oddlearn.__version__, *values, model),
            )

    def keys(self) -> set[str]:
        """Return the keys of all trials that have run."""
        return {str(key) for (key,) in self._read("SELECT key FROM results")}

    def results(self) -> list[Result]:
        """Return all results, sorted by trial."""
        rows = self._read(f"SELECT {', '.join(COLUMNS)} FROM results")
        try:
            return sorted((result_of(row) for row in rows), key=lambda result: result.trial)
        except ValueError as problem:
            reason = str(problem).rstrip(".")
            raise StoreError(
                f"The store {self.path} was changed by hand ({reason}): take a copy of it, or an extract."
            ) from None

    def model(self, key: str) -> str | None:
        """Return the JSON of a trial's model, None if it has not run."""
        found = self._read("SELECT model FROM results WHERE key = ?", key)
        return str(found[0][0]) if found else None

    def _read(self, query: str, *values: str) -> list[tuple[object, ...]]:
        with _sentences(self.path):
            return self._connection.execute(query, values).fetchall()


def result_of(row: tuple[object, ...]) -> Result:
    """Return the result that a row holds, its values in the order of ``COLUMNS``."""
    typed: list[Any] = [_typed(kind, value) for kind, value in zip(_KINDS, row, strict=True)]
    return Result(Trial(*typed[: len(TRIAL_COLUMNS)]), Outcome(*typed[len(TRIAL_COLUMNS) :]))


# annotations are texts: the columns' types by name
_KINDS = tuple(str(field.type) for owner in (Trial, Outcome) for field in fields(owner))
_SQL_TYPES = {"int": "INTEGER", "bool": "INTEGER", "float": "REAL"}


def _typed(kind: str, value: object) -> object:
    """Return a value from a file as what the field of a result is."""
    if kind == "bool":
        return str(value) in ("1", "True")
    if kind == "int":
        return int(str(value))
    return float(str(value)) if kind == "float" else str(value)


def _connected(path: Path, create: bool) -> sqlite3.Connection:
    if create or os.access(path.absolute().parent, os.W_OK):
        return sqlite3.connect(path, timeout=WAIT_SECONDS)
    # a log that was not closed holds results, and is read beside the file; without one SQLite would make it
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=WAIT_SECONDS)


def _lay_out(connection: sqlite3.Connection) -> None:
    columns = ", ".join(
        f"{name} {_SQL_TYPES.get(kind, 'TEXT')} NOT NULL" for name, kind in zip(COLUMNS, _KINDS, strict=True)
    )
    with connection:
        # table and version are there together or not at all, whenever the process is killed
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, version TEXT NOT NULL, {columns}, "
            "model TEXT NOT NULL)"
        )
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _check_version(path: Path, connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    names = {row[1] for row in connection.execute("PRAGMA table_info(results)")}
    if found == SCHEMA and {"key", "model", *COLUMNS} <= names:
        return
    if found != SCHEMA and {"key", "version", "model"} <= names:
        raise StoreError(
            f"The store {path} is of version {found}, and this oddlearn reads version {SCHEMA}: give another "
            "file, or read it with the oddlearn that wrote it."
        )
    raise StoreError(f"{path} is a database, but no store of a study: give another file.")


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into one sentence."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        text = str(problem)
        if "not a database" in text:
            raise StoreError(f"{path} is no store of a study: give another file.") from None
        advice = next((words for sign, words in ADVICE.items() if sign in text), "give another file")
        raise StoreError(f"The store {path} cannot be used ({text}): {advice}.") from None
