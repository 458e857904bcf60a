"""Files that are never written over others unasked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from oddlearn.errors import InvalidInputError


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
