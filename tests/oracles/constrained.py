"""The optimum of tiny problems under constraint rows, by trying what every diagram does with the rows.

Layer by layer, as in brute_force, but a flow that ends may take any class, not only its cheapest, and what is
left of a diagram is its outcome: the rows given each class, and each node's rows on both sides. Nodes that no
row reaches are left out; the rows of a problem must treat the slots of a layer alike.
"""

from functools import lru_cache
from itertools import product

import numpy as np

from tests.oracles.brute_force import _Enumeration, _members


def feasible_optimum(problem):
    """Return the least objective of the diagrams that keep all hard rows, inf when there is none."""
    return feasible_objectives(problem).min()


def feasible_objectives(problem):
    """Return the least objective with exactly k = 1, 2, ... nodes that rows reach, inf where there is none.

    The constant diagram counts as one node.
    """
    best = np.full(problem.skeleton.n_nodes, np.inf)
    costs = lru_cache(maxsize=None)(lambda code, mask: problem.cost[_members(mask), code].sum())
    for given, nodes in _Outcomes(problem).run():
        count = sum(map(len, nodes))
        cost = sum(costs(code, mask) for code, mask in enumerate(given))
        plain = cost / problem.total_weight + problem.node_price * (count - 1)
        if plain < best[count - 1]:  # what the rows say can only make it dearer
            best[count - 1] = min(best[count - 1], plain + _penalty(problem, given, nodes))
    return best


class _Outcomes(_Enumeration):
    """All outcomes: rows by class, and per layer the nodes' rows on the negative and the positive side."""

    def __init__(self, problem):
        super().__init__(problem)
        self.outcomes = lru_cache(maxsize=None)(self._outcomes)

    def run(self):
        everything = (1 << self.rows) - 1
        return self.outcomes(0, (everything,))

    def _outcomes(self, layer, nodes):
        """Return the set of (rows of each class, nodes of this layer and those below)."""
        found = set()
        for parts in product(*(self.dichotomies(node) for node in nodes)):
            flows = tuple(flow for pair in parts for flow in pair if flow)
            for given, below in self._ends(layer, flows):
                found.add((given, (tuple(sorted(parts)), *below)))
        return found

    def _ends(self, layer, flows):
        """Yield what the flows may do: each takes a class or goes to a node of the next layer."""
        skeleton, n_classes = self.problem.skeleton, self.problem.data.n_classes
        slots = skeleton.widths[layer + 1] if layer + 1 < skeleton.depth else 0
        for targets in product(range(-n_classes, slots), repeat=len(flows)):
            used = sorted({target for target in targets if target >= 0})
            crowded = skeleton.tree_only and any(targets.count(slot) > 1 for slot in used)
            if used != list(range(len(used))) or crowded:
                continue
            given, nodes = [0] * n_classes, [0] * len(used)
            for flow, target in zip(flows, targets, strict=True):
                (nodes if target >= 0 else given)[target] |= flow
            for more, below in self.outcomes(layer + 1, tuple(sorted(nodes))) if nodes else [((), ())]:
                yield tuple(a | b for a, b in zip(given, more or [0] * n_classes, strict=True)), below


def _penalty(problem, given, nodes):
    """Return what an outcome pays for soft rows, inf when a hard row is broken."""
    observables = _observables(problem, given, nodes)
    return (
        np.inf if problem.rows.max_violation(observables) > 1e-9 else problem.rows.total_penalty(observables)
    )


def _observables(problem, given, nodes):
    layout = problem.layout
    vector = np.zeros(layout.size)
    for code, mask in enumerate(given):
        vector[layout.assigned[_members(mask), code]] = 1
    for first, parts in zip(problem.skeleton.first, nodes, strict=False):
        for slot, (negative, positive) in enumerate(parts, int(first)):
            vector[layout.used[slot]] = 1
            vector[layout.reached[_members(negative | positive), slot]] = 1
            vector[layout.positive[_members(positive), slot]] = 1
    ((negative, positive),) = nodes[0]
    vector[layout.root_splits] = bool(negative and positive)
    return vector
