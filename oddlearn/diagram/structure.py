"""Checks of a diagram's graph; each failure is told in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.errors import InvalidInputError

if TYPE_CHECKING:
    from oddlearn.diagram.diagram import DecisionDiagram


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
    if diagram.layer[0] != 0 or (np.diff(diagram.layer) < 0).any():
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
    orphans = np.flatnonzero(diagram.in_degree[1:] == 0) + 1
    if orphans.size:
        raise InvalidInputError(f"Node {orphans[0]} has no incoming arc; leave unused nodes out.")
