"""The optimum of tiny problems, by trying every diagram. Plainly correct, not fast.

Layer by layer: the state is the set of rows at each node of the current layer. Every node takes each of its
possible dichotomies, every flow that leaves goes to a terminal (its cheapest class) or to a node of the next
layer. A flow without rows goes to a terminal: a node for it would be paid for nothing. A node whose rows all
leave on one side is allowed; it passes its flow on to a deeper layer.
"""

from functools import cache, lru_cache
from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog

from oddlearn.problem.tolerances import MARGIN_TOLERANCE


def optimal_objective(problem):
    """Return the smallest objective over all diagrams of the problem, constraint rows ignored."""
    return _Enumeration(problem).run()


class _Enumeration:
    def __init__(self, problem):
        self.problem = problem
        self.rows = problem.cost.shape[0]
        kinds = {"univariate": self._by_thresholds, "multivariate": self._by_hyperplanes}
        self.dichotomies = lru_cache(maxsize=None)(kinds[problem.split])
        self.below = lru_cache(maxsize=None)(self._below)
        self.leaf = lru_cache(maxsize=None)(self._leaf)

    def run(self):
        everything = (1 << self.rows) - 1
        return min(self.leaf(everything), self.below(0, (everything,)))

    def _leaf(self, mask):
        """Cost of the cheapest class, per unit of total weight."""
        return self.problem.cost[_members(mask)].sum(axis=0).min() / self.problem.total_weight

    def _below(self, layer, nodes):
        """Least cost of everything that leaves these nodes, their own price not counted."""
        best = np.inf
        for parts in product(*(self.dichotomies(node) for node in nodes)):
            flows = [flow for pair in parts for flow in pair if flow]
            best = min(best, self._distribute(layer, flows))
        return best

    def _distribute(self, layer, flows):
        widths = self.problem.skeleton.widths
        slots = widths[layer + 1] if layer + 1 < len(widths) else 0
        best = np.inf
        # target -1 is a terminal, 0.. are nodes; node j is only opened when node j - 1 is
        for targets in product(range(-1, slots), repeat=len(flows)):
            used = sorted({target for target in targets if target >= 0})
            crowded = self.problem.skeleton.tree_only and any(targets.count(slot) > 1 for slot in used)
            if used == list(range(len(used))) and not crowded:
                best = min(best, self._value(layer, flows, targets, len(used)))
        return best

    def _value(self, layer, flows, targets, n_used):
        value = sum(self.leaf(flow) for flow, target in zip(flows, targets, strict=True) if target < 0)
        if n_used == 0:
            return value
        nodes = [0] * n_used
        for flow, target in zip(flows, targets, strict=True):
            if target >= 0:
                nodes[target] |= flow
        return value + n_used * self.problem.node_price + self.below(layer + 1, tuple(sorted(nodes)))

    def _by_thresholds(self, mask):
        """All ways to part the rows of the mask by one feature, and not to part them."""
        members = _members(mask)
        found = {(mask, 0)}
        for column in self.problem.data.X[members].T:
            values = np.unique(column)
            for low in values[:-1]:
                below = _mask(np.array(members)[column <= low])
                found.add((below, mask & ~below))
        return sorted(found)

    def _by_hyperplanes(self, mask):
        """All ways to part the rows of the mask by one hyperplane, and not to part them."""
        members = _members(mask)
        found = [(mask, 0)]
        for choice in range(1 << (len(members) - 1)):
            part = _mask([member for place, member in enumerate(members[1:]) if choice >> place & 1])
            if part and self._separable(part, mask & ~part):
                found.append((part, mask & ~part))
        return found

    def _separable(self, first, second):
        X = self.problem.data.X
        return largest_gap(X[_members(first)], X[_members(second)]) >= self.problem.margin - MARGIN_TOLERANCE


def largest_gap(first, second):
    """Return the largest min(a.first) - max(a.second) over |a|_1 <= 1, 0 if the two cannot be separated.

    The gap is concave in a and linear between directions along which two rows of one side tie. In one or two
    dimensions its maximum is therefore at such a direction, or at an end of an edge of the ball: an axis.
    """
    if first.shape[1] > 2:
        return largest_gap_by_program(first, second)
    axes = np.eye(first.shape[1])
    ties = [rows[one] - rows[other] for rows in (first, second) for one, other in _pairs(len(rows))]
    directions = np.array([*axes, *([-tie[1], tie[0]] for tie in ties if first.shape[1] == 2)])
    lengths = np.abs(directions).sum(axis=1)
    directions = directions[lengths > 0] / lengths[lengths > 0, None]
    keys, others = directions @ first.T, directions @ second.T
    gaps = np.append(keys.min(axis=1) - others.max(axis=1), others.min(axis=1) - keys.max(axis=1))
    return max(0.0, gaps.max())


def largest_gap_by_program(first, second):
    """Return the same in any number of dimensions: a linear program in a+, a-, high, low."""
    d = first.shape[1]
    ones, nones = np.ones((len(first), 1)), np.zeros((len(first), 1))
    others, nothers = np.ones((len(second), 1)), np.zeros((len(second), 1))
    above = np.hstack([-first, first, ones, nones])
    under = np.hstack([second, -second, nothers, -others])
    norm = np.concatenate([np.ones(2 * d), [0, 0]])[None]
    limits = np.concatenate([np.zeros(len(first) + len(second)), [1.0]])
    goal = np.concatenate([np.zeros(2 * d), [-1.0, 1.0]])
    bounds = [(0, 1)] * (2 * d) + [(None, None)] * 2
    return -linprog(goal, A_ub=np.vstack([above, under, norm]), b_ub=limits, bounds=bounds).fun


@cache
def _pairs(count):
    return list(combinations(range(count), 2))


def _members(mask):
    return [row for row in range(mask.bit_length()) if mask >> row & 1]


def _mask(members):
    return sum(1 << int(member) for member in members)
