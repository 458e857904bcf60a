"""The flows on arcs projected out: rows on sides and arcs that say the same where these are 0 or 1.

With a row's sides and the arcs given, the flows from a layer to the next layer and the terminals are a
transport with capacities. The rows below are cuts of that transport, so they hold for every point of the
full model. They suffice: a row at node u that takes side s is carried to the head of the one arc of that side
(``side_carries_on``); the next layer holds at most what this layer holds (``layers_never_grow``) and the
classes hold exactly one (``one_class_each``), so it is nowhere else; and when the head is a terminal the
layers below hold nothing (``terminals_end_the_walk``).
"""

from __future__ import annotations

from itertools import product

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import Columns
from oddlearn.milp.setting import Setting


def _sides(columns: Columns) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Return flows and arcs of the negative side, then those of the positive side."""
    return (columns.w_negative, columns.y_negative), (columns.w_positive, columns.y_positive)


def _layer(setting: Setting, columns: Columns, layer: int) -> IntArray:
    """Return all flows of a layer, negative sides first, shape (m, 2 width)."""
    slots = slice(setting.shape.first[layer], setting.shape.first[layer + 1])
    return np.hstack([columns.w_negative[:, slots], columns.w_positive[:, slots]])


def side_carries_on(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """In place of (1) to (3), (9), (10), (17): a row on a side is where the arc of that side leads."""
    arcs = setting.arcs
    for (side, arc), place in product(_sides(columns), range(arcs.n_arcs)):
        tail, head = int(arcs.tail[place]), int(arcs.head[place])
        there = (
            np.column_stack([columns.w_negative[:, head], columns.w_positive[:, head]])
            if head < arcs.n_slots
            else columns.w_class[:, [head - arcs.n_slots]]
        )
        design = np.array([[arc[place], columns.d[tail]]])
        builder.rows([(side[:, [tail]], 1.0), (design, [[1.0, -1.0]]), (there, -1.0)], -np.inf, 0.0)


def layers_never_grow(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """A layer holds a row only if the layer above does."""
    for layer in range(1, setting.shape.depth):
        here, above = _layer(setting, columns, layer), _layer(setting, columns, layer - 1)
        builder.rows([(here, 1.0), (above, -1.0)], -np.inf, 0.0)


def terminals_end_the_walk(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """A row on a side whose arc leads to a terminal is in no layer below."""
    for slot in range(setting.shape.first[setting.shape.depth - 1]):
        layer = int(setting.shape.layer_of[slot])
        above, below = _layer(setting, columns, layer), _layer(setting, columns, layer + 1)
        ends = setting.arcs.to_terminals(slot)
        for side, arc in _sides(columns):
            elsewhere = above[above != side[:, [slot]]].reshape(setting.n_rows, -1)
            design = [(arc[ends][None], 1.0), (columns.d[[slot]][None], -1.0)]
            builder.rows([(below, 1.0), (elsewhere, -1.0), *design], -np.inf, 0.0)


def inflow_needs_arcs(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """A row passes a node only if arcs lead there."""
    for slot in range(1, setting.shape.n_nodes):
        arcs = setting.arcs.into(slot)
        passage = np.column_stack([columns.w_negative[:, slot], columns.w_positive[:, slot]])
        leading = np.concatenate([columns.y_negative[arcs], columns.y_positive[arcs]])[None]
        builder.rows([(passage, 1.0), (leading, -1.0)], -np.inf, 0.0)


def one_class_each(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """Every row ends in one class."""
    builder.rows([(columns.w_class, 1.0)], 1.0, 1.0)
