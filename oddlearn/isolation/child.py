"""The child process of ``run_isolated``: reads a task, runs it, sends what it says.

Run as a script, by its path: a module started with ``-m`` would look for its imports in the user's working
directory first. Standard input brings the task, standard output takes the messages; anything a solver prints
goes to standard error, which the parent keeps to itself.
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

# the number of prctl's "send me this signal when my parent dies"
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Run the task the parent names, and leave without clean-up: a solver's own can hang."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    incoming, outgoing = os.fdopen(0, "rb", closefd=False), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # this file's folder, until the parent's places to look for modules are known
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
    threading.Thread(target=leave_with, args=(incoming,), daemon=True).start()
    send(*answer(order, arguments, lambda message: send("message", message)))
    os._exit(0)


def answer(order: bytes, arguments: bytes, send: Any) -> tuple[str, Any]:  # noqa: ANN401
    """Return ("result", what the task returned), ("memory", text) or ("failed", text)."""
    sys.path[:], task, most_memory = pickle.loads(order)
    module, name = task.split(":")
    try:
        limit_memory(most_memory)
        function = getattr(importlib.import_module(module), name)
        return "result", function(pickle.loads(arguments), send)
    except MemoryError as error:
        return "memory", described(error)
    # the border of a process: whatever it is, the parent is told and decides
    except BaseException as error:  # noqa: BLE001
        return "failed", described(error)


def described(error: BaseException) -> str:
    """Return the kind of the error, what it says and where it was raised."""
    kind = type(error).__name__
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}, line {last.lineno}"
    return f"{kind}: {error} ({place})" if str(error) else f"{kind} ({place})"


def leave_with(incoming: IO[bytes]) -> None:
    """Leave at once when the parent's end of the pipe closes: it is done with us, or dead."""
    incoming.read(1)
    os._exit(1)


def die_with_parent() -> None:
    """Ask Linux to end this process with its parent, even while a solver holds the interpreter."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def limit_memory(most_memory: int | None) -> None:
    """Limit the address space where the parent cannot watch the memory in use."""
    if most_memory is None or os.path.exists("/proc/self/statm") or sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = most_memory if hard == resource.RLIM_INFINITY else min(most_memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
