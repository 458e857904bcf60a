"""Lower bounds from the number of classes that k nodes can predict."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.solve.budget import Budget

# choices of classes tried, and entries looked at, when all choices are: a few hundredths of a second
MOST_CHOICES = 500
MOST_ENTRIES = 5_000_000

# a difference of large sums is only known up to this share of them
NOISE = 1e-12


def coverage_cost(group_cost: FloatArray, relaxed: Relaxed, n_predicted: int, budget: Budget) -> float:
    """Return a lower bound on the cost when at most ``n_predicted`` classes are predicted.

    All choices of classes are tried where they are few and there is time, else the relaxations do.

    Parameters
    ----------
    group_cost : (n_groups, n_classes) float
        Cost of giving each group of rows each class.
    relaxed : Relaxed
        Made of the same costs.
    n_predicted : int
        k internal nodes have at most k + 1 arcs to terminals, so predict at most k + 1 classes.
    budget : Budget
    """
    n_groups, n_classes = group_cost.shape
    bound = relaxed.cost(n_predicted)
    choices = comb(n_classes, n_predicted)
    is_slow = choices > MOST_CHOICES or choices * n_groups * n_predicted > MOST_ENTRIES
    if n_predicted >= n_classes or is_slow:
        return bound
    exact = _cheapest_choice(group_cost, n_predicted, budget)
    return bound if exact is None else exact


@dataclass(frozen=True)
class Relaxed:
    """Two relaxations of the choice of classes, summed up per class once for all numbers of classes.

    Attributes
    ----------
    least, most : float
        Total cost when every group takes its cheapest, or its dearest class.
    regret : (n_classes,) float, ascending
        What the groups whose cheapest class it is pay at least when a class is left out.
    saving : (n_classes,) float, descending
        What all groups save on their dearest class by taking a class.
    """

    least: float
    most: float
    regret: FloatArray
    saving: FloatArray

    @classmethod
    def of(cls, group_cost: FloatArray) -> Relaxed:
        """Sum up the costs, shape (n_groups, n_classes)."""
        n_classes = group_cost.shape[1]
        regret = np.bincount(group_cost.argmin(axis=1), weights=regrets(group_cost), minlength=n_classes)
        most = float(group_cost.max(axis=1).sum())
        saving = np.sort(most - group_cost.sum(axis=0))[::-1]
        return cls(float(group_cost.min(axis=1).sum()), most, np.sort(regret), saving)

    def cost(self, n_predicted: int) -> float:
        """Return the larger of the two bounds, for at most so many classes.

        A group whose cheapest class is left out pays at least the second cheapest: exact when errors are
        counted and every group is of one class. And a group saves at most what all predicted classes save
        it together.
        """
        left_out = self.regret[: max(0, self.regret.size - n_predicted)].sum()
        saved = self.saving[:n_predicted].sum() + NOISE * self.most
        return float(max(self.least + left_out, self.most - saved))


def _cheapest_choice(group_cost: FloatArray, n_predicted: int, budget: Budget) -> float | None:
    """Return the least cost over all choices of classes; None when out of time."""
    by_class = np.ascontiguousarray(group_cost.T)
    least = np.inf
    for chosen in combinations(range(by_class.shape[0]), n_predicted):
        if budget.expired:
            return None
        least = min(least, float(by_class[list(chosen)].min(axis=0).sum()))
    return least


def regrets(cost: FloatArray) -> FloatArray:
    """Return the second least less the least cost of each row of (n, n_classes), 0 for a single class."""
    if cost.shape[1] < 2:
        return np.zeros(cost.shape[0])
    cheapest = np.partition(cost, 1, axis=1)
    return np.asarray(cheapest[:, 1] - cheapest[:, 0])
