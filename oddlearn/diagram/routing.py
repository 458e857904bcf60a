"""Routes of samples through a diagram: by the kernel, and node by node in plain numpy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray, read_only, read_only_floats
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.kernels.routing.route import route_multivariate, route_univariate

BLOCK_ROWS = 65_536  # rows routed at once in plain numpy: the flags of 15 nodes are 2 MB


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Yield the rows of a table in blocks, so that what is computed for them stays small."""
    for first in range(0, n_rows, BLOCK_ROWS):
        yield slice(first, min(n_rows, first + BLOCK_ROWS))


class DiagramGraph(Protocol):
    """The part of a ``DecisionDiagram`` that routing reads."""

    @property
    def splits(self) -> tuple[Split, ...]:
        """Split of each node."""
        ...

    @property
    def negative(self) -> IntArray:
        """Target of each negative arc."""
        ...

    @property
    def positive(self) -> IntArray:
        """Target of each positive arc."""
        ...


@dataclass(frozen=True)
class RoutingTable:
    """Arrays of the routing kernel: states 0..n_nodes-1 are nodes, n_nodes + arc is a final arc."""

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
        """Build the arrays of a diagram with at least one node."""
        n_nodes = len(splits)
        resting = np.full(2 * n_nodes, -np.inf)
        threshold = read_only_floats(np.concatenate([[split.threshold for split in splits], resting]))
        child = _children(splits, negative, positive)
        if all(isinstance(split, UnivariateSplit) for split in splits):
            return cls(_features(splits), None, threshold, child, n_nodes, depth)
        weights = read_only_floats([split.dense_weights(n_features) for split in splits])
        return cls(None, weights, threshold, child, n_nodes, depth)

    def final_arcs(self, X: NDArray[np.floating]) -> IntArray:
        """Return the final arc of every row of X (n, n_features), C-contiguous float32 or float64."""
        final_arc = np.empty(X.shape[0], dtype=np.intp)
        if self.feature is not None:
            route_univariate(X, self.feature, self.threshold, self.child, self.n_nodes, self.depth, final_arc)
        elif self.weights is not None:
            route_multivariate(X, self.weights, self.threshold, self.child, self.n_nodes, final_arc)
        return final_arc


def _features(splits: tuple[Split, ...]) -> NDArray[np.int32]:
    chosen = [split.feature for split in splits if isinstance(split, UnivariateSplit)]
    return read_only(np.concatenate([chosen, np.zeros(2 * len(splits))]), np.int32)


def _children(splits: tuple[Split, ...], negative: IntArray, positive: IntArray) -> NDArray[np.int32]:
    """Return the next states of each state: negative, positive, value missing, unused; flat."""
    n_nodes = len(splits)
    arcs = np.arange(2 * n_nodes)
    target = np.column_stack([negative, positive])
    sides = np.where(target >= n_nodes, n_nodes + arcs.reshape(n_nodes, 2), target)
    missing = [int(isinstance(split, UnivariateSplit) and split.missing_positive) for split in splits]
    chosen = sides[np.arange(n_nodes), missing]
    taken = np.column_stack([sides, chosen, chosen])
    return read_only(np.concatenate([taken.ravel(), np.repeat(n_nodes + arcs, 4)]), np.int32)


@dataclass(frozen=True)
class RoutingTrace:
    """Nodes that samples pass and the arcs they leave by, computed node by node in plain numpy."""

    reached: BoolArray  # (n, n_nodes): True where the sample passes the node
    sides: BoolArray  # (n, n_nodes): True where it would take the positive side
    final_arc: IntArray  # (n,): arc ``2 * node + side`` to its terminal; 0 in the constant diagram


def route_reference(diagram: DiagramGraph, X: NDArray[np.floating]) -> RoutingTrace:
    """Route the rows of X node by node; slower than ``route`` and independent of its kernel."""
    n_nodes = len(diagram.splits)
    # node by node in memory, as they are written
    reached, sides = (np.zeros((X.shape[0], n_nodes), dtype=bool, order="F") for _ in range(2))
    final_arc = np.zeros(X.shape[0], dtype=np.intp)
    reached[:, :1] = True
    for node, split in enumerate(diagram.splits):
        sides[:, node] = split.side(X)
        for side, target in enumerate((diagram.negative[node], diagram.positive[node])):
            moved = reached[:, node] & (sides[:, node] == bool(side))
            if target < n_nodes:
                reached[:, target] |= moved
            else:
                final_arc[moved] = 2 * node + side
    return RoutingTrace(reached, sides, final_arc)


def costs_to_go(diagram: DiagramGraph, X: NDArray[np.floating], cost: FloatArray) -> list[FloatArray]:
    """Return what each row (m,) costs that goes on from each node, then from each class: ``cost`` (m, C)."""
    costs: list[FloatArray] = [np.empty(0)] * len(diagram.splits) + list(cost.T)
    for node in reversed(range(len(diagram.splits))):  # arcs lead to later nodes
        side = diagram.splits[node].side(X)
        costs[node] = np.where(side, costs[diagram.positive[node]], costs[diagram.negative[node]])
    return costs


def weights_on_arcs(
    diagram: DiagramGraph, X: NDArray[np.floating], class_weight: NDArray[np.floating]
) -> FloatArray:
    """Return the weight of each class that takes each arc ``2 * node + side``, shape (n_arcs, n_classes).

    ``X`` (n, n_features) float.
    ``class_weight`` (n, n_classes) float: weight of each row in each class.
    """
    if not diagram.splits:
        return np.asarray(class_weight.sum(axis=0, keepdims=True), dtype=np.float64)
    total = np.zeros((len(diagram.splits), 2, class_weight.shape[1]))
    for block in row_blocks(X.shape[0]):
        trace = route_reference(diagram, X[block])
        for side, taken in enumerate((trace.reached & ~trace.sides, trace.reached & trace.sides)):
            total[:, side] += taken.T.astype(np.float64) @ class_weight[block]
    return total.reshape(2 * len(diagram.splits), -1)


@dataclass(frozen=True, eq=False)
class SampleRoutes:
    """Routes of samples through a diagram."""

    diagram: DiagramGraph
    X: NDArray[np.floating]  # (n, n_features): the samples
    final_arc: IntArray  # (n,): arc ``2 * node + side`` to its terminal; 0 in the constant diagram
    predicted: IntArray  # (n,): class code of each sample

    @cached_property
    def reached(self) -> Any:  # noqa: ANN401
        """Nodes each sample passes, CSR bool of shape (n, n_nodes)."""
        from scipy.sparse import csr_array  # not needed to predict

        return csr_array(route_reference(self.diagram, self.X).reached)
