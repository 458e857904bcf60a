"""Script of the child process that ``run_worker`` starts: read a task, run it, send its messages.

It is run by its path: a module started with ``-m`` would search the user's working directory first. The task
arrives on standard input and messages leave on standard output; whatever a solver prints is redirected to
standard error, which the parent does not show.
"""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import sys
import threading
import traceback
from typing import IO, Any

# option of prctl on Linux: the signal to send to this process when its parent dies
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Run the task named by the parent, then exit without clean-up, which can hang in a solver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    incoming, outgoing = os.fdopen(0, "rb", closefd=False), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # import from this folder until the parent's module search path is known
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from frames import read_frame, write_frame  # type: ignore[import-not-found]

    lock = threading.Lock()

    def send(kind: str, content: Any) -> None:  # noqa: ANN401
        frame = pickle.dumps((kind, content), protocol=pickle.HIGHEST_PROTOCOL)
        with lock:
            write_frame(outgoing, frame)

    order, arguments = read_frame(incoming), read_frame(incoming)
    if order is None or arguments is None:
        os._exit(1)
    threading.Thread(target=exit_with_parent, args=(incoming,), daemon=True).start()
    send(*run_task(order, arguments, lambda message: send("message", message)))
    os._exit(0)


def run_task(order: bytes, arguments: bytes, send: Any) -> tuple[str, Any]:  # noqa: ANN401
    """Return ("result", return value of the task), ("memory", text) or ("failed", text)."""
    sys.path[:], task, max_memory = pickle.loads(order)
    module, name = task.split(":")
    try:
        limit_memory(max_memory)
        function = getattr(importlib.import_module(module), name)
        return "result", function(pickle.loads(arguments), send)
    except MemoryError as error:
        return "memory", error_text(error)
    # the border of a process: report every error to the parent, which decides
    except BaseException as error:  # noqa: BLE001
        return "failed", error_text(error)


def error_text(error: BaseException) -> str:
    """Return the type of the error, its message and the line that raised it."""
    kind = type(error).__name__
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}, line {last.lineno}"
    return f"{kind}: {error} ({place})" if str(error) else f"{kind} ({place})"


def exit_with_parent(incoming: IO[bytes]) -> None:
    """Exit at once when the parent's end of the pipe closes."""
    incoming.read(1)
    os._exit(1)


def die_with_parent() -> None:
    """Ask Linux to kill this process with its parent, even while a solver holds the interpreter."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def limit_memory(max_memory: int | None) -> None:
    """Limit the address space on systems where the parent cannot read the memory in use."""
    if max_memory is None or os.path.exists("/proc/self/statm") or sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = max_memory if hard == resource.RLIM_INFINITY else min(max_memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
