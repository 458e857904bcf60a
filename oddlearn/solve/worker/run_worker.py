"""Run a function in a child process until it returns, fails, or exceeds its time or memory."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from oddlearn.solve.budget import Budget
from oddlearn.solve.worker.child_process import ChildProcess, Packet, allowed_memory

WorkerStatus = Literal["done", "time", "memory", "crashed", "interrupted"]

POLL_SECONDS = 0.05  # seconds between two checks of the clock and of the child's memory

# kind of a child's last packet -> status of the worker
_STATUS_OF_PACKET: dict[str, WorkerStatus] = {
    "result": "done",
    "memory": "memory",
    "failed": "crashed",
    "gone": "crashed",
}

_Outcome = tuple[WorkerStatus, Any, str]


@dataclass(frozen=True)
class WorkerExit:
    """The end of a child process."""

    status: WorkerStatus  # "done", "time", "memory", "crashed" or "interrupted"
    result: Any  # return value of the function; None unless done
    detail: str  # the reason, in words; empty when done
    seconds: float


def run_worker(
    task: str,
    arguments: object,
    budget: Budget,
    on_message: Callable[[Any], None],
    max_memory: int | None = None,
) -> WorkerExit:
    """Call ``function(arguments, send)`` in a child process and wait for it.

    ``task``: ``"package.module:function"``; the child imports the module to find the function.
    ``arguments``: anything that can be pickled.
    ``budget``: the child is killed at its deadline.
    ``on_message``: called in this thread with everything the function passes to ``send``, in order. Messages
    of a child that then crashed, or was killed, are still delivered.
    ``max_memory``: bytes the child may use; half of the available memory by default.
    """
    started = time.perf_counter()
    limit = allowed_memory(max_memory)
    if budget.expired:
        return WorkerExit("time", None, "there was no time left to begin", 0.0)
    order = (sys.path, task, limit)
    frames = [pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL) for part in (order, arguments)]
    status, result, detail = _run_child(frames, budget, on_message, limit)
    return WorkerExit(status, result, detail, time.perf_counter() - started)


def _run_child(
    frames: list[bytes], budget: Budget, on_message: Callable[[Any], None], limit: int
) -> _Outcome:
    child: ChildProcess | None = None
    try:
        try:
            child = ChildProcess(frames)
        except OSError as error:
            return "crashed", None, f"no process could be started: {error}"
        return _watch_child(child, budget, on_message, limit)
    except KeyboardInterrupt:
        if child is not None:
            child.kill()
            _deliver_remaining(child, on_message)
        return "interrupted", None, "it was interrupted from the keyboard"
    finally:
        if child is not None:
            child.kill()


def _watch_child(
    child: ChildProcess, budget: Budget, on_message: Callable[[Any], None], limit: int
) -> _Outcome:
    """Deliver messages until the child's last packet, or until there is a reason to kill it."""
    while (reason := _reason_to_kill(child, budget, limit)) is None:
        packet = child.next_packet(min(POLL_SECONDS, budget.remaining()))
        if packet is not None and packet[0] != "message":
            return _outcome_of(packet)
        if packet is not None:
            on_message(packet[1])
    child.kill()
    last = _deliver_remaining(child, on_message)
    return reason if last is None else _outcome_of(last)


def _reason_to_kill(child: ChildProcess, budget: Budget, limit: int) -> _Outcome | None:
    if budget.expired:
        return "time", None, "its time was up"
    used = child.memory
    if used > limit:
        return "memory", None, f"it used {used / 2**30:.2g} GB of memory; {limit / 2**30:.2g} GB were allowed"
    return None


def _deliver_remaining(child: ChildProcess, on_message: Callable[[Any], None]) -> Packet | None:
    """Deliver the messages a killed child had sent; return its last packet if it had sent that too."""
    for packet in child.remaining_packets():
        if packet[0] != "message":
            return packet
        on_message(packet[1])
    return None


def _outcome_of(packet: Packet) -> _Outcome:
    kind, content = packet
    status = _STATUS_OF_PACKET[kind]
    return (status, content, "") if kind == "result" else (status, None, content)
