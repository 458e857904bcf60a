"""The regret of rows: the extra cost of the second cheapest class."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray


def regrets(cost: FloatArray) -> FloatArray:
    """Return the second least minus the least cost of each row of (n, n_classes), 0 for a single class."""
    if cost.shape[1] < 2:
        return np.zeros(cost.shape[0])
    cheapest = np.partition(cost, 1, axis=1)
    return np.asarray(cheapest[:, 1] - cheapest[:, 0])
