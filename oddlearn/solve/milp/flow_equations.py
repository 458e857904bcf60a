"""Flows of rows along arcs, equations (1) to (5), (9), (10) and (17); or these flows projected out.

In the projected form rows on sides and arcs say the same where these are 0 or 1. With a row's sides and the
arcs given, the flows from a layer to the next layer and the terminals are a transport with capacities. The
equations of the projection are cuts of that transport, so they hold for every point of the full model. They
suffice: a row at node u that takes side s is carried to the head of the one arc of that side
(``carry_rows_along_arcs``); the next layer holds at most what this layer holds
(``limit_layer_by_layer_above``) and the classes hold exactly one (``assign_one_class``), so it is nowhere
else; and when the head is a terminal the layers below hold nothing (``stop_at_terminals``).
"""

from __future__ import annotations

from itertools import product

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.solve.milp.context import FormulationContext
from oddlearn.solve.milp.model_builder import ModelBuilder
from oddlearn.solve.milp.model_columns import ModelColumns


def route_rows_through_root(
    builder: ModelBuilder, context: FormulationContext, columns: ModelColumns
) -> None:
    """(1), root: let every row leave it on one side or the other."""
    sides = np.column_stack([columns.w_negative[:, 0], columns.w_positive[:, 0]])
    builder.rows([(sides, 1.0)], 1.0, 1.0)


def balance_inflow(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(1), other nodes: equate the flow through a node with that of its incoming arcs."""
    for slot in range(1, context.skeleton.n_nodes):
        arcs = context.arcs.into(slot)
        passage = np.column_stack([columns.w_negative[:, slot], columns.w_positive[:, slot]])
        arriving = np.hstack([columns.z_negative[:, arcs], columns.z_positive[:, arcs]])
        builder.rows([(passage, 1.0), (arriving, -1.0)], 0.0, 0.0)


def balance_outflow(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(2) and (3): equate the flow that leaves on a side with that of the arcs of the side."""
    sides = ((columns.w_negative, columns.z_negative), (columns.w_positive, columns.z_positive))
    for passage, flow in sides:
        for slot in range(context.skeleton.n_nodes):
            leaving = flow[:, context.arcs.out_of(slot)]
            builder.rows([(passage[:, [slot]], 1.0), (leaving, -1.0)], 0.0, 0.0)


def take_one_side_per_layer(
    builder: ModelBuilder, context: FormulationContext, columns: ModelColumns
) -> None:
    """(4) and (5): let a row take either negative or positive sides in a layer."""
    first = context.skeleton.first
    for layer in range(context.skeleton.depth):
        slots = slice(first[layer], first[layer + 1])
        side = columns.lambda_[:, [layer]]
        builder.rows([(columns.w_negative[:, slots], 1.0), (side, 1.0)], -np.inf, 1.0)
        builder.rows([(columns.w_positive[:, slots], 1.0), (side, -1.0)], -np.inf, 0.0)


def limit_flows_to_arcs(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(9) and (10): let rows flow along chosen arcs only."""
    sides = ((columns.z_positive, columns.y_positive), (columns.z_negative, columns.y_negative))
    for flow, arc in sides:
        chosen = np.broadcast_to(arc, flow.shape).reshape(-1, 1)
        builder.rows([(flow.reshape(-1, 1), 1.0), (chosen, -1.0)], -np.inf, 0.0)


def collect_at_terminals(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(17): let a row end in the class whose terminal it flows to."""
    for code in range(context.arcs.n_classes):
        arcs = context.arcs.into(context.arcs.n_slots + code)
        arriving = np.hstack([columns.z_negative[:, arcs], columns.z_positive[:, arcs]])
        builder.rows([(columns.w_class[:, [code]], 1.0), (arriving, -1.0)], 0.0, 0.0)


def _sides(columns: ModelColumns) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Return flows and arcs of the negative side, then those of the positive side."""
    return (columns.w_negative, columns.y_negative), (columns.w_positive, columns.y_positive)


def _layer(context: FormulationContext, columns: ModelColumns, layer: int) -> IntArray:
    """Return all flows of a layer, negative sides first, shape (m, 2 width)."""
    slots = slice(context.skeleton.first[layer], context.skeleton.first[layer + 1])
    return np.hstack([columns.w_negative[:, slots], columns.w_positive[:, slots]])


def carry_rows_along_arcs(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Replace (1) to (3), (9), (10), (17): carry a row on a side to where the arc of the side leads."""
    arcs = context.arcs
    for (side, arc), place in product(_sides(columns), range(arcs.n_arcs)):
        tail, head = int(arcs.tail[place]), int(arcs.head[place])
        there = (
            np.column_stack([columns.w_negative[:, head], columns.w_positive[:, head]])
            if head < arcs.n_slots
            else columns.w_class[:, [head - arcs.n_slots]]
        )
        design = np.array([[arc[place], columns.d[tail]]])
        builder.rows([(side[:, [tail]], 1.0), (design, [[1.0, -1.0]]), (there, -1.0)], -np.inf, 0.0)


def limit_layer_by_layer_above(
    builder: ModelBuilder, context: FormulationContext, columns: ModelColumns
) -> None:
    """Let a layer hold a row only if the layer above does."""
    for layer in range(1, context.skeleton.depth):
        here, above = _layer(context, columns, layer), _layer(context, columns, layer - 1)
        builder.rows([(here, 1.0), (above, -1.0)], -np.inf, 0.0)


def stop_at_terminals(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Keep a row on a side whose arc leads to a terminal out of the layers below."""
    for slot in range(context.skeleton.first[context.skeleton.depth - 1]):
        layer = int(context.skeleton.layer_of[slot])
        above, below = _layer(context, columns, layer), _layer(context, columns, layer + 1)
        ends = context.arcs.to_terminals(slot)
        width = above.shape[1] // 2
        for side, (_, arc) in enumerate(_sides(columns)):
            here = side * width + slot - context.skeleton.first[layer]
            elsewhere = np.delete(above, here, axis=1)
            design = [(arc[ends][None], 1.0), (columns.d[[slot]][None], -1.0)]
            builder.rows([(below, 1.0), (elsewhere, -1.0), *design], -np.inf, 0.0)


def require_arcs_for_inflow(
    builder: ModelBuilder, context: FormulationContext, columns: ModelColumns
) -> None:
    """Let a row pass a node only if arcs lead there."""
    for slot in range(1, context.skeleton.n_nodes):
        arcs = context.arcs.into(slot)
        passage = np.column_stack([columns.w_negative[:, slot], columns.w_positive[:, slot]])
        leading = np.concatenate([columns.y_negative[arcs], columns.y_positive[arcs]])[None]
        builder.rows([(passage, 1.0), (leading, -1.0)], -np.inf, 0.0)


def assign_one_class(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Let every row end in one class."""
    builder.rows([(columns.w_class, 1.0)], 1.0, 1.0)
