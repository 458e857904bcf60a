"""What ``oddlearn paper`` does with a study: parts run with a bar, what has run counted, tables told."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oddlearn.cli.console import note, say
from oddlearn.cli.files import write_whole
from oddlearn.cli.paper import PARTS
from oddlearn.datasets import entry, load
from oddlearn.errors import InvalidInputError, StudyError
from oddlearn.experiments import plan
from oddlearn.experiments.extract import read_results
from oddlearn.experiments.runner import Failure, missing, run
from oddlearn.experiments.store import Store
from oddlearn.experiments.tables import Table, all_tables
from oddlearn.experiments.trial import Result, Trial

ENDINGS = {"text": ".txt", "markdown": ".md", "csv": ".csv"}

# plain lines, where there is no terminal for a bar, come this far apart
PAUSE_SECONDS = 10.0

# so many trials that failed are told with their reasons, the others counted
NAMED = 3

Told = Callable[[int, int, Result], None]


def run_parts(asked: argparse.Namespace) -> int:
    """Run what is missing of the parts that were asked for; return how many trials ran.

    Raises
    ------
    StudyError
        At the end, when some trials failed: all others have run.
    """
    scope = scope_of(asked)
    for name in scope.datasets:
        load(name, asked.data)  # a file that is missing or damaged is told before any work
    ran, failures = 0, []
    with Store.open(asked.store) as store:
        for part in asked.part or PARTS:
            wanted = missing(trials_of(part, scope, store), store)
            if wanted:
                with _progress(part) as told:
                    tally = run(wanted, store, asked.data, asked.jobs, told)
                ran += tally.ran
                failures += tally.failures
    if failures:
        raise StudyError(_failures_told(failures, ran))
    return ran


def _failures_told(failures: Sequence[Failure], ran: int) -> str:
    named = [f"{failure.trial} ({failure.reason.rstrip('.')})" for failure in failures[:NAMED]]
    others = [f"{len(failures) - NAMED:,} more"] if len(failures) > NAMED else []
    return (
        f"{len(failures):,} of {ran + len(failures):,} trials failed, and all others are kept: "
        f"{'; '.join(named + others)}. Start again to try them once more."
    )


def scope_of(asked: argparse.Namespace) -> plan.Scope:
    """Return what of the study the options ask for."""
    if asked.seconds is None:
        raise InvalidInputError("--seconds none: every trial needs a time limit, such as 1.")
    every = plan.Scope()
    return plan.Scope(
        datasets=tuple(entry(name).name for name in asked.dataset) if asked.dataset else every.datasets,
        seeds=asked.seeds,
        splits=(asked.split,) if asked.split else every.splits,
        seconds=asked.seconds,
    )


def trials_of(part: str, scope: plan.Scope, store: Store) -> list[Trial]:
    """Return the trials of a part; those of the stability part depend on what has run."""
    if part == "stability":
        return list(plan.stability(scope, store.results()))
    of = {"grid": plan.grid, "step-one": plan.step_one, "monks": plan.monks, "long": plan.long_sample}
    return list(of[part](scope))


def standing(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return for every part its trials, how many are missing, and the seconds these take at most."""
    scope = scope_of(asked)
    with Store.open(asked.store, create=False) as store:
        found = []
        for part in asked.part or PARTS:
            trials = trials_of(part, scope, store)
            left = missing(trials, store)
            most = sum(trial.seconds for trial in left)
            found.append({"part": part, "trials": len(trials), "missing": len(left), "seconds_left": most})
        return found


def standing_text(parts: Sequence[dict[str, Any]]) -> str:
    """Return the standing for people."""
    lines = [f"{'part':12s}{'trials':>8s}{'run':>8s}{'missing':>9s}  at most, on one core"]
    for part in parts:
        ran = part["trials"] - part["missing"]
        left = _duration(part["seconds_left"]) if part["missing"] else "done"
        lines.append(f"{part['part']:12s}{part['trials']:8,}{ran:8,}{part['missing']:9,}  {left}")
    if any(part["part"] == "stability" and not part["trials"] for part in parts):
        lines.append("The stability part follows from results of the grid, and there are none yet.")
    return "\n".join(lines)


def tables_told(path: Path, kind: str) -> None:
    """Print all tables."""
    tables = all_tables(read_results(path))
    if kind != "text":
        say("\n".join(_written(table, kind) for table in tables).rstrip("\n"))
        return
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 200)
    for table in tables:
        if table.rows:
            console.print(table.rich())
        else:
            console.print(table.title, markup=False)
        for sentence in table.notes:
            console.print(sentence, markup=False, highlight=False)
        console.print()


def tables_written(path: Path, kind: str, folder: Path) -> Iterator[Path]:
    """Write each table to a file of its own; earlier ones of the same names are replaced."""
    for table in all_tables(read_results(path)):
        place = folder / f"{table.name}{ENDINGS[kind]}"
        write_whole(place, _written(table, kind))
        yield place


def _written(table: Table, kind: str) -> str:
    return table.csv() if kind == "csv" else table.markdown()


@contextmanager
def _progress(part: str) -> Iterator[Told]:
    """Give what is to be told of every result: a bar on a terminal, lines elsewhere."""
    if sys.stderr.isatty():
        with _bar(part) as told:
            yield told
    else:
        yield _lines(part)


@contextmanager
def _bar(part: str) -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task(part, total=None)

        def told(done: int, total: int, result: Result) -> None:
            progress.update(bar, completed=done, total=total, description=f"{part}  {result.trial.dataset}")

        yield told


def _lines(part: str) -> Told:
    started = time.perf_counter()
    last = -math.inf

    def told(done: int, total: int, result: Result) -> None:
        nonlocal last
        now = time.perf_counter()
        if done == total or now - last >= PAUSE_SECONDS:
            last = now
            left = (now - started) / done * (total - done)
            note(f"{part}: {done:,} of {total:,}, about {_duration(left)} left ({result.trial.dataset})")

    return told


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
