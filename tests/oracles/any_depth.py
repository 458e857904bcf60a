"""Optimal trees of any depth with a price per node, by trying every split of every set of rows."""

import numpy as np


class AnyDepth:
    """All trees of a problem; sets of rows are bit masks."""

    def __init__(self, problem):
        self.cost = problem.cost
        self.price = problem.node_price * problem.total_weight
        self.all_rows = (1 << problem.data.n_rows) - 1
        cuts = (_mask(column <= value) for column in problem.data.X.T for value in np.unique(column)[:-1])
        self.cuts = sorted(set(cuts))
        self.known = {}

    def least_cost(self):
        """Return the least cost of a tree, with a price for each node but the root."""
        sides = [self.tree(one) + self.tree(other) for one, other in self.splits(self.all_rows)]
        return min([self.leaf(self.all_rows), *sides])

    def tree(self, rows):
        """Return the least cost of a tree below the root, with a price for each of its nodes."""
        if rows not in self.known:
            sides = [self.price + self.tree(one) + self.tree(other) for one, other in self.splits(rows)]
            self.known[rows] = min([self.leaf(rows), *sides])
        return self.known[rows]

    def least_costs(self, most_nodes, rows=None):
        """Return the least cost of a tree with up to 0, 1, ... nodes, nodes free."""
        rows = self.all_rows if rows is None else rows
        if (rows, most_nodes) not in self.known:
            costs = [self.leaf(rows)] * (most_nodes + 1)
            for one, other in self.splits(rows) if most_nodes else ():
                first, second = (self.least_costs(most_nodes - 1, side) for side in (one, other))
                for nodes in range(1, most_nodes + 1):
                    ways = [first[k] + second[nodes - 1 - k] for k in range(nodes)]
                    costs[nodes] = min(costs[nodes], *ways)
            self.known[rows, most_nodes] = costs
        return self.known[rows, most_nodes]

    def splits(self, rows):
        return {(rows & cut, rows & ~cut) for cut in self.cuts if rows & cut and rows & ~cut}

    def leaf(self, rows):
        return self.cost[[row for row in range(rows.bit_length()) if rows >> row & 1]].sum(axis=0).min()


def _mask(rows):
    return sum(1 << int(row) for row in np.flatnonzero(rows))
