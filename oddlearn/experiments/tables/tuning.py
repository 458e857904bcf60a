"""The paper's table of tuning: how often each skeleton and alpha was the best on the validation rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from oddlearn.experiments.calibration import calibrated
from oddlearn.experiments.printed import ALPHAS, ROWS, SPLITS, Cell, sizes, tuning
from oddlearn.experiments.selection import Results
from oddlearn.experiments.tables.table import Table

TITLE = "Tuning: data sets and kinds of splits for which a skeleton and alpha were the best"
HEADER = ("skeleton", "model", "from", *(f"alpha {alpha:g}" for alpha in ALPHAS), "all")

TIES = (
    "Ours: the best mean accuracy on the validation rows over the seeds; of equal ones the larger alpha, "
    "then fewer nodes, then the first skeleton. The paper does not say how it breaks ties."
)


def tuning_table(results: Results) -> Table:
    """Return how often each cell was chosen, ours above the paper's."""
    choices = calibrated(results)
    if not choices:
        return Table("tuning", TITLE, HEADER, (), ("No trial of the grid has run yet.",))
    ours = Counter((choice.skeleton, choice.model, choice.alpha) for choice in choices)
    sources: list[tuple[str, Mapping[Cell, int]]] = [("ours", ours), ("paper", tuning())]
    rows = [
        (skeleton, model, source, *_counts([counts.get((skeleton, model, alpha), 0) for alpha in ALPHAS]))
        for skeleton, model in ROWS
        for source, counts in sources
    ]
    for source, counts in sources:
        by_alpha = [sum(counts.get((*row, alpha), 0) for row in ROWS) for alpha in ALPHAS]
        rows.append(("all", "both", source, *_counts(by_alpha)))
    notes, expected = [TIES], 2 * len(SPLITS) * len(sizes())
    if len(choices) < expected:
        notes.append(f"{len(choices)} of {expected} choices could be made: the rest has not run.")
    return Table("tuning", TITLE, HEADER, tuple(rows), tuple(notes))


def _counts(cells: list[int]) -> list[str]:
    return [str(count) for count in (*cells, sum(cells))]
