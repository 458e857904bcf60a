"""The monks data sets as published and with the classes that they were made for."""

from __future__ import annotations

from oddlearn.experiments.calibration import calibrated
from oddlearn.experiments.printed import MODELS, SPLITS, accuracy
from oddlearn.experiments.selection import Results, main_setting
from oddlearn.experiments.tables.table import Table, number_text

TITLE = "The monks data sets: test accuracy with the published and with the corrected target"
HEADER = ("data set", "model", "split", "published, paper", "published, ours", "corrected, ours", "nodes")
NOTE = (
    "The published files have the true class among the features and the attribute a6 as target, so the "
    "paper's figures are for predicting a6: chance on monks1 and monks3, more on monks2, whose rule counts "
    "a6. The last column is the mean number of nodes with the corrected target."
)


def monks_table(results: Results) -> Table | None:
    """Return both targets beside the paper's figures; None when no trial has the corrected one."""
    setting = main_setting(results, "corrected")
    if setting is None:
        return None
    corrected = {choice.subject: choice for choice in calibrated(results, "corrected")}
    published = {choice.subject: choice.test for choice in calibrated(results)}
    rows = []
    for name in sorted({dataset for dataset, _, _ in corrected}):
        for model in MODELS:
            for split in SPLITS:
                choice, subject = corrected.get((name, split, model)), (name, split, model)
                if choice is not None:
                    values = (accuracy()[name, model, split], published.get(subject), choice.test)
                    rows.append((name, model, split, *map(number_text, values), number_text(choice.nodes, 1)))
    return Table("monks", TITLE, HEADER, tuple(rows), (f"Corrected: {setting}.", NOTE))
