"""The paper's grid and its published numbers, which our tables and figures are compared with.

Data sets have the names of the published files. Averages and totals are computed from the numbers and agree
with the published ones.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from oddlearn.datasets import CATALOGUE

Split = Literal["univariate", "multivariate"]

# the four skeletons with the paper's numbers; its trees have the first
SKELETONS = {"1-2-4-8": "I", "1-2-4-4-4": "II", "1-2-3-3-3-3": "III", "1-2-2-2-2-2-2-2": "IV"}
TREE_SKELETON = "1-2-4-8"
ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
SEEDS = (1, 2, 3, 4, 5)

# in the order of the paper's columns
SPLITS: tuple[Split, ...] = ("multivariate", "univariate")
MODELS = ("ODT", "ODD")

# minimum share of the samples in every node: the columns of the paper's Table 2
MIN_FLOW_SHARES = (0.05, 0.1, 0.15, 0.2)

# (skeleton, model) pairs of the grid
GRID_ROWS = (*((skeleton, "ODD") for skeleton in SKELETONS), (TREE_SKELETON, "ODT"))

# runs of a (skeleton, model) pair and an alpha: 54 data sets, 5 seeds, 2 kinds of splits. The paper's text
# says 270, which is one kind; its totals need 540.
RUNS_PER_CELL = 540
N_GRID_RUNS = RUNS_PER_CELL * len(ALPHAS) * len(GRID_ROWS)

# the 18 data sets that the paper compares in detail
SELECTED = frozenset(entry.name for entry in CATALOGUE if entry.is_selected)

# signed-rank tests of multivariate ODDs against ODTs, by the number of data sets
PAPER_P_VALUES = {54: 0.000895, 18: 0.000567}

# skeleton, model, alpha
Cell = tuple[str, str, float]


@cache
def read_proof_counts() -> Mapping[Cell, tuple[int, int]]:
    """Return the runs proved optimal, and improved but not proved, of 540 per (skeleton, model, alpha)."""
    return {_cell(row): (int(row["proved"]), int(row["improved"])) for row in _read_rows("performance")}


@cache
def read_tuning_counts() -> Mapping[Cell, int]:
    """Return the number of (data set, kind of split) pairs tuned to each (skeleton, model, alpha)."""
    return {_cell(row): int(row["chosen"]) for row in _read_rows("tuning")}


@cache
def read_stability() -> Mapping[tuple[str, float], float]:
    """Return the mean test accuracy by (kind of split, minimum share of the samples in a node)."""
    return {(row["split"], float(row["share"])): float(row["test"]) for row in _read_rows("stability")}


@cache
def read_accuracy() -> Mapping[tuple[str, str, str], float]:
    """Return the mean test accuracy by (data set, model, kind of split)."""
    return {
        (row["dataset"], model, split): float(row[f"{model.lower()}_{split}"])
        for row in _read_rows("accuracy")
        for model in MODELS
        for split in SPLITS
    }


@cache
def read_sorted_accuracy() -> Mapping[str, tuple[float, ...]]:
    """Return the 90 test accuracies of each model with multivariate splits on the selected data sets."""
    rows = _read_rows("sorted_accuracy")
    return {
        model: tuple(float(row["test_accuracy"]) for row in rows if row["model"] == model) for model in MODELS
    }


def _cell(row: Mapping[str, str]) -> Cell:
    return row["skeleton"], row["model"], float(row["alpha"])


def _read_rows(name: str) -> list[dict[str, str]]:
    path = files("oddlearn.study").joinpath("paper_numbers").joinpath(f"{name}.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
