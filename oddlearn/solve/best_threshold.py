"""The best threshold along a key: with free targets, or with the costs of both sides given; the nearest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.splits import threshold_between
from oddlearn.problem.tolerances import MARGIN_TOLERANCE

# an objective that differs by less than this is the same one
SAME = 1e-12


def find_best_stump(
    key: FloatArray, order: NDArray[np.integer], cost: FloatArray, margin: float
) -> tuple[float, float]:
    """Return the least cost of a split along a key with a gap of at least the margin, and its threshold.

    ``order`` sorts the key (m,); the classes of both sides are chosen for the costs (m, n_classes).
    """
    gaps = np.diff(key[order])
    places = np.flatnonzero((gaps > 0) & (gaps >= margin - MARGIN_TOLERANCE))
    if places.size == 0:
        return float(np.inf), 0.0
    below = np.cumsum(cost[order], axis=0)
    above = below[-1] - below[places]
    total = below[places].min(axis=1) + above.min(axis=1)
    place = places[total.argmin()]
    low, high = key[order[place]], key[order[place + 1]]
    return float(total.min()), threshold_between(low, high)


def find_best_threshold(
    key: FloatArray, negative: FloatArray, positive: FloatArray, margin: float
) -> tuple[float, float]:
    """Return the least cost of a threshold with the margin around it, and the one in the widest such gap."""
    order = np.argsort(key, kind="stable")
    gaps = np.diff(key[order])
    places = np.flatnonzero(gaps >= max(margin - MARGIN_TOLERANCE, np.finfo(np.float64).tiny))
    if places.size == 0:
        return float(np.inf), 0.0
    below = np.cumsum((negative - positive)[order])[places]
    best = places[below <= below.min() + SAME]
    place = best[gaps[best].argmax()]
    return float(positive.sum() + below.min()), float(key[order[place]] / 2 + key[order[place + 1]] / 2)


def find_nearest_threshold(key: FloatArray, threshold: float, margin: float) -> float | None:
    """Return the nearest threshold that has the margin around it along the key (m,), None without any."""
    values = np.sort(key)
    wide = np.flatnonzero(np.diff(values) >= margin)
    if wide.size == 0:
        return None
    middle = values[wide] / 2 + values[wide + 1] / 2
    return float(middle[np.abs(middle - threshold).argmin()])
