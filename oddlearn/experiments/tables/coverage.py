"""What of the study has run, and for how long."""

from __future__ import annotations

from collections import defaultdict

from oddlearn.experiments.printed import RUNS, SPLITS, sizes
from oddlearn.experiments.selection import Results, main_setting
from oddlearn.experiments.tables.table import Table, number_text
from oddlearn.experiments.trial import Result, Trial

TITLE = "What ran"
HEADER = ("trials", "seconds a run", "multi", "uni", "data sets", "seeds", "hours of work")


def coverage_table(results: Results) -> Table:
    """Return how many trials of each sort are there, by their time limit."""
    sorts: dict[tuple[float, str, float], list[Result]] = defaultdict(list)
    for one in results:
        sorts[one.trial.stability, _sort(one.trial), one.trial.seconds].append(one)
    rows = tuple(_row(sort, seconds, ran) for (_, sort, seconds), ran in sorted(sorts.items()))
    setting = main_setting(results)
    if setting is None:
        notes = [f"None of the {RUNS} trials of the grid has run yet."]
    else:
        notes = [
            f"The whole grid is {len(sizes())} data sets, 5 seeds, 4 skeletons and the tree, 5 alphas and 2 "
            f"kinds of splits: {RUNS} trials.",
            f"The tables below are of the trials of the grid with {setting}, unless they say otherwise.",
        ]
    return Table("coverage", TITLE, HEADER, rows, tuple(notes))


def _sort(trial: Trial) -> str:
    names = {"auto": "grid", "construct": "step 1 alone", "alternate": "search alone"}
    parts = [names[trial.method]]
    if trial.stability:
        parts.append(f"nodes with {100 * trial.stability:g} % or more")
    if trial.target == "corrected":
        parts.append("corrected monks")
    if trial.scaling == "all":
        parts.append("scaled over all rows")
    return ", ".join(parts)


def _row(sort: str, seconds: float, ran: list[Result]) -> tuple[str, ...]:
    by_split = [sum(one.trial.split == split for one in ran) for split in SPLITS]
    hours = sum(one.outcome.spent for one in ran) / 3600
    return (
        sort,
        f"{seconds:g}",
        *(str(count) for count in by_split),
        str(len({one.trial.dataset for one in ran})),
        str(len({one.trial.seed for one in ran})),
        number_text(hours, 2),
    )
