"""The paper's data sets and splits, read from a directory beside the repository.

Each benchmark is run as a script (``python benchmarks/search.py``), so that this file is a plain sibling
import.
"""

from __future__ import annotations

import csv
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oddlearn.diagram import Skeleton
from oddlearn.problem import SplitKind, TrainingData, TrainingProblem, pose

FIFTEEN_NODES = ("1-2-4-8", "1-2-4-4-4", "1-2-3-3-3-3", "1-2-2-2-2-2-2-2")

# the seed of the reference objectives; the authors seed with text
SEED = "1"


@dataclass(frozen=True)
class Reference:
    """A row of a reference file: the objective that a trial reached."""

    dataset: str
    skeleton: str
    alpha: float
    objective: float


def data_directory() -> Path:
    """Return the directory with data/uci54 and reference/, or end with a sentence."""
    given = os.environ.get("ODDLEARN_DATA")
    directory = Path(given) if given else Path(__file__).resolve().parents[2] / "shared"
    if not (directory / "data" / "uci54").is_dir():
        sys.exit(
            f"No data sets in {directory}: set ODDLEARN_DATA to a directory that holds data/uci54/*.csv "
            "and reference/search_*.csv."
        )
    return directory


def dataset_names() -> list[str]:
    return sorted(path.stem for path in (data_directory() / "data" / "uci54").glob("*.csv"))


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return features and class codes 0, 1, ... of a data set."""
    path = data_directory() / "data" / "uci54" / f"{name}.csv"
    table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return table[:, :-1], np.unique(table[:, -1], return_inverse=True)[1]


def training_rows(n: int, seed: str = SEED) -> np.ndarray:
    """Return the authors' training rows: the first half of a shuffle seeded with text."""
    indices = list(range(n))
    random.Random(seed).shuffle(indices)
    return np.array(indices[: round(0.5 * n)])


def training_set(name: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the training half scaled over the whole data set, class codes and the number of classes."""
    X, codes = load(name)
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    scaled = (X - low) / np.where(span > 0, span, 1.0)
    rows = training_rows(len(X))
    return scaled[rows], codes[rows], int(codes.max()) + 1


def problem_of(name: str, skeleton: Skeleton, alpha: float, split: SplitKind) -> TrainingProblem:
    """Pose the problem of a reference row; the features are scaled already."""
    return pose(TrainingData.collect(*training_set(name)), skeleton, alpha, split)


def references(split: str) -> list[Reference]:
    path = data_directory() / "reference" / f"search_{split}.csv"
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [
        Reference(row["dataset"], row["skeleton"], float(row["alpha"]), float(row["objective"]))
        for row in rows
    ]
