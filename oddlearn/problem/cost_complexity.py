"""CART with minimal cost-complexity pruning: what an optimal tree with a price per node costs at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.training_data import TrainingData

MAX_GROWN_CELLS = 500_000  # of the rows that it is grown on: 0.1 to 0.3 s


@dataclass(frozen=True, eq=False)
class CartTree:
    """A tree of univariate splits by CART, to be pruned for any price per node.

    Attributes
    ----------
    left, right : (n_nodes,) int
        Nodes below, -1 at leaves. Nodes come after those above them.
    leaf_cost : (n_nodes,) float
        Cost of the rows of a node if all of them get its best class.
    total_weight : float
    """

    left: IntArray
    right: IntArray
    leaf_cost: FloatArray
    total_weight: float

    @classmethod
    def grow(cls, data: TrainingData, cost: FloatArray, max_leaves: int) -> CartTree:
        """Grow a tree on the rows, or on some of a large table; cost (m, n_classes) are of all rows."""
        from sklearn.tree import DecisionTreeClassifier

        rows, codes = np.nonzero(data.class_weight)
        step = -(-rows.size * data.n_features // MAX_GROWN_CELLS)
        rows, codes = rows[::step], codes[::step]
        grown = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=0)
        tree = grown.fit(data.X[rows], codes, sample_weight=data.class_weight[rows, codes]).tree_
        left, right = tree.children_left, tree.children_right
        leaf = tree.apply(data.X.astype(np.float32))
        total = np.column_stack([np.bincount(leaf, own, minlength=left.size) for own in cost.T])
        for node in np.flatnonzero(left >= 0)[::-1]:
            total[node] = total[left[node]] + total[right[node]]
        return cls(left, right, total.min(axis=1), data.total_weight)

    def pruned_cost(self, node_price: float) -> float:
        """Return the least objective of its subtrees, which have a price per node but the root."""
        value = self.leaf_cost / self.total_weight
        for node in np.flatnonzero(self.left >= 0)[::-1].tolist():
            price = node_price if node else 0.0
            value[node] = min(value[node], price + value[self.left[node]] + value[self.right[node]])
        return float(value[0])
