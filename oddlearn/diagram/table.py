"""The arrays the routing kernels read: a diagram with its final arcs as resting states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only, read_only_floats
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.kernels.routing.route import route_multivariate, route_univariate


@dataclass(frozen=True)
class RoutingTable:
    """States 0..n_nodes-1 are nodes, n_nodes + arc is the final arc; see ``kernels/routing/route.pyx``."""

    feature: NDArray[np.int32] | None
    weights: FloatArray | None
    threshold: FloatArray
    child: NDArray[np.int32]
    n_nodes: int
    depth: int

    @classmethod
    def build(
        cls, splits: tuple[Split, ...], negative: IntArray, positive: IntArray, depth: int, n_features: int
    ) -> RoutingTable:
        """Lay out the states of a diagram with at least one node."""
        n_nodes = len(splits)
        resting = np.full(2 * n_nodes, -np.inf)
        threshold = np.concatenate([[split.threshold for split in splits], resting])
        univariate = all(isinstance(split, UnivariateSplit) for split in splits)
        return cls(
            feature=_features(splits) if univariate else None,
            weights=None if univariate else _weights(splits, n_features),
            threshold=read_only_floats(threshold),
            child=_children(negative, positive, n_nodes),
            n_nodes=n_nodes,
            depth=depth,
        )

    def final_arcs(self, X: NDArray[np.floating]) -> IntArray:
        """Return the final arc of every row of X (n, n_features), C-contiguous float32 or float64."""
        final_arc = np.empty(X.shape[0], dtype=np.intp)
        if self.feature is not None:
            route_univariate(
                X, self.feature, self.threshold, self.child, self.n_nodes, self.depth, final_arc
            )
        elif self.weights is not None:
            route_multivariate(X, self.weights, self.threshold, self.child, self.n_nodes, final_arc)
        return final_arc


def _features(splits: tuple[Split, ...]) -> NDArray[np.int32]:
    chosen = [split.feature for split in splits if isinstance(split, UnivariateSplit)]
    return read_only(np.concatenate([chosen, np.zeros(2 * len(splits))]), np.int32)


def _weights(splits: tuple[Split, ...], n_features: int) -> FloatArray:
    return read_only_floats([split.dense_weights(n_features) for split in splits])


def _children(negative: IntArray, positive: IntArray, n_nodes: int) -> NDArray[np.int32]:
    arcs = np.arange(2 * n_nodes)
    target = np.column_stack([negative, positive]).ravel()
    taken = np.where(target >= n_nodes, n_nodes + arcs, target)
    return read_only(np.concatenate([taken, np.repeat(n_nodes + arcs, 2)]), np.int32)
