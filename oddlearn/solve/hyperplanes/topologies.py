"""The graphs of diagrams with two and three nodes whose arcs to terminals have classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice, product

from oddlearn.diagram.skeleton import Skeleton


@dataclass(frozen=True)
class Topology:
    """The targets of each node, negative and positive: a later node k, or a class c as ``-1 - c``."""

    targets: tuple[tuple[int, int], ...]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.targets)

    def paths(self, code: int) -> list[list[tuple[int, int]]]:
        """Return the ways to a class, each as nodes with the side that is taken there, 0 or 1."""
        found, open_paths = list[list[tuple[int, int]]](), [(0, list[tuple[int, int]]())]
        while open_paths:
            node, path = open_paths.pop()
            for side, target in enumerate(self.targets[node]):
                step = [*path, (node, side)]
                if target >= 0:
                    open_paths.append((target, step))
                elif -1 - target == code:
                    found.append(step)
        return found


def list_topologies(
    skeleton: Skeleton, n_nodes: int, n_classes: int, limit: int | None = None
) -> list[Topology]:
    """Return all topologies with two or three nodes, up to the exchange of sides and of equal nodes.

    With a limit no more than so many are listed.
    """
    return list(islice(_topologies(skeleton.widths, n_nodes, range(-n_classes, 0)), limit))


def _topologies(widths: tuple[int, ...], n_nodes: int, terminals: range) -> Iterator[Topology]:
    pairs = list(combinations(terminals, 2))
    if n_nodes == 2 and len(widths) > 1:
        for first, last in product(terminals, pairs):
            yield Topology(((first, 1), last))
    if n_nodes == 3 and len(widths) > 2:
        for first, second, last in product(terminals, terminals, pairs):
            yield Topology(((first, 1), (second, 2), last))
    if n_nodes == 3 and len(widths) > 1 and widths[1] > 1:
        for left, right in combinations_with_replacement(pairs, 2):
            yield Topology(((1, 2), left, right))
