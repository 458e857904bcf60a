"""The decision diagram: an immutable classifier."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import IntArray, read_only_integers
from oddlearn.diagram.canonical import canonical_order
from oddlearn.diagram.splits import Split
from oddlearn.diagram.structure import check_structure
from oddlearn.diagram.table import RoutingTable
from oddlearn.diagram.trace import Trace


@dataclass(frozen=True, eq=False)
class DecisionDiagram:
    """Internal nodes in layers, each with a split and two arcs.

    Parameters
    ----------
    splits : tuple of Split
        One per internal node; node 0 is the root and nodes are listed layer by layer.
    negative, positive : (n_nodes,) int
        Target of each arc: a node of the next layer, or ``n_nodes + c`` for the terminal of class c.
    layer : (n_nodes,) int
        Layer of each node, the root's is 0.
    n_classes, n_features : int
    constant_class : int or None
        The class of everything in a diagram without nodes; None in all others.
    """

    splits: tuple[Split, ...]
    negative: IntArray
    positive: IntArray
    layer: IntArray
    n_classes: int
    n_features: int
    constant_class: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "splits", tuple(self.splits))
        for name in ("negative", "positive", "layer"):
            object.__setattr__(self, name, read_only_integers(getattr(self, name)))
        check_structure(self)

    @classmethod
    def constant(cls, class_code: int, n_classes: int, n_features: int) -> DecisionDiagram:
        """Return the diagram without nodes, which gives every sample the same class."""
        none = np.empty(0, dtype=np.intp)
        return cls((), none, none, none, n_classes, n_features, constant_class=class_code)

    @property
    def n_nodes(self) -> int:
        """Number of internal nodes."""
        return len(self.splits)

    @property
    def depth(self) -> int:
        """Number of layers in use."""
        return int(self.layer[-1]) + 1 if self.n_nodes else 0

    @property
    def n_arcs(self) -> int:
        """Number of arc ids; the constant diagram has one, with id 0."""
        return max(1, 2 * self.n_nodes)

    @cached_property
    def in_degree(self) -> IntArray:
        """Number of arcs into each node, shape (n_nodes,)."""
        targets = np.concatenate([self.negative, self.positive])
        return np.bincount(targets, minlength=self.n_nodes + self.n_classes)[: self.n_nodes]

    @property
    def is_tree(self) -> bool:
        """True when no node has two incoming arcs."""
        return bool((self.in_degree <= 1).all())

    @cached_property
    def arc_class(self) -> IntArray:
        """Class each arc leads to, -1 for arcs to internal nodes, shape (n_arcs,)."""
        if self.constant_class is not None:
            return read_only_integers([self.constant_class])
        targets = np.column_stack([self.negative, self.positive]).ravel()
        return read_only_integers(np.maximum(targets - self.n_nodes, -1))

    @cached_property
    def final_arcs(self) -> tuple[int, ...]:
        """Arcs ``2 * node + side`` that lead to terminals, in order; (0,) in the constant diagram."""
        return tuple(int(arc) for arc in np.flatnonzero(self.arc_class >= 0))

    @cached_property
    def used_features(self) -> tuple[int, ...]:
        """Features with a nonzero weight in some split, in order."""
        used = np.zeros(self.n_features, dtype=bool)
        for split in self.splits:
            used |= split.dense_weights(self.n_features) != 0
        return tuple(int(feature) for feature in np.flatnonzero(used))

    def route(self, X: NDArray[np.floating]) -> Trace:
        """Send the rows of X, shape (n, n_features), through the diagram."""
        rows = np.ascontiguousarray(X, dtype=X.dtype if X.dtype == np.float32 else np.float64)
        if self.n_nodes == 0:
            final_arc = np.zeros(rows.shape[0], dtype=np.intp)
        else:
            final_arc = self._table.final_arcs(rows)
        return Trace(self, rows, final_arc, self.arc_class[final_arc])

    def predict(self, X: NDArray[np.floating]) -> IntArray:
        """Return the class code of each row of X, shape (n,)."""
        return self.route(X).predicted

    def with_splits(self, splits: tuple[Split, ...]) -> DecisionDiagram:
        """Return the same graph with other splits."""
        arcs = (self.negative, self.positive, self.layer)
        return DecisionDiagram(splits, *arcs, self.n_classes, self.n_features, self.constant_class)

    def canonical(self) -> DecisionDiagram:
        """Return the same classifier with the nodes of each layer in a canonical order.

        Within a layer, nodes with more incoming arcs come first; ties are broken by the first arc that
        reaches them in a breadth-first walk. Sides are not swapped: a univariate split has no sign.
        """
        order = canonical_order(self)
        position = np.empty(self.n_nodes + self.n_classes, dtype=np.intp)
        position[order] = np.arange(self.n_nodes)
        position[self.n_nodes :] = np.arange(self.n_nodes, self.n_nodes + self.n_classes)
        splits = tuple(self.splits[node] for node in order)
        arcs = (position[self.negative[order]], position[self.positive[order]], self.layer)
        return DecisionDiagram(splits, *arcs, self.n_classes, self.n_features, self.constant_class)

    @cached_property
    def _table(self) -> RoutingTable:
        return RoutingTable.build(self.splits, self.negative, self.positive, self.depth, self.n_features)

    def _content(self) -> tuple[object, ...]:
        arcs = (self.negative.tobytes(), self.positive.tobytes(), self.layer.tobytes())
        return (self.splits, *arcs, self.n_classes, self.n_features, self.constant_class)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecisionDiagram):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())
