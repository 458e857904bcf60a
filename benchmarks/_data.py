"""The paper's data sets and splits, read from a directory beside the repository.

Each benchmark is run as a script (``python benchmarks/search.py``), so that this file is a plain sibling
import.
"""

from __future__ import annotations

import csv
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oddlearn import datasets
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import SplitKind, TrainingProblem, pose

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
    return [entry.name for entry in datasets.CATALOGUE]


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return features and class codes 0, 1, ... of a data set."""
    dataset = datasets.load(name, data_directory())
    return dataset.X, dataset.codes


def training_set(name: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the training half scaled over the whole data set, class codes and the number of classes."""
    X, codes = load(name)
    rows = datasets.split_indices(len(X), SEED).training
    return datasets.scale_over_all_rows(X)[rows], codes[rows], int(codes.max()) + 1


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
