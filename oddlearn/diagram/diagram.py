"""Decision diagrams: the class, the checks of its graph, the canonical order of its nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import IntArray, read_only_integers
from oddlearn.diagram.routing import RoutingTable, SampleRoutes, route_reference
from oddlearn.diagram.splits import MultivariateSplit, Split
from oddlearn.errors import InvalidInputError


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

    def route(self, X: NDArray[np.floating]) -> SampleRoutes:
        """Send the rows of X, shape (n, n_features), through the diagram; NaN is a missing value."""
        rows = np.ascontiguousarray(X, dtype=X.dtype if X.dtype == np.float32 else np.float64)
        if self.n_nodes == 0:
            final_arc = np.zeros(rows.shape[0], dtype=np.intp)
        elif self._table.weights is not None and np.isnan(rows).any():
            # the kernel of hyperplanes adds up all features, with weight 0 too
            final_arc = route_reference(self, rows).final_arc
        else:
            final_arc = self._table.final_arcs(rows)
        return SampleRoutes(self, rows, final_arc, self.arc_class[final_arc])

    def predict(self, X: NDArray[np.floating]) -> IntArray:
        """Return the class code of each row of X, shape (n,)."""
        return self.route(X).predicted

    def with_splits(self, splits: tuple[Split, ...]) -> DecisionDiagram:
        """Return the same graph with other splits."""
        return replace(self, splits=splits)

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
        negative, positive = position[self.negative[order]], position[self.positive[order]]
        return replace(self, splits=splits, negative=negative, positive=positive)

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


def canonical_order(diagram: DecisionDiagram) -> IntArray:
    """Return node ids, layer by layer, in-degree descending, ties by the first arc that reaches them."""
    order: list[int] = []
    current = [0] if diagram.n_nodes else []
    while current:
        order.extend(current)
        current = _next_layer(diagram, current)
    return np.array(order, dtype=np.intp)


def _next_layer(diagram: DecisionDiagram, current: list[int]) -> list[int]:
    first_arc: dict[int, int] = {}
    for place, node in enumerate(current):
        for side, target in enumerate((int(diagram.negative[node]), int(diagram.positive[node]))):
            if target < diagram.n_nodes:
                first_arc.setdefault(target, 2 * place + side)
    return sorted(first_arc, key=lambda node: (-diagram.in_degree[node], first_arc[node]))


def check_structure(diagram: DecisionDiagram) -> None:
    """Raise InvalidInputError unless the diagram is well formed."""
    _check_sizes(diagram)
    if diagram.n_nodes == 0:
        return
    _check_layers(diagram)
    _check_splits(diagram)
    for node in range(diagram.n_nodes):
        _check_arcs(diagram, node)
    _check_reachable(diagram)


def _check_sizes(diagram: DecisionDiagram) -> None:
    if diagram.n_classes < 1 or diagram.n_features < 0:
        raise InvalidInputError("A diagram has at least one class and a count of features.")
    shapes = {array.shape for array in (diagram.negative, diagram.positive, diagram.layer)}
    if shapes != {(diagram.n_nodes,)}:
        raise InvalidInputError(f"{diagram.n_nodes} splits need as many arcs of each side and layers.")
    if (diagram.constant_class is None) != (diagram.n_nodes > 0):
        raise InvalidInputError("A constant class belongs to a diagram without nodes, and only to that.")
    if diagram.constant_class is not None and not 0 <= diagram.constant_class < diagram.n_classes:
        raise InvalidInputError(f"The constant class {diagram.constant_class} does not exist.")


def _check_layers(diagram: DecisionDiagram) -> None:
    if diagram.layer[0] != 0 or (diagram.layer[1:] < diagram.layer[:-1]).any():
        raise InvalidInputError("The nodes of a diagram are listed layer by layer, from the root in layer 0.")


def _check_splits(diagram: DecisionDiagram) -> None:
    for node, split in enumerate(diagram.splits):
        if isinstance(split, MultivariateSplit):
            fits = split.weights.size == diagram.n_features
        else:
            fits = split.feature < diagram.n_features
        if not fits:
            raise InvalidInputError(f"The split of node {node} does not fit {diagram.n_features} features.")


def _check_arcs(diagram: DecisionDiagram, node: int) -> None:
    targets = (int(diagram.negative[node]), int(diagram.positive[node]))
    if targets[0] == targets[1]:
        raise InvalidInputError(f"Both arcs of node {node} lead to the same target; they must differ.")
    for target in targets:
        if not 0 <= target < diagram.n_nodes + diagram.n_classes:
            raise InvalidInputError(f"An arc of node {node} leads to {target}, which does not exist.")
        if target < diagram.n_nodes and diagram.layer[target] != diagram.layer[node] + 1:
            raise InvalidInputError(
                f"An arc leads from node {node} in layer {diagram.layer[node]} to node {target} in layer "
                f"{diagram.layer[target]}: arcs go to the next layer or to a terminal."
            )


def _check_reachable(diagram: DecisionDiagram) -> None:
    if diagram.n_nodes > 1 and not diagram.in_degree[1:].all():
        unreached = 1 + int(diagram.in_degree[1:].argmin())
        raise InvalidInputError(f"Node {unreached} has no incoming arc; leave unused nodes out.")
