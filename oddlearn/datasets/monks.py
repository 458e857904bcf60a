"""The monks data sets with their true classes.

The published files have the class as feature ``0`` and the sixth attribute as the class ``y``. Tests compare
both with the rules that generated the data.
"""

from __future__ import annotations

import numpy as np

from oddlearn.datasets.table import Dataset, collect
from oddlearn.errors import InvalidInputError

MONKS = ("monks1", "monks2", "monks3")


def corrected(dataset: Dataset) -> Dataset:
    """Return a monks data set with feature ``0`` as the class, and the sixth attribute in its place."""
    X = np.array(dataset.X)
    X[:, 0] = dataset.classes[dataset.codes]
    return collect(dataset.name, X, dataset.X[:, 0], ("a6", *dataset.feature_names[1:]))


def require_monks(name: str) -> None:
    """Raise unless a data set has a corrected target."""
    if name not in MONKS:
        raise InvalidInputError(
            f"target is 'corrected', and the classes of {name!r} need no correction: only {', '.join(MONKS)} "
            "have such a target; give target='published'."
        )
