"""Small diagrams: limits on the number of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.errors import InvalidInputError
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.training_data import TrainingData
from oddlearn.table.checks import check_int


@dataclass(frozen=True)
class MaxNodes:
    """At most so many internal nodes; the constant diagram counts as one.

    Parameters
    ----------
    nodes : int
        At least 1.
    """

    nodes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", check_int("MaxNodes", self.nodes))

    def describe(self) -> str:
        """Return the constraint in words."""
        return f"at most {_nodes_text(self.nodes)}"

    def rows(self, data: TrainingData, layout: ObservableLayout) -> LinearRows:
        """Return ``sum_v used[v] <= nodes``."""
        return _limit_rows(layout, [layout.used], [self.nodes], [self.describe()])

    def reached(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> str:
        """Return the value of a diagram in words."""
        return _nodes_text(round(float(observables[layout.used].sum())))


@dataclass(frozen=True)
class MaxNodesPerLayer:
    """At most so many internal nodes in a layer.

    Parameters
    ----------
    nodes : int or sequence of int
        One limit for all layers, or one for each layer of the skeleton from the root down. The root's is at
        least 1, others may be 0.
    """

    nodes: int | tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", _check_limits(self.nodes))

    def describe(self) -> str:
        """Return the constraint in words."""
        if isinstance(self.nodes, int):
            return f"at most {_nodes_text(self.nodes)} in a layer"
        return f"at most {', '.join(map(str, self.nodes))} nodes in the layers"

    def rows(self, data: TrainingData, layout: ObservableLayout) -> LinearRows:
        """Return ``sum_(v in layer) used[v] <= nodes`` for each layer."""
        depth = layout.skeleton.depth
        limits = (self.nodes,) * depth if isinstance(self.nodes, int) else self.nodes
        if len(limits) != depth:
            raise InvalidInputError(
                f"MaxNodesPerLayer has {len(limits)} limits, the skeleton {layout.skeleton} {depth} layers: "
                "give one limit for each layer, or a single number for all."
            )
        labels = [f"at most {_nodes_text(limit)} in layer {layer}" for layer, limit in enumerate(limits)]
        return _limit_rows(layout, _layers(layout), limits, labels)

    def reached(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> str:
        """Return the value of a diagram in words."""
        counts = [round(float(observables[places].sum())) for places in _layers(layout)]
        return f"{', '.join(map(str, counts))} nodes in the layers"


@dataclass(frozen=True)
class MaxDepth:
    """At most so many layers of internal nodes: so many questions for every sample.

    Parameters
    ----------
    layers : int
        At least 1.
    """

    layers: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", check_int("MaxDepth", self.layers))

    def describe(self) -> str:
        """Return the constraint in words."""
        return f"at most {_layers_text(self.layers)} of nodes"

    def rows(self, data: TrainingData, layout: ObservableLayout) -> LinearRows:
        """Return ``sum_(v below) used[v] <= 0``; nothing where the skeleton is not deeper."""
        below = _layers(layout)[self.layers :]
        if not below:
            return LinearRows.none(layout.size)
        return _limit_rows(layout, [np.concatenate(below)], [0], [self.describe()])

    def reached(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> str:
        """Return the value of a diagram in words."""
        return _layers_text(sum(bool(observables[places].any()) for places in _layers(layout)))


def _check_limits(nodes: object) -> int | tuple[int, ...]:
    if isinstance(nodes, np.ndarray):
        nodes = nodes.tolist()
    if not isinstance(nodes, (list, tuple)):
        return check_int("MaxNodesPerLayer", nodes)
    if not nodes:
        raise InvalidInputError("MaxNodesPerLayer is empty: give a limit for each layer, or one for all.")
    return tuple(
        check_int(f"MaxNodesPerLayer[{layer}]", limit, low=1 if layer == 0 else 0)
        for layer, limit in enumerate(nodes)
    )


def _limit_rows(
    layout: ObservableLayout, sums: Sequence[IntArray], limits: Sequence[int], labels: Sequence[str]
) -> LinearRows:
    """Return a row for each sum of observables, which is at most its limit."""
    places = np.concatenate(list(sums))
    starts = np.concatenate([[0], np.cumsum([part.size for part in sums])])
    matrix = csr_array((np.ones(places.size), places, starts), shape=(len(sums), layout.size))
    return LinearRows(matrix, np.full(len(sums), -np.inf), np.array(limits, dtype=np.float64), tuple(labels))


def _layers(layout: ObservableLayout) -> list[IntArray]:
    """Return the places of used[v] layer by layer."""
    return np.split(layout.used, layout.skeleton.first[1 : layout.skeleton.depth])


def _nodes_text(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _layers_text(count: int) -> str:
    return "1 layer" if count == 1 else f"{count} layers"
