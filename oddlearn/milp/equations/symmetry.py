"""Equal diagrams counted once: equations (11) and (12)."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import Columns
from oddlearn.milp.setting import Setting


def negative_head_comes_first(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(11): of a node's two heads the negative one comes before the positive one."""
    for slot in range(setting.shape.n_nodes):
        arcs = setting.arcs.out_of(slot)
        for place, arc in enumerate(arcs):
            up_to = columns.y_positive[arcs[: place + 1]][None]
            builder.rows([(columns.y_negative[[arc]][None], 1.0), (up_to, 1.0)], -np.inf, 1.0)


def in_degrees_do_not_increase(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(12): along a layer in-degrees do not increase.

    Printed for pairs of the layers from the third on. Neighbours say the same as all pairs; in the
    second layer, where the prepared model has it too, it only says which of two slots is used first.
    """
    for first, second in ordered_slots(setting):
        more, fewer = _incoming(setting, columns, first), _incoming(setting, columns, second)
        builder.rows([(fewer, 1.0), (more, -1.0)], -np.inf, 0.0)


def slots_fill_in_order(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """A slot is used only if the one before it in its layer is: what (12) says when slots are not alike."""
    for layer in range(setting.shape.depth):
        for first, second in pairwise(_slots(setting, layer)):
            pair = columns.d[[second, first]][None]
            builder.rows([(pair, [[1.0, -1.0]])], -np.inf, 0.0)


def ordered_slots(setting: Setting) -> list[tuple[int, int]]:
    """Return the pairs of slots whose in-degrees are compared."""
    if setting.variant.faithful:
        layers = range(2, setting.shape.depth)
        return [pair for layer in layers for pair in combinations(_slots(setting, layer), 2)]
    return [pair for layer in range(1, setting.shape.depth) for pair in pairwise(_slots(setting, layer))]


def _slots(setting: Setting, layer: int) -> range:
    return range(int(setting.shape.first[layer]), int(setting.shape.first[layer + 1]))


def _incoming(setting: Setting, columns: Columns, slot: int) -> IntArray:
    arcs = setting.arcs.into(slot)
    return np.concatenate([columns.y_positive[arcs], columns.y_negative[arcs]])[None]
