"""Layer widths: the numbers of nodes per layer of a diagram, and the trees that relax them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

# nodes in each layer, from the root down
LayerWidths = tuple[int, ...]

# for each layer below the root: 1 if it has one node, 2 if it has more
TreeRelaxation = tuple[int, ...]


def allow_all(widths: LayerWidths) -> bool:
    """Return True."""
    return True


def enumerate_layer_widths(
    n_nodes: int, max_widths: tuple[int, ...], allows: Callable[[LayerWidths], bool] = allow_all
) -> Iterator[LayerWidths]:
    """Yield the layer widths of all diagrams with ``n_nodes`` nodes in a skeleton.

    Layer widths that are not allowed must not become allowed with more nodes or layers.
    """
    yield from _extend((1,), n_nodes - 1, max_widths, allows)


def _extend(
    widths: LayerWidths, n_left: int, max_widths: tuple[int, ...], allows: Callable[[LayerWidths], bool]
) -> Iterator[LayerWidths]:
    if not allows(widths):
        return
    if n_left == 0:
        yield widths
    elif len(widths) < len(max_widths):
        for width in range(1, min(n_left, max_widths[len(widths)], 2 * widths[-1]) + 1):
            yield from _extend((*widths, width), n_left - width, max_widths, allows)


def relax_to_trees(widths: LayerWidths) -> TreeRelaxation:
    """Return the trees that relax the diagrams with the given layer widths.

    Each flow that enters a shared node gets a node of its own. Two properties of the layer widths remain:
    the depth, and that a node has at most one child in a layer of one node, as its two arcs have different
    targets.
    """
    return tuple(min(2, width) for width in widths[1:])


def includes(relaxation: TreeRelaxation, other: TreeRelaxation) -> bool:
    """Return True if ``relaxation`` has all trees of ``other``: its bounds hold for ``other``, too."""
    return len(relaxation) >= len(other) and all(a >= b for a, b in zip(relaxation, other, strict=False))


def list_layer_widths_within(widths: LayerWidths) -> list[LayerWidths]:
    """Return the layer widths that remain when nodes are removed, by number of nodes, ``widths`` last."""
    counts = range(1, sum(widths) + 1)
    return [smaller for count in counts for smaller in enumerate_layer_widths(count, widths)]
