"""Files that are written whole or not at all, and never over others unasked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from oddlearn.errors import InvalidInputError

# what a new file may be read and written by, before the user's mask
PERMISSIONS = 0o666


def check_free(paths: Iterable[Path], force: bool) -> None:
    """Refuse to replace files, before any work is done for them."""
    for path in paths:
        if path.is_dir():
            raise InvalidInputError(f"{path} is a directory: name a file to write.")
        if path.exists() and not force:
            raise InvalidInputError(f"{path} exists already: give --force to replace it, or another name.")
        _check_folder(path, next(parent for parent in path.absolute().parents if parent.exists()))


def _check_folder(path: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise InvalidInputError(f"{path} cannot be written: {folder} is not a directory.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidInputError(f"{path} cannot be written: you may not write into {folder}.")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file beside its place and move it there once it is whole; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # a name in a model may hold half a surrogate pair, which no file can
    data = content.encode(errors="replace") if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, PERMISSIONS & ~_mask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mask() -> int:
    """Return the user's mask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
