"""Files of data sets in a directory, and the check that each is the one of the catalogue."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from oddlearn.datasets.catalogue import Entry
from oddlearn.errors import DatasetError, InvalidInputError

# names the data directory where none is given
VARIABLE = "ODDLEARN_DATA"


def data_directory(given: str | os.PathLike[str] | None) -> Path | None:
    """Return the directory of the files: the one given, else that of the environment variable, else None.

    A directory that holds ``data/uci54`` stands for that one.
    """
    chosen = given if given is not None else os.environ.get(VARIABLE) or None
    if chosen is None:
        return None
    if not isinstance(chosen, (str, os.PathLike)):
        raise InvalidInputError(f"directory is {chosen!r}: give a path, as text or as a Path.")
    folder = Path(chosen).expanduser()
    inner = folder / "data" / "uci54"
    return inner if inner.is_dir() else folder


def read_checked(entry: Entry, directory: Path) -> bytes:
    """Return the content of the file of a data set, or say why it cannot be used; nothing is written."""
    path = directory / f"{entry.name}.csv"
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise DatasetError(_absent(entry, directory)) from None
    except OSError as problem:
        raise DatasetError(f"{path} cannot be read ({problem.strerror}): make it readable.") from None
    _check(entry, content, path)
    return content


def _check(entry: Entry, content: bytes, path: Path) -> None:
    """Raise unless the content has the checksum of the catalogue."""
    found = hashlib.sha256(content).hexdigest()
    if found != entry.sha256:
        raise DatasetError(
            f"{path} is not the file that the paper's authors published (its SHA-256 begins with "
            f"{found[:12]}, and {entry.sha256[:12]} is expected): put the original in its place."
        )


def _absent(entry: Entry, directory: Path) -> str:
    what = f"has no file {entry.name}.csv" if directory.is_dir() else "is not a directory"
    return (
        f"The data directory {directory} {what}: give one that holds the CSV files of the catalogue, as "
        f"directory or in the environment variable {VARIABLE}, or give neither to have them downloaded."
    )
