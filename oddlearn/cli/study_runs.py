"""``oddlearn paper``: run parts of the study, count trials, print and write tables; imported late."""

from __future__ import annotations

import argparse
import io
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import oddlearn
from oddlearn.cli.console import print_note
from oddlearn.datasets import find_entry, load
from oddlearn.errors import InvalidInputError, StudyError
from oddlearn.study import trial_plan
from oddlearn.study.result_store import ResultStore, is_store, read_results
from oddlearn.study.tables import Table, build_tables
from oddlearn.study.trial import Result, Trial
from oddlearn.study.trial_plan import Scope
from oddlearn.study.trial_runner import TrialFailure, duration_text, find_missing, run_trials, show_progress
from oddlearn.table.files import write_whole

SUFFIXES = {"text": ".txt", "markdown": ".md", "csv": ".csv"}

FILE_WIDTH = 200  # width of a text table in a file, in characters
MAX_LISTED_FAILURES = 3  # failed trials that are listed with their reasons; the others are counted

PLANS: dict[str, Callable[[Scope], Iterator[Trial]]] = {
    "grid": trial_plan.plan_grid,
    "step-one": trial_plan.plan_step_one,
    "monks": trial_plan.plan_monks,
    "long": trial_plan.plan_long_sample,
}


def run_parts(args: argparse.Namespace) -> int:
    """Run the missing trials of the requested parts; return the number of trials that ran.

    Raises StudyError at the end, if some trials failed: all others have run.
    """
    scope = build_scope(args)
    # check before any work, and the store before the data, which may be downloaded
    ResultStore.check(args.store)
    for name in scope.datasets:
        load(name, args.data)
    ran = 0
    failures: list[TrialFailure] = []
    with ResultStore.open(args.store) as store:
        note_versions(store)
        for part in args.parts:
            missing = find_missing(plan_part(part, scope, store), store)
            if missing:
                with show_progress(part, len(missing)) as on_result:
                    summary = run_trials(missing, store, args.data, args.jobs, on_result)
                ran += summary.ran
                failures += summary.failures
    if failures:
        raise StudyError(_failures_text(failures, ran))
    return ran


def _failures_text(failures: Sequence[TrialFailure], ran: int) -> str:
    reasons = [f"{one.trial} ({one.reason.rstrip('.')})" for one in failures[:MAX_LISTED_FAILURES]]
    n_others = len(failures) - len(reasons)
    others = [f"{n_others:,} more"] if n_others else []
    return (
        f"{len(failures):,} of {ran + len(failures):,} trials failed, all others are saved: "
        f"{'; '.join(reasons + others)}. Run the same command to try them again."
    )


def build_scope(args: argparse.Namespace) -> Scope:
    """Return the part of the study that the options select."""
    if args.seconds is None:
        raise InvalidInputError("--seconds none: every trial needs a time limit, such as 1.")
    default = Scope()
    return Scope(
        datasets=tuple(dict.fromkeys(find_entry(name).name for name in args.dataset or default.datasets)),
        seeds=args.seeds,
        splits=(args.split,) if args.split else default.splits,
        seconds=args.seconds,
    )


def plan_part(part: str, scope: Scope, store: ResultStore) -> list[Trial]:
    """Return the trials of a part; those of the stability part depend on the results of the grid."""
    if part == "stability":
        return list(trial_plan.plan_stability(scope, store.results()))
    return list(PLANS[part](scope))


def count_trials(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the trials of each part, how many are missing, and their time limits in sum."""
    scope = build_scope(args)
    with ResultStore.open(args.store, create=False) as store:
        note_versions(store)
        counts = []
        for part in args.parts:
            trials = plan_part(part, scope, store)
            missing = find_missing(trials, store)
            seconds = math.fsum(trial.seconds for trial in missing)
            counts.append(
                {"part": part, "trials": len(trials), "missing": len(missing), "seconds_left": seconds}
            )
        return counts


def status_text(parts: Sequence[dict[str, Any]]) -> str:
    """Return the counts of ``count_trials`` as a text table."""
    lines = [f"{'part':12s}{'trials':>8s}{'run':>8s}{'missing':>9s}  at most, on one core"]
    for part in parts:
        ran = part["trials"] - part["missing"]
        left = duration_text(part["seconds_left"]) if part["missing"] else "done" if part["trials"] else "-"
        lines.append(f"{part['part']:12s}{part['trials']:8,}{ran:8,}{part['missing']:9,}  {left}")
    if any(part["part"] == "stability" and not part["trials"] for part in parts):
        lines.append("The stability part depends on the results of the grid on the 18 selected data sets.")
    return "\n".join(lines)


def note_versions(store: ResultStore) -> None:
    """Print a note if other versions of oddlearn than this one wrote results."""
    found = store.versions()
    if set(found) <= {oddlearn.__version__}:
        return
    versions = " and ".join([", ".join(found[:-1])] * (len(found) > 1) + [found[-1]])
    print_note(
        f"Note: the store {store.path} has results of oddlearn {versions}, and this is oddlearn "
        f"{oddlearn.__version__}: all results are used."
    )


def print_tables(path: Path, kind: str) -> None:
    """Print all tables in a format: text, markdown or csv."""
    tables = build_tables(_read_with_note(path))
    if kind == "text" and sys.stdout.isatty():
        for table in tables:
            _print_table(table, Console())
            print("")
    else:
        print("\n".join(_format_table(table, kind) for table in tables).rstrip("\n"))


def write_tables(path: Path, kind: str, folder: Path) -> Iterator[Path]:
    """Write each table to a file of its own and yield its path; existing files are replaced."""
    for table in build_tables(_read_with_note(path)):
        file = folder / f"{table.name}{SUFFIXES[kind]}"
        write_whole(file, _format_table(table, kind))
        yield file


def _read_with_note(path: Path) -> list[Result]:
    results = read_results(path)
    if is_store(path):
        with ResultStore.open(path, create=False) as store:
            note_versions(store)
    return results


def _format_table(table: Table, kind: str) -> str:
    if kind == "text":
        text = io.StringIO()
        _print_table(table, Console(file=text, width=FILE_WIDTH))
        return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
    return table.csv() if kind == "csv" else table.markdown()


def _print_table(table: Table, console: Console) -> None:
    if table.rows:
        width = console.width
        console.width = max(width, table.width)  # a narrow terminal wraps lines instead of cutting numbers
        console.print(table.rich())
        console.width = width
    else:
        console.print(table.title, markup=False, highlight=False)
    for sentence in table.notes:
        console.print(sentence, markup=False, highlight=False)
