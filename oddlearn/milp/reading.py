"""What a point of the model says: which node each slot holds, and which rows pass it on which side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.milp.formulate import Formulation


@dataclass(frozen=True, eq=False)
class Reading:
    """Heads and routing, by slots of the model.

    Attributes
    ----------
    slots : tuple of int
        Those with a node, ascending; empty when everything goes to one terminal.
    start : int
        Where rows begin: slot 0 or a terminal.
    heads : (n_slots, 2) int
        Negative and positive head of each slot; ``n_slots + c`` is the terminal of class c.
    at, side : (m, n_slots) bool
        Whether the row passes the slot, and whether it takes the positive side.
    """

    slots: tuple[int, ...]
    start: int
    heads: IntArray
    at: BoolArray
    side: BoolArray

    @property
    def n_slots(self) -> int:
        """Number of slots, used or not."""
        return int(self.heads.shape[0])


def read(formulation: Formulation, x: FloatArray) -> Reading:
    """Round the binaries of a point and follow every row from the root."""
    columns, shape = formulation.columns, formulation.shape
    heads = _heads(formulation, x)
    side = (x[columns.lambda_] > 0.5)[:, shape.layer_of]
    at = np.zeros(side.shape, dtype=bool)
    at[:, 0] = True
    for slot in range(shape.n_nodes):
        for positive in (0, 1):
            head = heads[slot, positive]
            if head < shape.n_nodes:
                at[:, head] |= at[:, slot] & (side[:, slot] == positive)
    return Reading(_reachable(heads, 0), 0, heads, at, side)


def without_idle_nodes(reading: Reading) -> Reading:
    """Return the reading without nodes that settle nothing: all that passes them ends in one terminal.

    Arcs skip no layer but on the way to a terminal, so a node that sends all its rows on to one node of the
    next layer stays.
    """
    n_slots = reading.n_slots
    end = np.arange(reading.heads.max() + 1)
    for slot in reversed(reading.slots):
        end[slot] = _settled(reading, end, slot)
    heads = end[reading.heads]
    start = int(end[0])
    slots = _reachable(heads, 0) if start < n_slots else ()
    return replace(reading, slots=slots, start=start, heads=heads)


def _settled(reading: Reading, end: IntArray, slot: int) -> int:
    """Return the terminal that stands for the node, or the node itself."""
    at, side = reading.at[:, slot], reading.side[:, slot]
    heads = end[reading.heads[slot]]
    taken = heads[[bool((at & ~side).any()), bool((at & side).any())]]
    if taken.size == 0:
        taken = heads[heads >= reading.n_slots][:1]
    alone = np.unique(taken)
    return int(alone[0]) if alone.size == 1 and alone[0] >= reading.n_slots else slot


def _heads(formulation: Formulation, x: FloatArray) -> IntArray:
    arcs, columns = formulation.setting.arcs, formulation.columns
    heads = np.empty((arcs.n_slots, 2), dtype=np.intp)
    for slot in range(arcs.n_slots):
        out = arcs.out_of(slot)
        for positive, side in enumerate((columns.y_negative, columns.y_positive)):
            heads[slot, positive] = arcs.head[out[x[side[out]].argmax()]]
    return heads


def _reachable(heads: IntArray, root: int) -> tuple[int, ...]:
    found, open_ends = {root}, [root]
    while open_ends:
        ends = {int(head) for head in heads[open_ends.pop()] if head < heads.shape[0]}
        open_ends.extend(ends - found)
        found |= ends
    return tuple(sorted(found))
