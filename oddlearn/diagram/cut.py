"""A skeleton cut to what a number of nodes can fill."""

from __future__ import annotations

from oddlearn.diagram.skeleton import Skeleton


def cut_to(skeleton: Skeleton, n_nodes: int) -> Skeleton:
    """Return the smallest skeleton that holds every diagram of ``skeleton`` with ``n_nodes`` nodes or fewer.

    A node of layer l needs a node in each layer above, and j nodes of a layer need j / 2 above them: slot j
    of a layer is kept if j nodes there, with what they need above, are no more than ``n_nodes``.
    """
    widths = [_most(layer, width, n_nodes) for layer, width in enumerate(skeleton.widths)]
    return Skeleton(tuple(width for width in widths if width > 0), tree_only=skeleton.tree_only)


def _most(layer: int, width: int, n_nodes: int) -> int:
    return max((j for j in range(1, width + 1) if needed(layer, j) <= n_nodes), default=0)


def needed(layer: int, count: int) -> int:
    """Return how many nodes a diagram with ``count`` nodes in a layer has at least, up to that layer."""
    total = 0
    for _ in range(layer + 1):
        total += count
        count = (count + 1) // 2
    return total
