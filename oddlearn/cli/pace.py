"""How far a run of many trials is, and how long the rest will take: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oddlearn.cli.console import note
from oddlearn.experiments.trial import Result

# plain lines, where there is no terminal for a bar, come this far apart
PAUSE_SECONDS = 10.0

Told = Callable[[int, int, Result], None]


@contextmanager
def progress(part: str, total: int) -> Iterator[Told]:
    """Give what is to be told of every result: how many trials ended, how many there are, and the result."""
    if sys.stderr.isatty():
        with _bar(part, total) as told:
            yield told
    else:
        yield Lines(part)


class Lines:
    """A line now and then."""

    def __init__(self, part: str) -> None:
        self._part = part
        self._first = (0.0, 0)
        self._last = -math.inf

    def __call__(self, done: int, total: int, result: Result) -> None:
        """Tell of a result."""
        now = time.perf_counter()
        if self._last == -math.inf:
            # it came late, when the processes had started: the pace is that of the others
            self._first = (now, done)
        if done == total or now - self._last >= PAUSE_SECONDS:
            self._last = now
            left = self._left(now, done, total)
            note(f"{self._part}: {done:,} of {total:,}{left} ({result.trial.dataset})")

    def _left(self, now: float, done: int, total: int) -> str:
        started, before = self._first
        if done == before:
            return ""
        return f", about {duration((now - started) / (done - before) * (total - done))} left"


@contextmanager
def _bar(part: str, total: int) -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as shown:
        bar = shown.add_task(part, total=total)

        def told(done: int, _: int, result: Result) -> None:
            shown.update(bar, completed=done, description=f"{part}  {result.trial.dataset}")

        yield told


def duration(seconds: float) -> str:
    """Return a time for people."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
