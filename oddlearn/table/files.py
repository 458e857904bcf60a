"""Files written whole or not at all, and read with a sentence when they cannot be."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from oddlearn.errors import InvalidInputError

PERMISSIONS = 0o666  # what a new file may be read and written by, before the user's mask
STANDARD_INPUT = "-"  # the name that stands for standard input


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file beside its place and move it there once it is whole; folders are made.

    A device or a pipe, such as /dev/stdout, is written to.
    """
    # a name in a model may hold half a surrogate pair, which no file can
    data = content.encode(errors="replace") if isinstance(content, str) else content
    if is_device(path):
        path.write_bytes(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, file_permissions())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def is_device(path: Path) -> bool:
    """Return True for a device or a pipe, which must never be replaced by a file."""
    return path.exists() and not path.is_file() and not path.is_dir()


def file_permissions() -> int:
    """Return the permissions of a new file; the user's mask can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return PERMISSIONS & ~mask


def read_content(path: str) -> tuple[bytes, str]:
    """Return the content of a file, or of standard input, and its name for messages."""
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read(), "standard input"
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise InvalidInputError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise InvalidInputError(f"{path} is a directory: give a CSV, TSV or Parquet file.") from None
    except OSError as problem:
        raise InvalidInputError(f"{path} cannot be read: {problem.strerror}.") from None
    if not content:
        raise InvalidInputError(
            f"{path} is empty: give a file with a line of column names and rows below it."
        )
    return content, path
