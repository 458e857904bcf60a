"""Slow and obvious twins of the kernels: every tree, every diagram with given layer widths, every stump."""

from functools import lru_cache
from itertools import product

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.training_problem import TrainingProblem
from tests.oracles.brute_force import _Enumeration


def best_tree_cost(problem, prices, single):
    """Return the least cost of a tree with a price for each split of each level, by trying all.

    A split may have at most one split below it where the next level is ``single``. A split may also separate
    nothing and pass all its rows on to the next level.
    """
    return _Trees(problem, prices, single).run()


class _Trees(_Enumeration):
    def __init__(self, problem, prices, single):
        super().__init__(problem)
        self.prices, self.single = prices, single
        self.best = lru_cache(maxsize=None)(self._best)

    def run(self):
        return self.best((1 << self.rows) - 1, 0) * self.problem.total_weight

    def _best(self, mask, level):
        if level == len(self.prices):
            return self.leaf(mask)
        price = self.prices[level] / self.problem.total_weight
        ways = [self._split(*pair, level + 1) for pair in self.dichotomies(mask)]
        return min(self.leaf(mask), price + min(ways))

    def _split(self, negative, positive, level):
        if positive == 0:
            return self.best(negative, level)
        if level < len(self.prices) and self.single[level]:
            return min(
                self.best(negative, level) + self.leaf(positive),
                self.leaf(negative) + self.best(positive, level),
            )
        return self.best(negative, level) + self.best(positive, level)


def least_at_most(problem, widths):
    """Return the least cost of a diagram with up to so many nodes per layer, all nodes free."""
    return _Enumeration(_free(problem, widths)).run() * problem.total_weight


def least_with_widths(problem, widths):
    """Return the least cost of a diagram with exactly so many nodes per layer, none of them for nothing.

    Every node splits its rows or passes them through to a node of the next layer; inf when there is none.
    """
    return _WithWidths(_free(problem, widths)).run() * problem.total_weight


def _free(problem, widths):
    fields = (problem.data, Skeleton(tuple(widths)), problem.cost, 0.0)
    return TrainingProblem(*fields, problem.split, problem.margin, problem.rows)


class _WithWidths(_Enumeration):
    def run(self):
        return self.below(0, ((1 << self.rows) - 1,))

    def _below(self, layer, nodes):
        best = np.inf
        for parts in product(*(self.dichotomies(node) for node in nodes)):
            best = min(best, self._distribute(layer, parts))
        return best

    def _distribute(self, layer, parts):
        widths = self.problem.skeleton.widths
        slots = widths[layer + 1] if layer + 1 < len(widths) else 0
        flows = [flow for pair in parts for flow in pair if flow]
        passes_through = [positive == 0 for _, positive in parts for _ in range(1 if positive == 0 else 2)]
        best = np.inf
        for targets in product(range(-1, slots), repeat=len(flows)):
            is_idle = any(
                target < 0 for target, passes in zip(targets, passes_through, strict=True) if passes
            )
            if set(targets) - {-1} == set(range(slots)) and _in_order(targets) and not is_idle:
                best = min(best, self._value(layer, flows, targets, slots))
        return best


def _in_order(targets):
    """Nodes are alike before they have rows: each is opened after those before it."""
    opened = list(dict.fromkeys(target for target in targets if target >= 0))
    return opened == sorted(opened)


def best_two_levels(X, cost, prices):
    """Return the least cost of a tree of up to two levels, stump by stump, in plain numpy."""
    best = leaf = cost.sum(axis=0).min()
    for side in _splits(X):
        ends = [
            min(cost[rows].sum(axis=0).min(), _stump(X[rows], cost[rows], prices[1]))
            for rows in (side, ~side)
        ]
        best = min(best, prices[0] + sum(ends))
    return min(best, leaf)


def _stump(X, cost, price):
    values = [cost[side].sum(axis=0).min() + cost[~side].sum(axis=0).min() for side in _splits(X)]
    return price + min(values, default=np.inf)


def _splits(X):
    """Yield which rows lie below each split."""
    for column in X.T:
        for low in np.unique(column)[:-1]:
            yield column <= low
