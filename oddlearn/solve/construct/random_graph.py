"""Random graphs of diagrams: nodes in layers, and where their arcs lead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton

# share of the arcs to a later node among those that could lead to a terminal instead
NODE_SHARE = 0.25

TERMINAL = -1


@dataclass(frozen=True)
class Graph:
    """The targets of the negative and positive arc of each node, and its layer.

    A target is a later node or ``TERMINAL``.
    """

    targets: tuple[tuple[int, int], ...]
    layers: tuple[int, ...]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.targets)

    @classmethod
    def of(cls, diagram: DecisionDiagram) -> Graph:
        """Return the graph of a diagram."""
        pairs = zip(diagram.negative.tolist(), diagram.positive.tolist(), strict=True)
        k = diagram.n_nodes
        targets = tuple((a if a < k else TERMINAL, b if b < k else TERMINAL) for a, b in pairs)
        return cls(targets, tuple(diagram.layer.tolist()))


def draw_graph(skeleton: Skeleton, n_nodes: int, random: np.random.Generator) -> Graph:
    """Draw a graph with up to so many nodes that fits the skeleton."""
    sizes = _draw_layer_sizes(skeleton, n_nodes, random)
    targets: list[tuple[int, int]] = []
    first = 0
    for layer, size in enumerate(sizes):
        below = sizes[layer + 1] if layer + 1 < len(sizes) else 0
        arcs = np.full(2 * size, TERMINAL)
        taken = random.permutation(2 * size)[:below]
        arcs[taken] = first + size + np.arange(below)
        if below and not skeleton.tree_only:
            for arc in np.flatnonzero(arcs == TERMINAL).tolist():
                target = first + size + int(random.integers(below))
                if random.random() < NODE_SHARE and arcs[arc ^ 1] != target:
                    arcs[arc] = target
        targets += [(int(arcs[2 * node]), int(arcs[2 * node + 1])) for node in range(size)]
        first += size
    layers = np.repeat(np.arange(len(sizes)), sizes)
    return Graph(tuple(targets), tuple(layers.tolist()))


def _draw_layer_sizes(skeleton: Skeleton, n_nodes: int, random: np.random.Generator) -> list[int]:
    """Draw how many of the nodes are in each layer; as many as fit."""
    left = min(n_nodes, skeleton.n_nodes)
    sizes = [1]
    for layer, width in enumerate(skeleton.widths[1:], 1):
        left -= sizes[-1]
        most = min(width, 2 * sizes[-1], left)
        if most <= 0:
            break
        below = skeleton.widths[layer + 1 :]
        enough = (size for size in range(1, most + 1) if size + _count_room(size, below) >= left)
        least = next(enough, most)
        sizes.append(int(random.integers(least, most + 1)))
    return sizes


def _count_room(size: int, widths: tuple[int, ...]) -> int:
    """Return how many nodes some layers have room for, below a layer of so many."""
    total = 0
    for width in widths:
        size = min(width, 2 * size)
        total += size
    return total
