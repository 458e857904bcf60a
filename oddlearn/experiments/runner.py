"""The trials that are missing, run side by side, each written as soon as it is done."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from joblib import Parallel, delayed

from oddlearn.errors import StudyError
from oddlearn.experiments.store import Store
from oddlearn.experiments.training import carry_out
from oddlearn.experiments.trial import Outcome, Result, Trial

# told of every result: how many trials have ended, how many there are in all, and the result
Told = Callable[[int, int, Result], None]

# what the rows, the memory or a solver can do to one trial; any other error is a mistake of the program
TROUBLES = (ValueError, ArithmeticError, RuntimeError, MemoryError)


@dataclass(frozen=True)
class Failure:
    """A trial that has no outcome, and why, in a sentence. It is not in the store."""

    trial: Trial
    reason: str


@dataclass(frozen=True)
class Tally:
    """How a run ended: the number of trials that were written, and those that failed."""

    ran: int
    failures: tuple[Failure, ...]


def missing(trials: Iterable[Trial], store: Store) -> list[Trial]:
    """Return the trials that the store does not have, each once, in their order."""
    done = store.keys()
    return [trial for trial in dict.fromkeys(trials) if trial.key not in done]


def run(
    trials: Iterable[Trial],
    store: Store,
    directory: Path | None = None,
    n_jobs: int | None = 1,
    told: Told | None = None,
) -> Tally:
    """Run what is missing, to the last trial even if some fail, and return how it ended.

    joblib hands the trials out, so that a ``joblib.parallel_config`` around the call takes them to another
    back end (Dask, Ray); only this process writes to the store. A trial that fails is missing still: the next
    run tries it again.

    Parameters
    ----------
    trials : iterable of Trial
    store : Store
    directory : Path, optional
        Where the data sets are, for every process that works.
    n_jobs : int, optional
        Processes; None for what a ``parallel_config`` says, one without it.
    told : callable, optional
        Called after each trial that was written.

    Raises
    ------
    StudyError
        When a process that works was ended from outside; what was written is kept.
    """
    wanted = missing(trials, store)
    failures: list[Failure] = []
    work = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    try:
        with _deaf():
            begun = work(delayed(_worked)(trial, directory) for trial in wanted)
        # closed at once when the store fails or the keyboard ends it: nobody waits for trials in flight
        with _quiet(), closing(begun) as ended:
            for place, (trial, found) in enumerate(ended):
                if isinstance(found, str):
                    failures.append(Failure(trial, found))
                    continue
                result = Result(trial, found[0])
                store.add(result, found[1])
                if told is not None:
                    told(place + 1, len(wanted), result)
    except BrokenExecutor:
        raise StudyError(
            "A process that ran trials was ended from outside, perhaps for want of memory: start again with "
            "fewer jobs; finished trials are kept."
        ) from None
    return Tally(len(wanted) - len(failures), tuple(failures))


@contextmanager
def _deaf() -> Iterator[None]:
    """Let processes that are started here not hear Ctrl-C: this one does, and ends them without a word."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out joblib's advice on trials that were cancelled: why they were is told in a sentence."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\d+ tasks? ", UserWarning)
        yield


def _worked(trial: Trial, directory: Path | None) -> tuple[Trial, tuple[Outcome, str] | str]:
    """Return a trial with its outcome and model, or with the reason why it has none."""
    try:
        return trial, carry_out(trial, directory)
    except TROUBLES as problem:
        return trial, " ".join(f"{type(problem).__name__}: {problem}".split())
