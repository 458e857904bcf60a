"""Results in one SQLite file, a row per trial, each safe on disk before the next is told of."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import oddlearn
from oddlearn.errors import StoreError
from oddlearn.experiments.rows import COLUMNS, KINDS, in_order, result_of, row_of
from oddlearn.experiments.trial import Result

# raised whenever the columns change their meaning; the file keeps it as its user_version
SCHEMA = 1

# what every database of SQLite begins with, whatever its name
SIGN = b"SQLite format 3\0"

# of extracts: a store with such a name would be taken for one
EXTRACT_ENDINGS = (".csv", ".gz", ".xz")

SQL_TYPES = {"int": "INTEGER", "bool": "INTEGER", "float": "REAL"}

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
        is_new = _is_new(path)
        if is_new:
            _check_name(path)
            if not create:
                raise StoreError(
                    f"There is no store {path}: make one with 'oddlearn paper run --store {path}'."
                )
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

    @classmethod
    def check(cls, path: Path) -> None:
        """Refuse what ``open`` would refuse, as far as that shows before a store is made."""
        if not _is_new(path):
            cls.open(path).close()
            return
        _check_name(path)
        folder = path.absolute().parent
        if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            with _sentences(path):
                raise sqlite3.OperationalError("unable to open database file")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, result: Result, model: str) -> None:
        """Write a result and its model; one that is there already stays."""
        names = ", ".join(("key", "version", *COLUMNS, "model"))
        places = ", ".join("?" * (len(COLUMNS) + 3))
        with _sentences(self.path), self._connection:
            self._connection.execute(
                f"INSERT OR IGNORE INTO results ({names}) VALUES ({places})",
                (result.trial.key, oddlearn.__version__, *row_of(result), model),
            )

    def keys(self) -> set[str]:
        """Return the keys of all trials that have run."""
        return {str(key) for (key,) in self._read("SELECT key FROM results")}

    def versions(self) -> tuple[str, ...]:
        """Return the versions of oddlearn that wrote the results, each once."""
        found = self._read("SELECT DISTINCT version FROM results ORDER BY version")
        return tuple(str(version) for (version,) in found)

    def results(self) -> list[Result]:
        """Return all results, sorted by trial."""
        rows = self._read(f"SELECT {', '.join(COLUMNS)} FROM results")
        try:
            return in_order(map(result_of, rows))
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


def is_store(path: Path) -> bool:
    """Return whether a file is a database: its first bytes tell, not its name."""
    with path.open("rb") as stream:
        return stream.read(len(SIGN)) == SIGN


def _is_new(path: Path) -> bool:
    """Return whether there is no store yet; one whose making was cut off is an empty file."""
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _check_name(path: Path) -> None:
    if path.suffix in EXTRACT_ENDINGS:
        raise StoreError(
            f"A store cannot be named {path}, as {path.suffix} is the ending of an extract: give a name such "
            "as study.sqlite."
        )


def _connected(path: Path, create: bool) -> sqlite3.Connection:
    if create or os.access(path.absolute().parent, os.W_OK):
        return sqlite3.connect(path, timeout=WAIT_SECONDS)
    # a log that was not closed holds results, and is read beside the file; without one SQLite would make it
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=WAIT_SECONDS)


def _lay_out(connection: sqlite3.Connection) -> None:
    columns = ", ".join(
        f"{name} {SQL_TYPES.get(kind, 'TEXT')} NOT NULL" for name, kind in zip(COLUMNS, KINDS, strict=True)
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
    if found == SCHEMA and {"key", "version", "model", *COLUMNS} <= names:
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
