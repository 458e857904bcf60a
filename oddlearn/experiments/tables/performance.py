"""Table 1 of the paper: how many runs were proved optimal, or improved upon step 1."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from oddlearn.experiments.printed import ALPHAS, ROWS, RUNS, RUNS_PER_CELL, SKELETONS, Cell, performance
from oddlearn.experiments.selection import (
    Results,
    first_steps,
    is_better,
    main_results,
    main_setting,
    task_of,
)
from oddlearn.experiments.tables.table import Table, count_text, share_text
from oddlearn.experiments.trial import Outcome

COUNTS = ("proved", "improved", "either")
HEADER = ("runs", "skeleton", "from", *(f"alpha {alpha:g}" for alpha in ALPHAS), "all")
TITLE = "Table 1: runs proved optimal, and runs improved upon step 1"


@dataclass(frozen=True)
class Tally:
    """Counts of runs.

    Attributes
    ----------
    runs, proved : int
    compared : int
        With a run of step 1 beside them; the next two are of these.
    improved : int
        Below step 1 and not proved, as the paper counts them.
    either : int
        Improved or proved.
    """

    runs: int = 0
    proved: int = 0
    compared: int = 0
    improved: int = 0
    either: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.runs + other.runs,
            self.proved + other.proved,
            self.compared + other.compared,
            self.improved + other.improved,
            self.either + other.either,
        )

    def of(self, count: str) -> tuple[int, int]:
        """Return a count by its name, and out of how many runs it is."""
        return {
            "proved": (self.proved, self.runs),
            "improved": (self.improved, self.compared),
            "either": (self.either, self.compared),
        }[count]


def performance_table(results: Results) -> Table:
    """Return proved and improved runs per skeleton and alpha, ours above the paper's."""
    setting = main_setting(results)
    if setting is None:
        return Table("performance", TITLE, HEADER, (), ("No trial of the grid has run yet.",))
    ours = tallies(results)
    rows = [row for count in COUNTS for row in _block(count, ours, _printed())]
    notes = (f"Ours: {setting}; the paper's: 600 s and 60 s of step 1.", *_notes(results, ours))
    return Table("performance", TITLE, HEADER, tuple(rows), notes)


def tallies(results: Results) -> Mapping[Cell, Tally]:
    """Count our runs by (skeleton, model, alpha)."""
    starts = first_steps(results)
    found: dict[Cell, Tally] = defaultdict(Tally)
    for one in main_results(results):
        tally = _tally(one.outcome, starts.get(task_of(one.trial)))
        found[one.trial.skeleton, one.trial.model, one.trial.alpha] += tally
    return found


def _tally(outcome: Outcome, start: float | None) -> Tally:
    """Count one run, given the objective of step 1 if that has run."""
    proved = int(outcome.is_optimal)
    if start is None:
        return Tally(1, proved)
    improved = int(not proved and is_better(outcome.objective, start))
    return Tally(1, proved, 1, improved, proved + improved)


def skeleton_name(skeleton: str, model: str) -> str:
    """Return the paper's name of a skeleton."""
    return SKELETONS[skeleton] + " (tree)" * (model == "ODT")


def _printed() -> Mapping[Cell, Tally]:
    full = RUNS_PER_CELL
    return {
        cell: Tally(full, proved, full, improved, proved + improved)
        for cell, (proved, improved) in performance().items()
    }


def _block(
    count: str, ours: Mapping[Cell, Tally], paper: Mapping[Cell, Tally]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of one count: every skeleton, all of them, and their share of the runs."""
    sources = (("ours", ours), ("paper", paper))
    for skeleton, model in ROWS:
        for source, tallied in sources:
            cells = _line([[tallied.get((skeleton, model, alpha), Tally())] for alpha in ALPHAS])
            yield count, skeleton_name(skeleton, model), source, *_counts(count, cells, RUNS_PER_CELL)
    sums = [
        (source, _line([[tallied.get((*row, alpha), Tally()) for row in ROWS] for alpha in ALPHAS]))
        for source, tallied in sources
    ]
    for source, cells in sums:
        yield count, "all", source, *_counts(count, cells, RUNS_PER_CELL * len(ROWS))
    for source, cells in sums:
        yield count, "share", source, *(share_text(*cell.of(count)) for cell in cells)


def _line(parts: Sequence[Sequence[Tally]]) -> list[Tally]:
    """Return the sum of each part, and of all."""
    sums = [sum(part, Tally()) for part in parts]
    return [*sums, sum(sums, Tally())]


def _counts(count: str, cells: Sequence[Tally], expected: int) -> list[str]:
    wanted = [*[expected] * len(ALPHAS), expected * len(ALPHAS)]
    return [count_text(*cell.of(count), runs) for cell, runs in zip(cells, wanted, strict=True)]


def _notes(results: Results, ours: Mapping[Cell, Tally]) -> list[str]:
    total, paper = sum(ours.values(), Tally()), sum(_printed().values(), Tally())
    notes = [
        f"Proved: {total.proved} of {total.runs} runs, {share_text(total.proved, total.runs)}; the paper "
        f"{paper.proved} of {paper.runs}, {share_text(paper.proved, paper.runs)}.",
        _against_start(results),
        '"Improved" are runs below the objective of step 1 that are not proved. The paper must have counted '
        "them so too: it adds both columns up to the 58 % of runs that it calls improved.",
    ]
    if total.runs < RUNS:
        notes.append(f"{total.runs} of {RUNS} runs have ended: counts are out of those that have.")
    return notes


def _against_start(results: Results) -> str:
    """Say how our runs compare with step 1 alone, proved or not."""
    starts, seen = first_steps(results), Counter[str]()
    for one in main_results(results):
        start = starts.get(task_of(one.trial))
        if start is not None:
            below, above = is_better(one.outcome.objective, start), is_better(start, one.outcome.objective)
            seen["below" if below else "above" if above else "equal"] += 1
    if not seen:
        return "Step 1 alone has not run, so nothing can be said about improvement."
    return (
        f"Against step 1 alone, proved or not: {seen['below']} of {seen.total()} runs are below its "
        f"objective ({share_text(seen['below'], seen.total())}), {seen['equal']} equal, "
        f"{seen['above']} above."
    )
