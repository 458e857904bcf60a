"""Printing of results and notes; refusal to overwrite files."""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from oddlearn.errors import InvalidInputError
from oddlearn.table.files import is_device
from oddlearn.view.number_text import one_line


def print_json(content: Mapping[str, Any]) -> None:
    """Print a result as JSON."""
    print(format_json(content))


def format_json(content: Mapping[str, Any]) -> str:
    """Return a result as JSON text; numpy numbers become plain ones."""
    return json.dumps(content, indent=2, default=_to_plain, allow_nan=False)


def print_note(text: str) -> None:
    """Print a note to standard error."""
    print(text, file=sys.stderr)


def open_closed_streams() -> None:
    """Open the null device where a standard stream was closed, as by ``>&-``: Python has None there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def escape_unencodable() -> None:
    """Write characters that the terminal's encoding lacks as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print every warning once, as a note of one line without its source line."""
    shown: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = one_line(str(message))
        if text not in shown:
            shown.add(text)
            print_note(f"Note: {text}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _to_plain(value: object) -> object:
    """Return a numpy value as plain Python."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is no value of JSON")


def check_overwrite(paths: Iterable[Path], force: bool, sources: Iterable[str] = ()) -> None:
    """Raise InvalidInputError if a file cannot be written or exists and ``force`` is not set.

    ``sources``: files that the command reads, which are never replaced.
    """
    read = [Path(source) for source in sources if Path(source).exists()]
    for path in paths:
        if path.is_dir():
            raise InvalidInputError(f"{path} is a directory: name a file to write.")
        if is_device(path):
            continue
        if path.exists() and any(path.samefile(source) for source in read):
            raise InvalidInputError(f"{path} is what this command reads: name another file to write.")
        if path.exists() and not force:
            raise InvalidInputError(f"{path} exists already: give --force to replace it, or another name.")
        _check_folder(path, next(parent for parent in path.absolute().parents if parent.exists()))


def _check_folder(path: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise InvalidInputError(f"{path} cannot be written: {folder} is not a directory.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidInputError(f"{path} cannot be written: you may not write into {folder}.")
