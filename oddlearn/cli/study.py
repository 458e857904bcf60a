"""What ``oddlearn paper`` does with a study: parts run, what has run counted, tables told."""

from __future__ import annotations

import argparse
import io
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import oddlearn
from oddlearn.cli.console import note, say
from oddlearn.cli.pace import duration, progress
from oddlearn.cli.paper import PARTS
from oddlearn.datasets import find_entry, load
from oddlearn.errors import InvalidInputError, StudyError
from oddlearn.experiments import plan
from oddlearn.experiments.extract import read_results
from oddlearn.experiments.runner import Failure, missing, run
from oddlearn.experiments.store import Store, is_store
from oddlearn.experiments.tables import Table, all_tables
from oddlearn.experiments.trial import Result, Trial
from oddlearn.files import write_whole

ENDINGS = {"text": ".txt", "markdown": ".md", "csv": ".csv"}

# columns of a text that no terminal shows
FILE_WIDTH = 200

# so many trials that failed are told with their reasons, the others counted
NAMED = 3


def run_parts(asked: argparse.Namespace) -> int:
    """Run what is missing of the parts that were asked for; return how many trials ran.

    Raises
    ------
    StudyError
        At the end, when some trials failed: all others have run.
    """
    scope = scope_of(asked)
    # what cannot be used is told before any work: the store before the data, which may be downloaded
    Store.check(asked.store)
    for name in scope.datasets:
        load(name, asked.data)
    ran = 0
    failures: list[Failure] = []
    with Store.open(asked.store) as store:
        note_versions(store)
        for part in parts_of(asked):
            wanted = missing(trials_of(part, scope, store), store)
            if wanted:
                with progress(part, len(wanted)) as told:
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
        datasets=tuple(dict.fromkeys(find_entry(name).name for name in asked.dataset or every.datasets)),
        seeds=asked.seeds,
        splits=(asked.split,) if asked.split else every.splits,
        seconds=asked.seconds,
    )


def parts_of(asked: argparse.Namespace) -> list[str]:
    """Return the parts that were asked for, each once, in the order they run."""
    return [part for part in PARTS if not asked.part or part in asked.part]


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
        note_versions(store)
        found = []
        for part in parts_of(asked):
            trials = trials_of(part, scope, store)
            left = missing(trials, store)
            most = math.fsum(trial.seconds for trial in left)
            found.append({"part": part, "trials": len(trials), "missing": len(left), "seconds_left": most})
        return found


def standing_text(parts: Sequence[dict[str, Any]]) -> str:
    """Return the standing for people."""
    lines = [f"{'part':12s}{'trials':>8s}{'run':>8s}{'missing':>9s}  at most, on one core"]
    for part in parts:
        ran = part["trials"] - part["missing"]
        left = duration(part["seconds_left"]) if part["missing"] else "done" if part["trials"] else "-"
        lines.append(f"{part['part']:12s}{part['trials']:8,}{ran:8,}{part['missing']:9,}  {left}")
    if any(part["part"] == "stability" and not part["trials"] for part in parts):
        lines.append("The stability part follows from the grid's results on the 18 selected data sets.")
    return "\n".join(lines)


def note_versions(store: Store) -> None:
    """Say which versions of oddlearn wrote the results, when there is another than this one."""
    found = store.versions()
    if set(found) <= {oddlearn.__version__}:
        return
    told = " and ".join([", ".join(found[:-1])] * (len(found) > 1) + [found[-1]])
    note(
        f"Note: the store {store.path} has results of oddlearn {told}, and this is oddlearn "
        f"{oddlearn.__version__}: all are kept and count alike."
    )


def tables_told(path: Path, kind: str) -> None:
    """Print all tables."""
    tables = all_tables(_results(path))
    if kind == "text" and sys.stdout.isatty():
        for table in tables:
            _print(table, Console())
            say("")
    else:
        say("\n".join(_written(table, kind) for table in tables).rstrip("\n"))


def tables_written(path: Path, kind: str, folder: Path) -> Iterator[Path]:
    """Write each table to a file of its own; earlier ones of the same names are replaced."""
    for table in all_tables(_results(path)):
        place = folder / f"{table.name}{ENDINGS[kind]}"
        write_whole(place, _written(table, kind))
        yield place


def _results(path: Path) -> list[Result]:
    results = read_results(path)
    if is_store(path):
        with Store.open(path, create=False) as store:
            note_versions(store)
    return results


def _written(table: Table, kind: str) -> str:
    if kind == "text":
        text = io.StringIO()
        _print(table, Console(file=text, width=FILE_WIDTH))
        return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
    return table.csv() if kind == "csv" else table.markdown()


def _print(table: Table, console: Console) -> None:
    if table.rows:
        width = console.width
        console.width = max(width, table.width)  # in a narrower terminal lines run over: no number is cut
        console.print(table.rich())
        console.width = width
    else:
        console.print(table.title, markup=False, highlight=False)
    for sentence in table.notes:
        console.print(sentence, markup=False, highlight=False)
