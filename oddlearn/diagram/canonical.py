"""The canonical order of the nodes of a diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oddlearn.diagram.arrays import IntArray

if TYPE_CHECKING:
    from oddlearn.diagram.diagram import DecisionDiagram


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
