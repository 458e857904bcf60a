"""What people and machines are told: results on standard output, notes and progress on standard error."""

from __future__ import annotations

import io
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

import numpy as np


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
    """Print every warning as a note of one line, without the place in the code it came from."""
    with warnings.catch_warnings():
        warnings.showwarning = _show
        yield


@contextmanager
def progress_on_standard_error() -> Iterator[None]:
    """Send what a fit prints while it works to standard error: standard output is for results."""
    with redirect_stdout(sys.stderr):
        yield


def percent(value: float) -> str:
    """Return a share for people."""
    return f"{100 * value:.1f} %"


def _show(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    note(f"Note: {' '.join(str(message).split())}")


def _plain(value: object) -> object:
    """Return what JSON can hold of a numpy value."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{value!r} is no value of JSON")
