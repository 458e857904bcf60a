"""Dask's own tasks: run by the current client, kept on its workers, merged in a tree."""

from __future__ import annotations

import asyncio
import concurrent.futures
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oddlearn.errors import UnsupportedError
from oddlearn.streaming.dask_batches import import_dask
from oddlearn.streaming.row_source import PartWork, Result, Stop, never

# results that are merged in one task
MERGED_RESULTS = 8

# seconds between two looks at the clock while tasks run
POLL_SECONDS = 0.1

# a worker above 80 % of its memory is paused: it begins no task until memory is freed, for ever if need be.
# Where all workers are paused for so many seconds, the pass is given up
MAX_PAUSED_SECONDS = 60.0

# seconds between two looks at the state of the workers
STATUS_SECONDS = 2.0

# errors that the tasks of a collection may raise: files that vanished, partitions without a column
TASK_ERRORS = (OSError, MemoryError, KeyError)

OTHER_COLUMNS = "A partition lacks a column that the collection names: give all partitions the same columns"
PAUSED = (
    "All Dask workers are paused for lack of memory, and none has gone on for {seconds:.0f} s: give workers "
    "more memory, or smaller partitions."
)
CLOSED = "The Dask client was closed during the fit: open one, and fit again."


@dataclass(frozen=True)
class TaskRunner:
    """The client that was current when the fit began; None if Dask works in this process."""

    client: Any

    @classmethod
    def current(cls) -> TaskRunner:
        """Return a runner of the current client."""
        distributed: Any = sys.modules.get("distributed")
        try:
            return cls(None if distributed is None else distributed.default_client())
        except ValueError:  # there is none
            return cls(None)

    @property
    def n_threads(self) -> int:
        """Threads of all workers together."""
        if self.client is None:
            return 1
        self._check_client()
        return max(1, int(sum(self.client.nthreads().values())))

    def compute(self, value: Any, stop: Stop = never) -> Any:  # noqa: ANN401
        """Return the value of a delayed task; None if it was stopped."""
        if self.client is None:
            return self._run_here(import_dask().compute, [value])[0]
        self._check_client()
        try:
            future = self.client.compute(value)
            if not self._wait([future], stop):
                future.cancel()
                return None
            return future.result()
        except _cluster_errors() as problem:
            raise self._explain(problem) from None

    def _run_here(self, run: Callable[..., Any], values: list[Any]) -> Any:  # noqa: ANN401
        """Run delayed tasks in this process."""
        try:
            return run(*values)
        except TASK_ERRORS as problem:
            raise self._explain(problem) from None

    def _wait(self, futures: list[Any], stop: Stop) -> bool:
        """Wait until all futures are done; return False if it was stopped."""
        distributed: Any = sys.modules["distributed"]
        watch = PauseWatch(self.client)
        while True:
            try:
                distributed.wait(futures, timeout=POLL_SECONDS)
                return True
            except distributed.TimeoutError:
                if stop():
                    return False
                self._check_client()
                watch.check()

    def persist(self, values: list[Any], stop: Stop = never) -> list[Any] | None:
        """Run delayed tasks whose results stay on the workers; return None if it was stopped."""
        if self.client is None:
            return list(self._run_here(import_dask().persist, values))
        self._check_client()
        distributed: Any = sys.modules["distributed"]
        try:
            stored = list(self.client.persist(values))
            futures = distributed.futures_of(stored)
            if not self._wait(futures, stop):
                return None
            for future in futures:
                if future.status != "finished":
                    future.result()
            return stored
        except _cluster_errors() as problem:
            raise self._explain(problem) from None

    def _check_client(self) -> None:
        if self.client.status != "running":
            raise UnsupportedError(CLOSED)

    def _explain(self, problem: BaseException) -> UnsupportedError:
        """Return an error of the cluster as a sentence."""
        if self.client is not None and self.client.status != "running":
            return UnsupportedError(CLOSED)
        if isinstance(problem, KeyError):
            what = str(problem.args[0]) if problem.args else "a name is not known"
            return UnsupportedError(f"{OTHER_COLUMNS} ({what}).")
        reasons = {
            "KilledWorker": "a worker died again and again, perhaps for lack of memory: give workers more "
            "memory, or smaller partitions",
            "MemoryError": "a worker ran out of memory: give workers more memory, or smaller partitions",
        }
        reason = reasons.get(
            type(problem).__name__, str(problem).splitlines()[0] if str(problem) else "cancelled"
        )
        return UnsupportedError(f"Dask could not finish a pass over the rows: {reason}.")


class PauseWatch:
    """A watch over a cluster whose workers may all be paused for lack of memory."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self._client = client
        self._looked = self._running = time.monotonic()

    def check(self) -> None:
        """Raise UnsupportedError if all workers have been paused for too long."""
        now = time.monotonic()
        if now < self._looked + STATUS_SECONDS:
            return
        self._looked = now
        workers = self._client.run_on_scheduler(_worker_states)
        if not workers or any(state != "paused" for state in workers):
            self._running = now
        elif now - self._running >= MAX_PAUSED_SECONDS:
            raise UnsupportedError(PAUSED.format(seconds=MAX_PAUSED_SECONDS))


def _worker_states(dask_scheduler: Any) -> list[str]:  # noqa: ANN401
    return [worker.status.name for worker in dask_scheduler.workers.values()]


def _cluster_errors() -> tuple[type[BaseException], ...]:
    """Return the errors that a cluster may raise, whatever the tasks do."""
    distributed: Any = sys.modules["distributed"]
    own = (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError)
    return (*TASK_ERRORS, asyncio.CancelledError, concurrent.futures.CancelledError, *own)


def merge_tree(work: PartWork[Any, Result], results: list[Any]) -> Any:  # noqa: ANN401
    """Return a delayed merge of delayed results, some of them in each task."""
    merge = import_dask().delayed(_merge_some)
    while len(results) > 1:
        groups = (results[first : first + MERGED_RESULTS] for first in range(0, len(results), MERGED_RESULTS))
        results = [merge(work, group) for group in groups]
    return results[0]


def _merge_some(work: PartWork[Any, Result], results: list[Result | None]) -> Result | None:
    total: Result | None = None
    for one in results:
        total = one if total is None else total if one is None else work.merge(total, one)
    return total
