"""What the commands print, and the files they must not overwrite."""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from oddlearn.errors import InvalidInputError


def say(text: str) -> None:
    """Print a result."""
    print(text)


def say_json(content: Mapping[str, Any]) -> None:
    """Print a result for machines."""
    print(json_text(content))


def json_text(content: Mapping[str, Any]) -> str:
    """Return a result as JSON; numbers of numpy are written as Python's."""
    return json.dumps(content, indent=2, default=_plain, allow_nan=False)


def note(text: str) -> None:
    """Print a note beside the result."""
    print(text, file=sys.stderr)


def show_all_characters() -> None:
    """Let both streams write characters they have no code for as escapes, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def told_warnings() -> Iterator[None]:
    """Print every warning once, as a note of one line, without the place in the code it came from."""
    told: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = one_line(message)
        if text not in told:
            told.add(text)
            note(f"Note: {text}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def one_line(message: Warning | str) -> str:
    """Return a message without its line breaks."""
    return " ".join(str(message).split())


@contextmanager
def progress_on_standard_error() -> Iterator[None]:
    """Send what a fit prints while it works to standard error: standard output is for results."""
    with redirect_stdout(sys.stderr):
        yield


def percent(value: float) -> str:
    """Return a share for people."""
    return f"{100 * value:.1f} %"


def rows_told(number: int) -> str:
    """Return a number of rows for people, such as ``1 row``."""
    return f"{number:,} row{'s' * (number != 1)}"


def _plain(value: object) -> object:
    """Return what JSON can hold of a numpy value."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{value!r} is no value of JSON")


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
