"""The paper's table of accuracies: trees and diagrams on the test rows, data set by data set."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from oddlearn.experiments.calibration import Choice, Subject, calibrated, mean
from oddlearn.experiments.printed import MODELS, SEEDS, SPLITS, accuracy, selected, sizes
from oddlearn.experiments.selection import Results
from oddlearn.experiments.tables.table import SHORT, Table, number_text

TITLE = "Test accuracy of trees (ODT) and diagrams (ODD), tuned on the validation rows"

# pairs of model and kind of split, in the order of the paper's columns
COLUMNS = tuple((model, split) for model in MODELS for split in SPLITS)
HEADER = (
    "data set",
    *(f"{model} {SHORT[split]} {source}" for model, split in COLUMNS for source in ("ours", "paper")),
)


def accuracy_table(results: Results) -> Table:
    """Return the mean test accuracy of every data set, ours beside the paper's, and the means of all."""
    choices = calibrated(results)
    if not choices:
        return Table("accuracy", TITLE, HEADER, (), ("No trial of the grid has run yet.",))
    ours = {choice.subject: choice.test for choice in choices}
    names = sorted({choice.dataset for choice in choices})
    rows = [_row(name, ours, [name]) for name in names]
    chosen = [name for name in names if name in selected()]
    rows.append(_row(f"mean of {len(names)}", ours, names))
    if chosen:
        rows.append(_row(f"mean of {len(chosen)} selected", ours, chosen))
    return Table("accuracy", TITLE, HEADER, tuple(rows), tuple(_notes(choices)))


def means(
    ours: Mapping[Subject, float], names: Collection[str], model: str, split: str
) -> tuple[float, float] | None:
    """Return our mean and the paper's over those of the named data sets that ran; None if none did."""
    ran = [name for name in names if (name, split, model) in ours]
    if not ran:
        return None
    printed = accuracy()
    theirs = mean([printed[name, model, split] for name in ran])
    return mean([ours[name, split, model] for name in ran]), theirs


def _row(label: str, ours: Mapping[Subject, float], names: Collection[str]) -> tuple[str, ...]:
    pairs = [means(ours, names, model, split) or (None, None) for model, split in COLUMNS]
    return (label, *(number_text(value) for pair in pairs for value in pair))


def _notes(choices: Sequence[Choice]) -> list[str]:
    notes = ["Means over the seeds; trained on the training half alone, as in the paper."]
    ran = {column: sum((c.model, c.split) == column for c in choices) for column in COLUMNS}
    short = [f"{model} {split} {count}" for (model, split), count in ran.items() if count < len(sizes())]
    if short:
        notes.append(
            f"Data sets that have run, of {len(sizes())}: {', '.join(short)}. Means, the paper's too, are "
            "over these."
        )
    few = sum(len(choice.results) < len(SEEDS) for choice in choices)
    if few:
        notes.append(f"{few} of {len(choices)} of our accuracies rest on fewer than {len(SEEDS)} seeds.")
    return notes
