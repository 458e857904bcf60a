"""Missing trials run in parallel, each result stored as soon as it is there; progress on standard error."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from joblib import Parallel, delayed

from oddlearn.errors import StudyError
from oddlearn.study.result_store import ResultStore
from oddlearn.study.run_trial import run_trial
from oddlearn.study.trial import Outcome, Result, Trial

# called after each result: number of finished trials, number of all trials, the result
ProgressCallback = Callable[[int, int, Result], None]

# errors that data, memory or a solver can cause in one trial; any other is a bug and ends the run
TRIAL_ERRORS = (ValueError, ArithmeticError, RuntimeError, MemoryError)

LINE_SECONDS = 10.0  # time between two progress lines


@dataclass(frozen=True)
class TrialFailure:
    """A trial without an outcome, and the reason in one sentence; it is not in the store."""

    trial: Trial
    reason: str


@dataclass(frozen=True)
class RunSummary:
    """The number of trials whose results were stored, and the trials that failed."""

    ran: int
    failures: tuple[TrialFailure, ...]


def find_missing(trials: Iterable[Trial], store: ResultStore) -> list[Trial]:
    """Return the trials that are not in the store, in their order, without duplicates."""
    done = store.keys()
    return [trial for trial in dict.fromkeys(trials) if trial.key not in done]


def run_trials(
    trials: Iterable[Trial],
    store: ResultStore,
    directory: Path | None = None,
    n_jobs: int | None = 1,
    on_result: ProgressCallback | None = None,
) -> RunSummary:
    """Run the missing trials and store their results; continue when a trial fails.

    The trials are distributed by joblib: use ``joblib.parallel_config`` around the call for another back end
    (Dask, Ray). Only this process writes to the store. A trial that fails stays missing, and the next run
    tries it again.

    ``directory``: directory of the data sets, for every worker process.
    ``n_jobs``: number of processes; None for that of ``parallel_config``, or one.
    ``on_result``: called after each result was stored.
    Raises StudyError if a worker process was killed; stored results are kept.
    """
    missing = find_missing(trials, store)
    failures: list[TrialFailure] = []
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    try:
        with ignore_interrupts():
            started = parallel(delayed(_try_trial)(trial, directory) for trial in missing)
        # close at once if the store fails or on Ctrl-C, without waiting for trials in progress
        with _ignore_joblib_warnings(), closing(started) as finished:
            for done, (trial, found) in enumerate(finished, start=1):
                if isinstance(found, str):
                    failures.append(TrialFailure(trial, found))
                    continue
                result = Result(trial, found[0])
                store.add(result, found[1])
                if on_result is not None:
                    on_result(done, len(missing), result)
    except BrokenExecutor:
        raise StudyError(
            "A worker process was killed, perhaps for lack of memory: start again with fewer jobs; finished "
            "trials are kept."
        ) from None
    return RunSummary(len(missing) - len(failures), tuple(failures))


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Let processes that are started here ignore Ctrl-C: the main process handles it and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


@contextmanager
def _ignore_joblib_warnings() -> Iterator[None]:
    """Suppress joblib's warnings about cancelled trials: the reason is reported as an error."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\d+ tasks? ", UserWarning)
        yield


def _try_trial(trial: Trial, directory: Path | None) -> tuple[Trial, tuple[Outcome, str] | str]:
    """Return a trial with its outcome and model, or with the reason of its failure."""
    try:
        return trial, run_trial(trial, directory)
    except TRIAL_ERRORS as problem:
        return trial, " ".join(f"{type(problem).__name__}: {problem}".split())


@contextmanager
def show_progress(part: str, total: int) -> Iterator[ProgressCallback]:
    """Yield a callback that shows progress on standard error: a bar on a terminal, else lines."""
    if sys.stderr.isatty():
        with _progress_bar(part, total) as callback:
            yield callback
    else:
        yield ProgressLines(part)


class ProgressLines:
    """A callback that prints a line of progress every few seconds."""

    def __init__(self, part: str) -> None:
        self._part = part
        self._first = (0.0, 0)
        self._last = -math.inf

    def __call__(self, done: int, total: int, result: Result) -> None:
        """Print a line if the last one is old enough, or if this is the last result."""
        now = time.perf_counter()
        if self._last == -math.inf:
            # the first result includes the start of the processes: measure the pace from there
            self._first = (now, done)
        if done == total or now - self._last >= LINE_SECONDS:
            self._last = now
            remaining = self._remaining_text(now, done, total)
            sys.stderr.write(f"{self._part}: {done:,} of {total:,}{remaining} ({result.trial.dataset})\n")

    def _remaining_text(self, now: float, done: int, total: int) -> str:
        started, before = self._first
        if done == before:
            return ""
        return f", about {duration_text((now - started) / (done - before) * (total - done))} left"


@contextmanager
def _progress_bar(part: str, total: int) -> Iterator[ProgressCallback]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(part, total=total)

        def update(done: int, _: int, result: Result) -> None:
            progress.update(task, completed=done, description=f"{part}  {result.trial.dataset}")

        yield update


def duration_text(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
