"""A child process and its three pipes: arguments in, messages out, and what it prints."""

from __future__ import annotations

import contextlib
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oddlearn.isolation.frames import read_frame, write_frame
from oddlearn.isolation.memory import memory_of

SCRIPT = Path(__file__).with_name("child.py")

# bytes kept of what the child prints, and lines shown of them
MOST_KEPT = 4096
MOST_LINES = 3

# seconds a process that was killed is waited for: one with much memory takes longer to go, alone
GRACE = 0.2

# seconds after its death in which the last frames of a child must have come out of the pipe
LAST_FRAMES = 1.0

News = tuple[str, Any]


class Child:
    """A running child; frames that come are kept in a queue until asked for."""

    def __init__(self, frames: Sequence[bytes]) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable or "", str(SCRIPT)]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._printed = b""
        # threads, for a pipe holds 64 kB: nobody may wait for the other side
        self._writer = _thread(self._write, frames)
        self._listener = _thread(self._listen)
        self._reader = _thread(self._read)

    @property
    def memory(self) -> int:
        """Bytes of memory the child holds."""
        return memory_of(self._process.pid)

    def news(self, seconds: float) -> News | None:
        """Return the next piece of news, ("gone", why) when there are no more, None if none comes in time."""
        try:
            return self._opened(self._frames.get(timeout=max(0.0, seconds)))
        except queue.Empty:
            return None if self._process.poll() is None else self._last_news()

    def rest(self) -> Iterator[News]:
        """Yield what had been sent by a child that was ended."""
        while (piece := self.news(GRACE)) is not None and piece[0] != "gone":
            yield piece

    def end(self) -> None:
        """End the child at once; its memory may take a moment longer to go."""
        self._process.kill()
        self._reader.join(GRACE)

    def _last_news(self) -> News:
        # the pipe of a dead child stays open if another thread of the caller happened to fork meanwhile
        try:
            return self._opened(self._frames.get(timeout=LAST_FRAMES))
        except queue.Empty:
            return self._opened(None)

    def _opened(self, frame: bytes | None) -> News:
        if frame is None:
            return "gone", self._cause_of_death()
        news: News = pickle.loads(frame)
        return news

    def _cause_of_death(self) -> str:
        code = self._process.poll()
        lines = self._printed.decode(errors="replace").strip().splitlines()[-MOST_LINES:]
        return "; ".join([_named_code(code), *(line.strip() for line in lines)])

    def _write(self, frames: Sequence[bytes]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, OSError):  # it died before it had read them
            for frame in frames:
                write_frame(self._process.stdin, frame)

    def _listen(self) -> None:
        assert self._process.stderr is not None
        while piece := self._process.stderr.read1(MOST_KEPT):  # type: ignore[attr-defined]
            self._printed = (self._printed + piece)[-MOST_KEPT:]

    def _read(self) -> None:
        assert self._process.stdout is not None
        while (frame := read_frame(self._process.stdout)) is not None:
            self._frames.put(frame)
        self._process.wait()
        self._listener.join(GRACE)
        self._frames.put(None)
        self._writer.join()
        self._close()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError, OSError):  # unread bytes cannot be flushed
                assert pipe is not None
                pipe.close()


def _thread(target: Any, *arguments: object) -> threading.Thread:  # noqa: ANN401
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def _named_code(code: int | None) -> str:
    if code is None or code >= 0:
        return f"the process left with code {code} and without a result"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    hint = ", perhaps by the system, for want of memory" if name == "SIGKILL" else ""
    return f"the process was ended by signal {name}{hint}"
