"""More time: the same trials under two time limits."""

from __future__ import annotations

from collections.abc import Sequence

from oddlearn.experiments.calibration import mean
from oddlearn.experiments.printed import SPLITS
from oddlearn.experiments.selection import (
    Results,
    is_better,
    is_of_grid,
    main_results,
    main_setting,
    task_of,
)
from oddlearn.experiments.tables.table import Table, number_text, share_text
from oddlearn.experiments.trial import Result

TITLE = "What more time brings: the same trials under two time limits"
HEADER = (
    "split",
    "seconds",
    "runs",
    "proved, short",
    "proved, long",
    "mean objective, short",
    "mean objective, long",
    "better",
    "equal",
    "worse",
)

# a run under the main setting, and the same with more time
Pair = tuple[Result, Result]


def long_table(results: Results) -> Table:
    """Return the trials that also ran with more time than the main setting gives, by that time."""
    setting = main_setting(results)
    pairs = _pairs(results)
    if setting is None or not pairs:
        return Table("long", TITLE, HEADER, (), ("No trial of the grid has run with more time as well.",))
    rows = []
    for seconds in sorted({after.trial.seconds for _, after in pairs}):
        ran = [pair for pair in pairs if pair[1].trial.seconds == seconds]
        rows.append(_row("both", seconds, ran))
        by_split = [(split, [pair for pair in ran if pair[0].trial.split == split]) for split in SPLITS]
        rows += [_row(split, seconds, some) for split, some in by_split if some]
    notes = (
        f"Short: {setting.seconds:g} s. Worse are runs whose objective is above that of the short run: the "
        "search is random.",
    )
    return Table("long", TITLE, HEADER, tuple(rows), notes)


def _pairs(results: Results) -> list[Pair]:
    short = {task_of(one.trial): one for one in main_results(results)}
    pairs = []
    for one in results:
        if is_of_grid(one.trial):
            before = short.get(task_of(one.trial))
            if before is not None and before.trial.seconds < one.trial.seconds:
                pairs.append((before, one))
    return pairs


def _row(split: str, seconds: float, pairs: Sequence[Pair]) -> tuple[str, ...]:
    runs = [[pair[place].outcome for pair in pairs] for place in (0, 1)]
    objectives = [(before.objective, after.objective) for before, after in zip(*runs, strict=True)]
    better = sum(is_better(after, before) for before, after in objectives)
    worse = sum(is_better(before, after) for before, after in objectives)
    return (
        split,
        f"{seconds:g}",
        str(len(pairs)),
        *(share_text(sum(one.is_optimal for one in some), len(some)) for some in runs),
        *(number_text(mean([one.objective for one in some]), 4) for some in runs),
        *map(str, (better, len(pairs) - better - worse, worse)),
    )
