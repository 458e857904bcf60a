"""Rows and horizontal places of the boxes of a layered drawing: short arcs, few crossings, no overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from oddlearn.diagram.diagram import DecisionDiagram

# passes that move boxes under their parents and over their children; later ones hardly move anything
ROUNDS = 12

# shift of the two children of a box to their sides, in widths: the negative child stays left
SIDE_SHIFT = 0.25


@dataclass(frozen=True)
class Link:
    """An arc from a box of one row to a box of a later one; side 0 is the negative side."""

    start: int
    end: int
    side: int


def rows_and_links(diagram: DecisionDiagram) -> tuple[list[list[int]], list[Link]]:
    """Return the boxes of each row, nodes before ends, and the arcs between boxes."""
    if diagram.n_nodes == 0:
        return [[0]], []
    rows: list[list[int]] = [[] for _ in range(diagram.depth + 1)]
    for node, layer in enumerate(diagram.layer):
        rows[layer].append(node)
    box_of_end = {arc: diagram.n_nodes + place for place, arc in enumerate(diagram.final_arcs)}
    links = []
    for arc in range(diagram.n_arcs):
        node, side = divmod(arc, 2)
        if arc in box_of_end:
            rows[diagram.layer[node] + 1].append(box_of_end[arc])
        target = int((diagram.negative, diagram.positive)[side][node])
        links.append(Link(node, box_of_end.get(arc, target), side))
    return rows, links


def place_boxes(
    rows: Sequence[Sequence[int]], width: Sequence[float], links: Sequence[Link], gap: float
) -> list[float]:
    """Return the horizontal centre of each box.

    ``rows``: boxes of each row, from the top.
    ``width``: width of each box.
    ``gap``: minimum distance of two boxes in a row.
    """
    centre = [0.0] * len(width)
    order = [list(row) for row in rows]
    for row in order:
        row.sort(key=lambda box: _mean(_side_positions(box, links, centre, width)))
        _place_row(row, [centre[box] for box in row], width, gap, centre)
    for turn in range(ROUNDS):
        upward = turn % 2 == 0
        for row in reversed(order) if upward else order:
            targets = [_target_position(box, links, centre, upward) for box in row]
            _place_row(row, targets, width, gap, centre)
    left = min(centre[box] - width[box] / 2 for row in order for box in row)
    return [x - left for x in centre]


def _side_positions(
    box: int, links: Sequence[Link], centre: Sequence[float], width: Sequence[float]
) -> list[float]:
    """Return the positions below the sides of its parents from which arcs lead to a box."""
    incoming = [link for link in links if link.end == box]
    return [centre[link.start] + (2 * link.side - 1) * SIDE_SHIFT * width[link.start] for link in incoming]


def _target_position(box: int, links: Sequence[Link], centre: Sequence[float], upward: bool) -> float:
    """Return the mean position of a box's children, or of its parents."""
    if upward:
        desired = [centre[link.end] for link in links if link.start == box]
    else:
        desired = [centre[link.start] for link in links if link.end == box]
    return _mean(desired) if desired else centre[box]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _place_row(
    row: Sequence[int], desired: Sequence[float], width: Sequence[float], gap: float, centre: list[float]
) -> None:
    """Place the boxes of a row, in their order, as near to the desired positions as the gap allows.

    Without the distances this is isotonic regression, solved by pooling adjacent violators.
    """
    offset = [0.0]
    for before, after in pairwise(row):
        offset.append(offset[-1] + (width[before] + width[after]) / 2 + gap)
    pools: list[tuple[float, int]] = []
    for value, shift in zip(desired, offset, strict=True):
        pool = (value - shift, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, count = pools.pop()
            total = count + pool[1]
            pool = ((mean * count + pool[0] * pool[1]) / total, total)
        pools.append(pool)
    fitted = [mean for mean, count in pools for _ in range(count)]
    for box, value, shift in zip(row, fitted, offset, strict=True):
        centre[box] = value + shift
