"""Lower bounds from the number of classes that k nodes can predict."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.regret import regrets
from oddlearn.solve.budget import Budget

# limits of the enumeration of all subsets of classes: a few hundredths of a second
MAX_SUBSETS = 500
MAX_SUBSET_ENTRIES = 5_000_000

ROUNDING = 1e-12  # rounding of a difference of large sums, as a share of them


def costs_by_class_count(group_cost: FloatArray, n_nodes: int, budget: Budget) -> list[float]:
    """Return a lower bound on the cost with k = 1, 2, ... nodes, up to the k where it stays the same.

    ``group_cost`` (n_groups, n_classes): cost of assigning each group of rows to each class.
    """
    relaxation = ClassCountRelaxation.from_costs(group_cost)
    costs = [relaxation.least]
    for count in range(min(n_nodes, group_cost.shape[1]), 0, -1):
        # a bound for more nodes holds for fewer, too
        costs.append(max(costs[-1], class_count_cost(group_cost, relaxation, count + 1, budget)))
    return costs[:0:-1]


def class_count_cost(
    group_cost: FloatArray, relaxation: ClassCountRelaxation, n_predicted: int, budget: Budget
) -> float:
    """Return a lower bound on the cost when at most ``n_predicted`` classes are predicted.

    All subsets of classes are enumerated if they are few and there is time; else the relaxation is used.

    ``group_cost`` (n_groups, n_classes) float: cost of assigning each group of rows to each class.
    ``relaxation``: of the same costs.
    ``n_predicted``: k internal nodes have at most k + 1 arcs to terminals, so predict at most k + 1 classes.
    """
    n_groups, n_classes = group_cost.shape
    bound = relaxation.cost(n_predicted)
    n_subsets = comb(n_classes, n_predicted)
    is_slow = n_subsets > MAX_SUBSETS or n_subsets * n_groups * n_predicted > MAX_SUBSET_ENTRIES
    if n_predicted >= n_classes or is_slow:
        return bound
    exact = _min_subset_cost(group_cost, n_predicted, budget)
    return bound if exact is None else exact


@dataclass(frozen=True)
class ClassCountRelaxation:
    """Two relaxations of the choice of classes, from sums per class that serve all numbers of classes."""

    least: float  # total cost when every group takes its cheapest class
    most: float  # total cost when every group takes its most costly class
    # (n_classes,), ascending: minimum extra cost of leaving a class out, for the groups whose cheapest class
    # it is
    regret: FloatArray
    saving: FloatArray  # (n_classes,), descending: what all groups save on their worst class by taking one

    @classmethod
    def from_costs(cls, group_cost: FloatArray) -> ClassCountRelaxation:
        """Sum up the costs, shape (n_groups, n_classes)."""
        n_classes = group_cost.shape[1]
        regret = np.bincount(group_cost.argmin(axis=1), weights=regrets(group_cost), minlength=n_classes)
        most = float(group_cost.max(axis=1).sum())
        saving = np.sort(most - group_cost.sum(axis=0))[::-1]
        return cls(float(group_cost.min(axis=1).sum()), most, np.sort(regret), saving)

    def cost(self, n_predicted: int) -> float:
        """Return the larger of the two bounds, for at most so many classes.

        A group whose cheapest class is left out pays at least the second cheapest: exact when errors are
        counted and every group is of one class. And a group saves at most the sum of what it saves by each
        predicted class.
        """
        left_out = self.regret[: max(0, self.regret.size - n_predicted)].sum()
        saved = self.saving[:n_predicted].sum() + ROUNDING * self.most
        return float(max(self.least + left_out, self.most - saved))


def _min_subset_cost(group_cost: FloatArray, n_predicted: int, budget: Budget) -> float | None:
    """Return the least cost over all subsets of classes; None when out of time."""
    by_class = np.ascontiguousarray(group_cost.T)
    least = np.inf
    for subset in combinations(range(by_class.shape[0]), n_predicted):
        if budget.expired:
            return None
        least = min(least, float(by_class[list(subset)].min(axis=0).sum()))
    return least
