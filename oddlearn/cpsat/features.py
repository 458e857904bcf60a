"""The values of each feature as places in ascending order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.problem import TrainingProblem


@dataclass(frozen=True, eq=False)
class Feature:
    """A feature that can part rows; its places are its distinct values in ascending order.

    Attributes
    ----------
    index : int
    values : (k,) float
        Value of each place.
    rows : tuple of (.,) int
        The rows at each place.
    """

    index: int
    values: FloatArray
    rows: tuple[IntArray, ...]

    @property
    def n_places(self) -> int:
        """Number of places."""
        return int(self.values.size)

    @classmethod
    def of(cls, index: int, column: FloatArray) -> Feature:
        """Read a feature from the column (m,) of its values."""
        values, rank = np.unique(column, return_inverse=True)
        order = np.argsort(rank, kind="stable")
        rows = tuple(np.split(order, np.cumsum(np.bincount(rank))[:-1]))
        return cls(index, values, rows)


def features_of(problem: TrainingProblem) -> tuple[Feature, ...]:
    """Return the features that can part rows, one of those that part them alike."""
    kept: dict[bytes, Feature] = {}
    for index in range(problem.data.n_features):
        feature = Feature.of(index, problem.data.X[:, index])
        if feature.n_places > 1:
            kept.setdefault(_content(feature), feature)
    return tuple(kept.values())


def _content(feature: Feature) -> bytes:
    """Return what a feature can do: the order of the rows and where its values change."""
    order = np.concatenate(feature.rows)
    counts = np.array([rows.size for rows in feature.rows])
    return order.tobytes() + counts.tobytes()
