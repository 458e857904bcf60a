"""The numbers that the paper prints, as data: what our tables stand beside.

Names of data sets are those of the published files. Averages and totals are left out: they are computed from
the numbers, and agree with the printed ones.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# the four skeletons with the numbers the paper gives them; its trees have the first
SKELETONS = {"1-2-4-8": "I", "1-2-4-4-4": "II", "1-2-3-3-3-3": "III", "1-2-2-2-2-2-2-2": "IV"}
TREE = "1-2-4-8"
ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
SPLITS = ("multivariate", "univariate")
MODELS = ("ODT", "ODD")
SEEDS = (1, 2, 3, 4, 5)
STABILITIES = (0.05, 0.1, 0.15, 0.2)

# rows of the tables: skeleton and model
ROWS = (*((skeleton, "ODD") for skeleton in SKELETONS), (TREE, "ODT"))

# of every skeleton (or tree) and alpha: 54 data sets, 5 seeds, 2 kinds of splits. The text says 270, which is
# one kind; the totals it prints need 540.
RUNS_PER_CELL = 540
RUNS = RUNS_PER_CELL * len(ALPHAS) * len(ROWS)

# of the signed-rank tests of multivariate ODDs against ODTs, over 54 and over the 18 selected data sets
PRINTED_P = {54: 0.000895, 18: 0.000567}

Cell = tuple[str, str, float]


@dataclass(frozen=True)
class Size:
    """A data set as the paper lists it.

    Attributes
    ----------
    n, d, classes : int
        Samples, features and classes.
    is_selected : bool
        One of the 18 on which diagrams and trees are compared closely.
    """

    n: int
    d: int
    classes: int
    is_selected: bool


@cache
def sizes() -> Mapping[str, Size]:
    """Return the size of each of the 54 data sets, by name."""
    return {
        row["dataset"]: Size(int(row["n"]), int(row["d"]), int(row["classes"]), row["is_selected"] == "1")
        for row in _rows("datasets")
    }


@cache
def selected() -> frozenset[str]:
    """Return the names of the 18 selected data sets."""
    return frozenset(name for name, size in sizes().items() if size.is_selected)


@cache
def performance() -> Mapping[Cell, tuple[int, int]]:
    """Return how many of 540 runs were proved, and improved but not proved, by (skeleton, model, alpha)."""
    return {_cell(row): (int(row["proved"]), int(row["improved"])) for row in _rows("performance")}


@cache
def tuning() -> Mapping[Cell, int]:
    """Return for how many data sets and kinds of splits each (skeleton, model, alpha) was chosen."""
    return {_cell(row): int(row["chosen"]) for row in _rows("tuning")}


@cache
def stability() -> Mapping[tuple[str, float], float]:
    """Return the mean test accuracy by (kind of split, least share of the samples in a node)."""
    return {(row["split"], float(row["share"])): float(row["test"]) for row in _rows("stability")}


@cache
def accuracy() -> Mapping[tuple[str, str, str], float]:
    """Return the mean test accuracy by (data set, model, kind of split)."""
    return {
        (row["dataset"], model, split): float(row[f"{model.lower()}_{split}"])
        for row in _rows("accuracy")
        for model in MODELS
        for split in SPLITS
    }


@cache
def sorted_accuracy() -> Mapping[str, tuple[float, ...]]:
    """Return the 90 test accuracies of each model with multivariate splits on the 18 selected data sets."""
    rows = _rows("sorted_accuracy")
    return {
        model: tuple(float(row["test_accuracy"]) for row in rows if row["model"] == model) for model in MODELS
    }


def _cell(row: Mapping[str, str]) -> Cell:
    return row["skeleton"], row["model"], float(row["alpha"])


def _rows(name: str) -> list[dict[str, str]]:
    text = files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
