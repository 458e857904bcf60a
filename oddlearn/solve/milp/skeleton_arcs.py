"""All arcs a skeleton allows: to the next layer, and long ones to the terminals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import IntArray, read_only_integers
from oddlearn.diagram.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Arcs:
    """The possible arcs of either side, sorted by tail, then by head."""

    # (n_arcs,): slots; a head of ``n_slots + c`` is the terminal of class c, so that terminals come last
    tail: IntArray
    head: IntArray  # (n_arcs,)
    n_slots: int
    n_classes: int

    @classmethod
    def from_skeleton(cls, skeleton: Skeleton, n_classes: int) -> Arcs:
        """Return the arcs of a skeleton with this many terminals."""
        n_slots, first = skeleton.n_nodes, skeleton.first
        terminals = np.arange(n_slots, n_slots + n_classes)
        tails, heads = [], []
        for slot, layer in enumerate(skeleton.layer_of.tolist()):
            below = np.arange(first[layer + 1], first[min(layer + 2, skeleton.depth)])
            ends = np.concatenate([below, terminals])
            heads.append(ends)
            tails.append(np.full(ends.size, slot))
        return cls(
            read_only_integers(np.concatenate(tails)),
            read_only_integers(np.concatenate(heads)),
            n_slots,
            n_classes,
        )

    @property
    def n_arcs(self) -> int:
        """Number of arcs of one side."""
        return int(self.tail.size)

    @property
    def internal(self) -> IntArray:
        """Arcs that lead to a slot."""
        return np.flatnonzero(self.head < self.n_slots)

    @property
    def terminal(self) -> IntArray:
        """Arcs that lead to a terminal."""
        return np.flatnonzero(self.head >= self.n_slots)

    def out_of(self, slot: int) -> IntArray:
        """Return the arcs that leave a slot, by ascending head."""
        return np.flatnonzero(self.tail == slot)

    def to_terminals(self, slot: int) -> IntArray:
        """Return the arcs from a slot to each terminal, in the order of the classes."""
        return self.out_of(slot)[-self.n_classes :]

    def into(self, head: int) -> IntArray:
        """Return the arcs that lead to a slot or terminal."""
        return np.flatnonzero(self.head == head)

    def between(self, slot: int, head: int) -> int:
        """Return the arc from a slot to a head."""
        return int(np.flatnonzero((self.tail == slot) & (self.head == head))[0])
