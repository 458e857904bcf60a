"""Few nodes reach few terminals: classes left out must be paid for."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from oddlearn.diagram.arrays import FloatArray

# entries looked at when all choices of classes are tried
MOST_ENTRIES = 20_000_000


def coverage_cost(group_cost: FloatArray, n_predicted: int) -> float:
    """Return a lower bound on the cost when at most ``n_predicted`` classes are predicted.

    Parameters
    ----------
    group_cost : (n_groups, n_classes) float
        Cost of giving each group of rows each class.
    n_predicted : int
        k internal nodes have at most k + 1 arcs to terminals, so predict at most k + 1 classes.
    """
    n_groups, n_classes = group_cost.shape
    if n_predicted >= n_classes:
        return float(group_cost.min(axis=1).sum())
    if comb(n_classes, n_predicted) * n_groups * n_predicted <= MOST_ENTRIES:
        return _cheapest_choice(group_cost, n_predicted)
    return _regret_bound(group_cost, n_predicted)


def _cheapest_choice(group_cost: FloatArray, n_predicted: int) -> float:
    choices = combinations(range(group_cost.shape[1]), n_predicted)
    return min(float(group_cost[:, chosen].min(axis=1).sum()) for chosen in choices)


def _regret_bound(group_cost: FloatArray, n_predicted: int) -> float:
    """Charge a group whose best class is left out the difference to its second best.

    Exact when errors are counted and every group is of one class.
    """
    best = group_cost.argmin(axis=1)
    cheapest = np.partition(group_cost, 1, axis=1)
    regret = np.bincount(best, weights=cheapest[:, 1] - cheapest[:, 0], minlength=group_cost.shape[1])
    left_out = np.sort(regret)[: group_cost.shape[1] - n_predicted]
    return float(cheapest[:, 0].sum() + left_out.sum())
