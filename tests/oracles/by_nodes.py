"""The least cost with each number of nodes, by trying every diagram of a tiny problem."""

from itertools import product

import numpy as np

from tests.oracles.brute_force import _Enumeration


def least_costs(problem):
    """Return the least total cost with exactly k = 1, 2, ... nodes that rows reach; inf where none exist.

    The constant diagram counts as one node.
    """
    return _ByNodes(problem).run() * problem.total_weight


class _ByNodes(_Enumeration):
    """The same enumeration, with an array in place of a number: entry k for k more nodes below."""

    def run(self):
        everything = (1 << self.rows) - 1
        best = self.below(0, (everything,)).copy()
        best[0] = min(best[0], self.leaf(everything))
        return best

    def _below(self, layer, nodes):
        best = np.full(self.problem.skeleton.n_nodes, np.inf)
        for parts in product(*(self.dichotomies(node) for node in nodes)):
            flows = [flow for pair in parts for flow in pair if flow]
            best = np.minimum(best, self._distribute(layer, flows))
        return best

    def _distribute(self, layer, flows):
        widths = self.problem.skeleton.widths
        slots = widths[layer + 1] if layer + 1 < len(widths) else 0
        best = np.full(self.problem.skeleton.n_nodes, np.inf)
        for targets in product(range(-1, slots), repeat=len(flows)):
            used = sorted({target for target in targets if target >= 0})
            crowded = self.problem.skeleton.tree_only and any(targets.count(slot) > 1 for slot in used)
            if used == list(range(len(used))) and not crowded:
                best = np.minimum(best, self._value(layer, flows, targets, len(used)))
        return best

    def _value(self, layer, flows, targets, n_used):
        value = sum(self.leaf(flow) for flow, target in zip(flows, targets, strict=True) if target < 0)
        best = np.full(self.problem.skeleton.n_nodes, np.inf)
        if n_used == 0:
            best[0] = value
            return best
        nodes = [0] * n_used
        for flow, target in zip(flows, targets, strict=True):
            if target >= 0:
                nodes[target] |= flow
        best[n_used:] = value + self.below(layer + 1, tuple(sorted(nodes)))[:-n_used]
        return best
