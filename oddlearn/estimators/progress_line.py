"""Progress of a fit: one live line on a terminal and in a notebook, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oddlearn.problem.certificate import MAX_PRINTED_GAP, relative_gap
from oddlearn.problem.events import Event, ProgressSnapshot
from oddlearn.solve.solver import Emit, ignore

# minimum time between plain lines, in seconds
MIN_LINE_INTERVAL = 0.3

REFRESHES_PER_SECOND = 5


@contextmanager
def progress(verbose: int, started: float) -> Iterator[Emit]:
    """Yield a callback that shows the progress of a fit, nothing with ``verbose`` 0.

    ``started``: on the clock of ``time.perf_counter``.
    """
    if not verbose:
        yield ignore
    elif sys.stdout.isatty():
        with _live_line(started) as report:
            yield report
    else:
        lines = PlainLines(line_writer())
        yield lines
        lines.finish()


@contextmanager
def text_progress(verbose: int) -> Iterator[Callable[[str], None]]:
    """Yield a callback that shows a text after the seconds since now, in place of the last on a terminal."""
    started = time.perf_counter()

    def stamp(text: str) -> str:
        return f"{time.perf_counter() - started:7.1f} s  {text}"

    if not verbose:
        yield lambda text: None
    elif sys.stdout.isatty():
        from rich.live import Live
        from rich.text import Text

        with Live(refresh_per_second=REFRESHES_PER_SECOND) as live:
            yield lambda text: live.update(Text(stamp(text), no_wrap=True, overflow="ellipsis"))
    else:
        write = line_writer()
        yield lambda text: write(stamp(text))


def line_writer() -> Callable[[str], None]:
    """Return what writes a line: in place of the last one in a notebook, else on standard output.

    A saved notebook then holds the last line, and no widget is needed. IPython is loaded if it is the host.
    """
    host = sys.modules.get("IPython")
    shell = None if host is None else host.get_ipython()
    if host is None or not hasattr(shell, "kernel"):
        return _print_line
    handle = host.display.DisplayHandle()
    handle.display({"text/plain": ""}, raw=True)

    def update(text: str) -> None:
        handle.update({"text/plain": text}, raw=True)

    return update


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def line(snapshot: ProgressSnapshot, seconds: float) -> str:
    """Return objective, bound, gap and nodes in one line."""
    if math.isinf(snapshot.objective):
        return f"{seconds:7.1f} s  bound {snapshot.lower_bound:.5f}"
    gap = relative_gap(snapshot.objective, snapshot.lower_bound)
    percentage = f"{100 * gap:5.1f} %" if gap <= MAX_PRINTED_GAP else "  large"
    return (
        f"{seconds:7.1f} s  objective {snapshot.objective:.5f}  bound {snapshot.lower_bound:.5f}  "
        f"gap {percentage}  nodes {snapshot.n_nodes}"
    )


class PlainLines:
    """One line per event; of several in short succession, the last one."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write_line = write
        self._snapshot = ProgressSnapshot()
        self._written_at = -math.inf
        self._is_behind = False

    def __call__(self, event: Event) -> None:
        """Handle an event; write a line unless one was written just before."""
        self._snapshot = self._snapshot.after(event)
        self._is_behind = True
        if event.seconds - self._written_at >= MIN_LINE_INTERVAL:
            self._write()

    def finish(self) -> None:
        """Write the last line if it was held back."""
        if self._is_behind:
            self._write()

    def _write(self) -> None:
        self._write_line(line(self._snapshot, self._snapshot.seconds))
        self._written_at = self._snapshot.seconds
        self._is_behind = False


@contextmanager
def _live_line(started: float) -> Iterator[Emit]:
    from rich.live import Live
    from rich.text import Text

    snapshot = ProgressSnapshot()

    def take(event: Event) -> None:
        nonlocal snapshot
        snapshot = snapshot.after(event)

    def draw() -> Text:
        return Text(line(snapshot, time.perf_counter() - started), no_wrap=True, overflow="ellipsis")

    with Live(get_renderable=draw, refresh_per_second=REFRESHES_PER_SECOND):
        yield take
