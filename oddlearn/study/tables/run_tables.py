"""The trials that ran, and the effect of a longer time limit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from oddlearn.datasets import CATALOGUE
from oddlearn.study.calibration import (
    Results,
    find_main_setting,
    is_better,
    is_grid_trial,
    mean,
    select_main_results,
    task_key,
)
from oddlearn.study.paper_results import N_GRID_RUNS, SPLITS
from oddlearn.study.tables.report_table import Table, number_text, share_text
from oddlearn.study.trial import Result, Trial

COVERAGE_TITLE = "Trials that ran"
COVERAGE_HEADER = ("trials", "seconds a run", "multi", "uni", "data sets", "seeds", "hours")

METHOD_NAMES = {"auto": "grid", "construct": "step 1 alone", "local_search": "local search alone"}

LONG_TITLE = "Effect of more time: the same trials with two time limits"
LONG_HEADER = (
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

# a result with the main setting, and one of the same task with more time
ShortAndLong = tuple[Result, Result]


def build_coverage_table(results: Results) -> Table:
    """Return the number of trials by kind and time limit."""
    groups: dict[tuple[float, str, float], list[Result]] = defaultdict(list)
    for one in results:
        groups[one.trial.stability, _kind_text(one.trial), one.trial.seconds].append(one)
    rows = tuple(_coverage_row(kind, seconds, ran) for (_, kind, seconds), ran in sorted(groups.items()))
    setting = find_main_setting(results)
    if setting is None:
        notes = [f"None of the {N_GRID_RUNS} trials of the grid has run yet."]
    else:
        notes = [
            f"The whole grid is {len(CATALOGUE)} data sets, 5 seeds, 4 skeletons and the tree, 5 alphas and "
            f"2 kinds of splits: {N_GRID_RUNS} trials.",
            f"The tables below use the trials of the grid with {setting}, unless stated otherwise.",
        ]
    return Table("coverage", COVERAGE_TITLE, COVERAGE_HEADER, rows, tuple(notes))


def _kind_text(trial: Trial) -> str:
    parts = [METHOD_NAMES[trial.method]]
    if trial.stability:
        parts.append(f"nodes with {100 * trial.stability:g} % or more")
    if trial.target == "corrected":
        parts.append("corrected monks")
    if trial.scaling == "all":
        parts.append("scaled over all rows")
    return ", ".join(parts)


def _coverage_row(kind: str, seconds: float, ran: list[Result]) -> tuple[str, ...]:
    by_split = [sum(one.trial.split == split for one in ran) for split in SPLITS]
    hours = sum(one.outcome.fit_seconds for one in ran) / 3600
    return (
        kind,
        f"{seconds:g}",
        *(str(count) for count in by_split),
        str(len({one.trial.dataset for one in ran})),
        str(len({one.trial.seed for one in ran})),
        number_text(hours, 2),
    )


def build_long_table(results: Results) -> Table:
    """Return the trials that ran both with the main setting and with a longer time limit."""
    setting = find_main_setting(results)
    pairs = _pair_short_with_long(results)
    if setting is None or not pairs:
        note = "No trial of the grid has run with a longer time limit as well."
        return Table("long", LONG_TITLE, LONG_HEADER, (), (note,))
    rows = []
    for seconds in sorted({long.trial.seconds for _, long in pairs}):
        ran = [pair for pair in pairs if pair[1].trial.seconds == seconds]
        rows.append(_long_row("both", seconds, ran))
        by_split = [(split, [pair for pair in ran if pair[0].trial.split == split]) for split in SPLITS]
        rows += [_long_row(split, seconds, some) for split, some in by_split if some]
    notes = (
        f"Short: {setting.seconds:g} s. The search is random: the objective of a long run may be worse than "
        "that of the short one.",
    )
    return Table("long", LONG_TITLE, LONG_HEADER, tuple(rows), notes)


def _pair_short_with_long(results: Results) -> list[ShortAndLong]:
    by_task = {task_key(one.trial): one for one in select_main_results(results)}
    pairs = []
    for one in results:
        if is_grid_trial(one.trial):
            short = by_task.get(task_key(one.trial))
            if short is not None and short.trial.seconds < one.trial.seconds:
                pairs.append((short, one))
    return pairs


def _long_row(split: str, seconds: float, pairs: Sequence[ShortAndLong]) -> tuple[str, ...]:
    runs = [[pair[place].outcome for pair in pairs] for place in (0, 1)]
    objectives = [(short.objective, long.objective) for short, long in zip(*runs, strict=True)]
    better = sum(is_better(long, short) for short, long in objectives)
    worse = sum(is_better(short, long) for short, long in objectives)
    return (
        split,
        f"{seconds:g}",
        str(len(pairs)),
        *(share_text(sum(one.is_optimal for one in some), len(some)) for some in runs),
        *(number_text(mean([one.objective for one in some]), 4) for some in runs),
        *map(str, (better, len(pairs) - better - worse, worse)),
    )
