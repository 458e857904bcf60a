"""Shapes of diagrams: numbers of nodes per layer, and the trees that bound them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Shape = tuple[int, ...]

# layers below the root, each with 1 node or with 2 or more, written as 2
Pattern = tuple[int, ...]


def anything(shape: Shape) -> bool:
    """Allow every shape."""
    return True


def shapes(
    n_nodes: int, widths: tuple[int, ...], allows: Callable[[Shape], bool] = anything
) -> Iterator[Shape]:
    """Yield the numbers of nodes per layer of all diagrams with ``n_nodes`` nodes in a skeleton.

    What is not allowed stays so with more nodes or layers.
    """
    yield from _extended((1,), n_nodes - 1, widths, allows)


def _extended(
    shape: Shape, left: int, widths: tuple[int, ...], allows: Callable[[Shape], bool]
) -> Iterator[Shape]:
    if not allows(shape):
        return
    if left == 0:
        yield shape
    elif len(shape) < len(widths):
        for width in range(1, min(left, widths[len(shape)], 2 * shape[-1]) + 1):
            yield from _extended((*shape, width), left - width, widths, allows)


def pattern_of(shape: Shape) -> Pattern:
    """Return what the tree relaxation sees of a shape.

    Flows that meet in a node are given nodes of their own. What is left of the shape is its depth, and
    that each node has at most one child in a layer that has one node: its two arcs have different targets.
    """
    return tuple(min(2, width) for width in shape[1:])


def covers(pattern: Pattern, other: Pattern) -> bool:
    """Return True if every tree of ``other`` is one of ``pattern``, so that its bounds hold there too."""
    return len(pattern) >= len(other) and all(a >= b for a, b in zip(pattern, other, strict=False))


def shapes_within(shape: Shape) -> list[Shape]:
    """Return the shapes of what is left of a shape's diagrams when nodes are taken away, itself last."""
    found = [part for count in range(1, sum(shape) + 1) for part in shapes(count, shape)]
    return sorted(found, key=sum)
