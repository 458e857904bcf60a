"""Which nodes are active and where their arcs lead: equations (6) to (8), trees and the number of nodes."""

from __future__ import annotations

import numpy as np

from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import Columns
from oddlearn.milp.setting import Setting


def active_nodes_have_two_arcs(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(6): an active node has one arc of each side, another has none."""
    for slot in range(setting.shape.n_nodes):
        arcs = setting.arcs.out_of(slot)
        for side in (columns.y_positive, columns.y_negative):
            builder.rows([(side[arcs][None], 1.0), (columns.d[[slot]][None], -1.0)], 0.0, 0.0)


def active_nodes_are_reached(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(7): an active node other than the root has an incoming arc."""
    for slot in range(1, setting.shape.n_nodes):
        arcs = setting.arcs.into(slot)
        leading = np.concatenate([columns.y_positive[arcs], columns.y_negative[arcs]])[None]
        builder.rows([(columns.d[[slot]][None], 1.0), (leading, -1.0)], -np.inf, 0.0)


def arcs_lead_to_active_nodes(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(8): a node's arcs lead to two different heads, which are active; terminals always are."""
    arcs = setting.arcs
    both = np.column_stack([columns.y_positive, columns.y_negative])
    inside, outside = arcs.internal, arcs.terminal
    if inside.size:
        head = columns.d[arcs.head[inside]][:, None]
        builder.rows([(both[inside], 1.0), (head, -1.0)], -np.inf, 0.0)
    builder.rows([(both[outside], 1.0)], -np.inf, 1.0)


def nodes_have_one_parent(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """In trees a node has at most one incoming arc."""
    for slot in range(1, setting.shape.n_nodes):
        arcs = setting.arcs.into(slot)
        leading = np.concatenate([columns.y_positive[arcs], columns.y_negative[arcs]])[None]
        builder.rows([(leading, 1.0)], -np.inf, 1.0)


def as_many_nodes_as_asked(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """The number of active nodes is the one asked for."""
    builder.rows([(columns.d[None], 1.0)], float(setting.n_nodes or 0), float(setting.n_nodes or 0))
