"""Where the boxes of a layered drawing go: short arcs, few crossings, no overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# rounds of pulling boxes under their parents and over their children; later ones hardly move anything
ROUNDS = 12

# how far the two children of a box are pulled to their sides, to keep negative before positive
LEAN = 0.25


@dataclass(frozen=True)
class Link:
    """An arc from a box of one row to a box of the next; side 0 leaves on the negative side."""

    start: int
    end: int
    side: int


def place(
    rows: Sequence[Sequence[int]], width: Sequence[float], links: Sequence[Link], gap: float
) -> list[float]:
    """Return the horizontal centre of every box.

    Parameters
    ----------
    rows : sequence of sequence of int
        Boxes of each row, from the top.
    width : sequence of float
        Of each box.
    links : sequence of Link
    gap : float
        Least distance of two boxes in a row.
    """
    centre = [0.0] * len(width)
    order = [list(row) for row in rows]
    for row in order:
        row.sort(key=lambda box: _mean([_lean(centre, width, link) for link in links if link.end == box]))
        _spread(row, [centre[box] for box in row], width, gap, centre)
    for turn in range(ROUNDS):
        upward = turn % 2 == 0
        for row in reversed(order) if upward else order:
            pulled = [_pull(box, links, centre, upward) for box in row]
            _spread(row, pulled, width, gap, centre)
    left = min(centre[box] - width[box] / 2 for row in order for box in row)
    return [x - left for x in centre]


def _lean(centre: Sequence[float], width: Sequence[float], link: Link) -> float:
    return centre[link.start] + (link.side - 0.5) * 2 * LEAN * width[link.start]


def _pull(box: int, links: Sequence[Link], centre: Sequence[float], upward: bool) -> float:
    """Return where a box would like to be: over its children, or under its parents."""
    if upward:
        wanted = [centre[link.end] for link in links if link.start == box]
    else:
        wanted = [centre[link.start] for link in links if link.end == box]
    return _mean(wanted) if wanted else centre[box]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _spread(
    row: Sequence[int], wanted: Sequence[float], width: Sequence[float], gap: float, centre: list[float]
) -> None:
    """Put the boxes of a row, in their order, as near to the wanted places as the gap allows.

    With the distances taken off this is isotonic regression, by pooling adjacent violators.
    """
    offset = [0.0]
    for before, after in pairwise(row):
        offset.append(offset[-1] + (width[before] + width[after]) / 2 + gap)
    pools: list[tuple[float, int]] = []
    for value, shift in zip(wanted, offset, strict=True):
        pool = (value - shift, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, count = pools.pop()
            total = count + pool[1]
            pool = ((mean * count + pool[0] * pool[1]) / total, total)
        pools.append(pool)
    settled = [mean for mean, count in pools for _ in range(count)]
    for box, value, shift in zip(row, settled, offset, strict=True):
        centre[box] = value + shift
