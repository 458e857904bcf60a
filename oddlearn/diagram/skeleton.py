"""The widths of a diagram's layers, and how to truncate them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from oddlearn.diagram.arrays import IntArray, read_only_integers
from oddlearn.diagram.json_checks import read_record
from oddlearn.errors import InvalidInputError

ADVICE = 'give widths such as "1-2-4-4-4", a list such as [1, 2, 4], or Skeleton.tree(depth)'


@dataclass(frozen=True)
class Skeleton:
    """Widths of the layers of internal nodes, root layer first.

    Parameters
    ----------
    widths : tuple of int
        Nodes per layer; the first is 1 and each is at most twice the one before.
    tree_only : bool
        True when every node may have one incoming arc only (decision trees).
    """

    widths: tuple[int, ...]
    tree_only: bool = False

    def __post_init__(self) -> None:
        _check_widths(self.widths)

    @classmethod
    def parse(cls, given: str | Sequence[int] | Skeleton) -> Skeleton:
        """Read a skeleton from ``"1-2-4"``, from a sequence of widths or from a skeleton."""
        if isinstance(given, Skeleton):
            return given
        if isinstance(given, str):
            return _read_text(given)
        return cls(_read_sequence(given))

    @classmethod
    def tree(cls, depth: int) -> Skeleton:
        """Return the skeleton of all binary trees with ``depth`` layers of splits."""
        if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 1:
            raise InvalidInputError(f"The depth of a tree is a whole number of at least 1; got {depth!r}.")
        return cls(tuple(2**layer for layer in range(int(depth))), tree_only=True)

    @classmethod
    def tree_of_nodes(cls, n_nodes: int) -> Skeleton:
        """Return the smallest skeleton of all binary trees with up to ``n_nodes`` splits, of any depth."""
        return _tree_of_nodes(n_nodes)

    @cached_property
    def n_nodes(self) -> int:
        """Number of internal node slots."""
        return sum(self.widths)

    @property
    def depth(self) -> int:
        """Number of layers of internal nodes."""
        return len(self.widths)

    @cached_property
    def first(self) -> IntArray:
        """First slot of each layer, and ``n_nodes`` at the end, shape (depth + 1,)."""
        return read_only_integers(np.concatenate([[0], np.cumsum(self.widths)]))

    @cached_property
    def layer_of(self) -> IntArray:
        """Layer of each slot, shape (n_nodes,)."""
        return read_only_integers(np.repeat(np.arange(self.depth), self.widths))

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {"widths": list(self.widths), "tree_only": self.tree_only}

    def __str__(self) -> str:
        return "-".join(str(width) for width in self.widths)


@lru_cache(maxsize=128)
def _tree_of_nodes(n_nodes: int) -> Skeleton:
    widths = (_most(layer, min(2**layer, n_nodes), n_nodes) for layer in range(n_nodes))
    return Skeleton(tuple(widths), tree_only=True)


def skeleton_from_dict(document: object, where: str = "skeleton") -> Skeleton:
    """Read a skeleton written by ``to_dict``; a damaged one raises ModelFileError."""
    return read_record(Skeleton, document, where)


@lru_cache(maxsize=64)  # a study reads the same few thousands of times
def _read_text(text: str) -> Skeleton:
    parts = text.strip().split("-")
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise InvalidInputError(f"The skeleton {text!r} is not a list of whole numbers: {ADVICE}.")
    return Skeleton(tuple(int(part) for part in parts))


def _read_sequence(given: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(given, (list, tuple, np.ndarray)):
        raise InvalidInputError(f"A skeleton cannot be read from {given!r}: {ADVICE}.")
    if any(isinstance(width, bool) or not isinstance(width, (int, np.integer)) for width in given):
        raise InvalidInputError(f"The skeleton {given!r} is not a list of whole numbers: {ADVICE}.")
    return tuple(int(width) for width in given)


def _check_widths(widths: tuple[int, ...]) -> None:
    shown = "-".join(str(width) for width in widths)
    if not widths:
        raise InvalidInputError(f"The skeleton is empty: {ADVICE}.")
    if min(widths) < 1:
        raise InvalidInputError(f"The skeleton {shown} has a layer without nodes: every width is at least 1.")
    if widths[0] != 1:
        raise InvalidInputError(f"The skeleton {shown} starts with {widths[0]} nodes: the root layer has 1.")
    for layer, (above, width) in enumerate(pairwise(widths), start=1):
        if width > 2 * above:
            raise InvalidInputError(
                f"The skeleton {shown} has {width} nodes in layer {layer} under {above}: a layer has at "
                f"most twice the nodes of the layer above, here {2 * above}."
            )


def truncate_skeleton(skeleton: Skeleton, n_nodes: int) -> Skeleton:
    """Return the smallest skeleton that holds every diagram of ``skeleton`` with ``n_nodes`` nodes or fewer.

    A node of layer l needs a node in each layer above, and j nodes of a layer need j / 2 above them: slot j
    of a layer is kept if j nodes there, with what they need above, are no more than ``n_nodes``.
    """
    widths = [_most(layer, width, n_nodes) for layer, width in enumerate(skeleton.widths)]
    return Skeleton(tuple(width for width in widths if width > 0), tree_only=skeleton.tree_only)


def untruncated_slots(truncated: Skeleton, skeleton: Skeleton) -> IntArray:
    """Return the slot of a skeleton for each slot of the truncated one, shape (n_nodes,)."""
    layer = truncated.layer_of
    return np.asarray(skeleton.first[layer] + np.arange(layer.size) - truncated.first[layer])


@lru_cache(maxsize=1024)  # conditions of steps ask in every round
def _most(layer: int, width: int, n_nodes: int) -> int:
    """Return how many nodes, at most ``width``, a layer has in a diagram with up to ``n_nodes`` nodes."""
    # more nodes in a layer need more in all
    return bisect_right(range(1, width + 1), n_nodes, key=lambda count: min_nodes_for(layer, count))


def min_nodes_for(layer: int, count: int) -> int:
    """Return how many nodes a diagram with ``count`` nodes in a layer has at least, up to that layer."""
    total = 0
    for _ in range(layer + 1):
        total += count
        count = (count + 1) // 2
    return total
