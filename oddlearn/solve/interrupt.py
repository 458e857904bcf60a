"""Ctrl-C during a fit: it stops the solver that runs, and waits while results are recorded."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class InterruptHandler:
    """A handler of SIGINT that raises KeyboardInterrupt only where that is allowed.

    Attributes
    ----------
    requested : bool
        True once the user has pressed Ctrl-C.
    """

    def __init__(self) -> None:
        self.requested = False
        self._raises = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Note the signal; raise it where that is allowed."""
        self.requested = True
        if self._raises:
            raise KeyboardInterrupt

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Raise KeyboardInterrupt when Ctrl-C is pressed inside the block."""
        self._raises = True
        try:
            yield
        finally:
            self._raises = False


@contextmanager
def handle_interrupts() -> Iterator[InterruptHandler]:
    """Handle Ctrl-C by an ``InterruptHandler`` inside the block: the active one if there is one.

    Outside the main thread, where Python delivers no signals, and where the program has a handler of its own,
    nothing is changed.
    """
    before = signal.getsignal(signal.SIGINT)
    if isinstance(before, InterruptHandler):
        yield before
        return
    handler = InterruptHandler()
    is_ours = before is signal.default_int_handler and threading.current_thread() is threading.main_thread()
    if is_ours:
        signal.signal(signal.SIGINT, handler)
    try:
        yield handler
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, before)
