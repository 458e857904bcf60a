"""A child process, its three pipes and its memory."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oddlearn.solve.worker.frames import read_frame, write_frame
from oddlearn.streaming.available_memory import available_bytes

SCRIPT = Path(__file__).with_name("child_main.py")

# bytes kept of what the child prints, and lines of them in a message
MAX_OUTPUT_BYTES = 4096
MAX_OUTPUT_LINES = 3

# seconds to wait for a process that was killed; one with much memory takes longer to disappear
GRACE_SECONDS = 0.2

# seconds after the death of a child in which its last frames must have arrived
LAST_FRAME_SECONDS = 1.0

MEMORY_SHARE = 0.5  # share of the available memory that a child may use by default

# ("message", content), or the last packet: "result", "memory", "failed" or "gone" with its content
Packet = tuple[str, Any]


class ChildProcess:
    """A running child process; packets that arrive are queued until they are read."""

    def __init__(self, frames: Sequence[bytes]) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable or "", str(SCRIPT)]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._output = b""
        # a pipe holds 64 kB: use one thread for each, so that neither side blocks the other
        self._writer = _start_thread(self._write_frames, frames)
        self._output_reader = _start_thread(self._read_output)
        self._frame_reader = _start_thread(self._read_frames)

    @property
    def memory(self) -> int:
        """Bytes of memory the child uses."""
        return _process_memory(self._process.pid)

    def next_packet(self, seconds: float) -> Packet | None:
        """Return the next packet, ("gone", reason) after the last one, None if none arrives in time."""
        try:
            return self._parse_frame(self._frames.get(timeout=max(0.0, seconds)))
        except queue.Empty:
            return None if self._process.poll() is None else self._last_packet()

    def remaining_packets(self) -> Iterator[Packet]:
        """Yield the packets that a killed child had sent before."""
        while (packet := self.next_packet(GRACE_SECONDS)) is not None and packet[0] != "gone":
            yield packet

    def kill(self) -> None:
        """Kill the child at once; its memory may be released a moment later."""
        self._process.kill()
        self._frame_reader.join(GRACE_SECONDS)

    def _last_packet(self) -> Packet:
        # the pipe of a dead child stays open if another thread of the caller has forked meanwhile
        try:
            return self._parse_frame(self._frames.get(timeout=LAST_FRAME_SECONDS))
        except queue.Empty:
            return self._parse_frame(None)

    def _parse_frame(self, frame: bytes | None) -> Packet:
        if frame is None:
            return "gone", self._cause_of_death()
        packet: Packet = pickle.loads(frame)
        return packet

    def _cause_of_death(self) -> str:
        code = self._process.poll()
        lines = self._output.decode(errors="replace").strip().splitlines()[-MAX_OUTPUT_LINES:]
        return "; ".join([_exit_code_text(code), *(line.strip() for line in lines)])

    def _write_frames(self, frames: Sequence[bytes]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, OSError):  # it died before it had read them
            for frame in frames:
                write_frame(self._process.stdin, frame)

    def _read_output(self) -> None:
        assert self._process.stderr is not None
        while piece := self._process.stderr.read1(MAX_OUTPUT_BYTES):  # type: ignore[attr-defined]
            self._output = (self._output + piece)[-MAX_OUTPUT_BYTES:]

    def _read_frames(self) -> None:
        assert self._process.stdout is not None
        while (frame := read_frame(self._process.stdout)) is not None:
            self._frames.put(frame)
        self._process.wait()
        self._output_reader.join(GRACE_SECONDS)
        self._frames.put(None)
        self._writer.join()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError, OSError):  # unread bytes cannot be flushed
                assert pipe is not None
                pipe.close()


def allowed_memory(max_memory: int | None) -> int:
    """Return the bytes a child may use: ``max_memory``, or a share of the available memory."""
    return int(MEMORY_SHARE * available_bytes()) if max_memory is None else max_memory


def _process_memory(pid: int) -> int:
    """Return the bytes of memory a process uses, 0 if they cannot be read."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _start_thread(target: Any, *arguments: object) -> threading.Thread:  # noqa: ANN401
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def _exit_code_text(code: int | None) -> str:
    if code is None or code >= 0:
        return f"the process exited with code {code} and without a result"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    hint = ", perhaps by the system for lack of memory" if name == "SIGKILL" else ""
    return f"the process was killed by signal {name}{hint}"
