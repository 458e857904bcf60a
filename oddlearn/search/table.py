"""The training problem as the arrays the search kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.problem import TrainingProblem

# sorting and copying one value of the table; 1,000,000 x 20 took 4 s on a busy core
SECONDS_PER_VALUE = 2e-7


@dataclass(frozen=True)
class SearchTable:
    """Columns of the features that vary, each with its sorted order; costs and weights by class.

    Attributes
    ----------
    features : (d,) int
        Which feature of the problem each column is.
    columns, ordered : (d, n) float
        Values of each feature, as they are and sorted.
    order : (d, n) int32
        Samples by increasing value.
    cost, weight : (n_classes, n) float
        Cost of sending a sample to a class; weight of its true classes.
    layer, first : int32
        Layer of each slot; first slot of each layer.
    """

    features: IntArray
    columns: FloatArray
    order: NDArray[np.int32]
    ordered: FloatArray
    cost: FloatArray
    weight: FloatArray
    layer: NDArray[np.int32]
    first: NDArray[np.int32]

    @staticmethod
    def seconds(problem: TrainingProblem) -> float:
        """Return about how long laying out the problem takes."""
        return problem.data.X.size * SECONDS_PER_VALUE

    @classmethod
    def of(cls, problem: TrainingProblem) -> SearchTable:
        """Lay out the problem; features that are constant are left out."""
        X = problem.data.X
        features = np.flatnonzero(np.ptp(X, axis=0) >= problem.margin)
        columns = np.ascontiguousarray(X[:, features].T)
        order = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
        return cls(
            features,
            columns,
            order,
            np.take_along_axis(columns, order, axis=1),
            np.ascontiguousarray(problem.cost.T),
            np.ascontiguousarray(problem.data.class_weight.T),
            problem.skeleton.layer_of.astype(np.int32),
            np.asarray(problem.skeleton.first, dtype=np.int32),
        )
