"""Flows of rows along arcs: equations (1) to (5), (9), (10) and (17)."""

from __future__ import annotations

import numpy as np

from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import Columns
from oddlearn.milp.setting import Setting


def root_takes_every_row(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(1), the root: every row passes it, on one side or the other."""
    sides = np.column_stack([columns.w_negative[:, 0], columns.w_positive[:, 0]])
    builder.rows([(sides, 1.0)], 1.0, 1.0)


def inflow_is_passage(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(1), other nodes: what passes a node is what its incoming arcs bring."""
    for slot in range(1, setting.shape.n_nodes):
        arcs = setting.arcs.into(slot)
        passage = np.column_stack([columns.w_negative[:, slot], columns.w_positive[:, slot]])
        arriving = np.hstack([columns.z_negative[:, arcs], columns.z_positive[:, arcs]])
        builder.rows([(passage, 1.0), (arriving, -1.0)], 0.0, 0.0)


def passage_is_outflow(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(2) and (3): what leaves on a side is what the arcs of that side take."""
    sides = ((columns.w_negative, columns.z_negative), (columns.w_positive, columns.z_positive))
    for passage, flow in sides:
        for slot in range(setting.shape.n_nodes):
            leaving = flow[:, setting.arcs.out_of(slot)]
            builder.rows([(passage[:, [slot]], 1.0), (leaving, -1.0)], 0.0, 0.0)


def one_side_in_each_layer(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(4) and (5): in a layer a row takes negative sides or positive sides, not both."""
    first = setting.shape.first
    for layer in range(setting.shape.depth):
        slots = slice(first[layer], first[layer + 1])
        side = columns.lambda_[:, [layer]]
        builder.rows([(columns.w_negative[:, slots], 1.0), (side, 1.0)], -np.inf, 1.0)
        builder.rows([(columns.w_positive[:, slots], 1.0), (side, -1.0)], -np.inf, 0.0)


def flows_follow_arcs(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(9) and (10): a row flows along chosen arcs only."""
    sides = ((columns.z_positive, columns.y_positive), (columns.z_negative, columns.y_negative))
    for flow, arc in sides:
        builder.rows(
            [(flow.reshape(-1, 1), 1.0), (np.tile(arc, setting.n_rows)[:, None], -1.0)], -np.inf, 0.0
        )


def terminals_gather(builder: ModelBuilder, setting: Setting, columns: Columns) -> None:
    """(17): a row ends in the class whose terminal it flows to."""
    for code in range(setting.arcs.n_classes):
        arcs = setting.arcs.into(setting.arcs.n_slots + code)
        arriving = np.hstack([columns.z_negative[:, arcs], columns.z_positive[:, arcs]])
        builder.rows([(columns.w_class[:, [code]], 1.0), (arriving, -1.0)], 0.0, 0.0)
