"""The graphs of diagrams with a number of nodes, whose arcs to terminals have classes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, permutations, product

from oddlearn.diagram.skeleton import Skeleton

# targets of each node, negative and positive: a later node k, or a class c as -1 - c
Arcs = tuple[tuple[int, int], ...]

Step = tuple[int, int]  # a node and a side, 0 or 1


@dataclass(frozen=True)
class Topology:
    """The targets of each node, negative and positive: a later node k, or a class c as ``-1 - c``."""

    targets: Arcs

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.targets)

    def paths(self, codes: Collection[int]) -> list[list[Step]]:
        """Return the paths to some classes, each as nodes with the side that is taken there, 0 or 1."""
        found, open_paths = list[list[Step]](), [(0, list[Step]())]
        while open_paths:
            node, path = open_paths.pop()
            for side, target in enumerate(self.targets[node]):
                steps = [*path, (node, side)]
                if target >= 0:
                    open_paths.append((target, steps))
                elif -1 - target in codes:
                    found.append(steps)
        return found

    def ways(self, codes: Collection[int]) -> list[list[Step]]:
        """Return the paths to some classes without the steps that can be left out.

        A step can be left out if all paths with the other steps end in one of the classes too. A row that is
        given one of them takes all steps of one of the ways, whatever its sides at the other nodes.
        """
        ways = list[list[Step]]()
        for path in self.paths(codes):
            way = list(path)
            for step in path:
                shorter = [other for other in way if other != step]
                if self._leads_to(shorter, codes):
                    way = shorter
            if way not in ways:
                ways.append(way)
        return ways

    def _leads_to(self, steps: list[Step], codes: Collection[int]) -> bool:
        """Return True if all paths that take these steps, where they reach the nodes, end in the classes."""
        sides, open_nodes = dict(steps), [0]
        while open_nodes:
            node = open_nodes.pop()
            for side in (sides[node],) if node in sides else (0, 1):
                target = self.targets[node][side]
                if target >= 0:
                    open_nodes.append(target)
                elif -1 - target not in codes:
                    return False
        return True

    @property
    def codes(self) -> list[int]:
        """The classes of the terminals, ascending."""
        return sorted({-1 - target for targets in self.targets for target in targets if target < 0})


def list_topologies(
    skeleton: Skeleton, n_nodes: int, n_classes: int, limit: int | None = None
) -> list[Topology]:
    """Return all topologies with so many nodes, up to the exchange of sides and of nodes of a layer.

    With a limit no more than so many are listed.
    """
    seen = set[Arcs]()
    for sizes in _layer_sizes(skeleton.widths, n_nodes):
        starts = list(accumulate(sizes, initial=0))
        layers = [range(*ends) for ends in pairwise(starts)]
        for arcs in _write_layers(layers, range(-n_classes, 0), skeleton.tree_only):
            seen.add(_order_nodes(arcs, layers))
            if len(seen) == limit:
                break
        if len(seen) == limit:
            break
    return [Topology(arcs) for arcs in sorted(seen)]


def _layer_sizes(widths: tuple[int, ...], n_nodes: int) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of nodes of each layer, the root alone in the first."""
    if n_nodes == 0:
        yield ()
    elif widths:
        for size in range(1, min(widths[0], n_nodes) + 1):
            for further in _layer_sizes(widths[1:], n_nodes - size):
                yield (size, *further)


def _write_layers(layers: list[range], terminals: range, is_tree: bool) -> Iterator[Arcs]:
    """Yield the arcs of all nodes: each node but those of the first layer is reached, in trees by one arc."""
    if not layers:
        yield ()
        return
    following = layers[1] if len(layers) > 1 else range(0)
    pairs = list(combinations([*terminals, *following], 2))
    for chosen in product(pairs, repeat=len(layers[0])):
        reached = [target for pair in chosen for target in pair if target >= 0]
        if set(reached) == set(following) and not (is_tree and len(reached) > len(following)):
            for further in _write_layers(layers[1:], terminals, is_tree):
                yield (*chosen, *further)


def _order_nodes(arcs: Arcs, layers: list[range]) -> Arcs:
    """Return the least of the arcs that the exchange of sides and of nodes of a layer gives."""
    orders = [[node for layer in order for node in layer] for order in product(*map(permutations, layers))]
    return min(_rename_nodes(arcs, order) for order in orders)


def _rename_nodes(arcs: Arcs, order: list[int]) -> Arcs:
    place = {node: place for place, node in enumerate(order)}
    return tuple(
        (min(pair), max(pair))
        for node in order
        for pair in [tuple(place.get(target, target) for target in arcs[node])]
    )
