"""Nodes, arcs and hyperplanes: equations (6) to (8) and (11) to (16), trees and the node count."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.solve.milp.context import FormulationContext
from oddlearn.solve.milp.model_builder import ModelBuilder, Term
from oddlearn.solve.milp.model_columns import ModelColumns


def give_nodes_two_arcs(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(6): give an active node one arc of each side, and other nodes none."""
    for slot in range(context.skeleton.n_nodes):
        arcs = context.arcs.out_of(slot)
        for side in (columns.y_positive, columns.y_negative):
            builder.rows([(side[arcs][None], 1.0), (columns.d[[slot]][None], -1.0)], 0.0, 0.0)


def require_incoming_arc(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(7): require an incoming arc of every active node but the root."""
    for slot in range(1, context.skeleton.n_nodes):
        leading = incoming_arcs(context, columns, slot)
        builder.rows([(columns.d[[slot]][None], 1.0), (leading, -1.0)], -np.inf, 0.0)


def lead_arcs_to_active_nodes(
    builder: ModelBuilder, context: FormulationContext, columns: ModelColumns
) -> None:
    """(8): lead a node's arcs to two different heads that are active; terminals always are."""
    arcs = context.arcs
    both = np.column_stack([columns.y_positive, columns.y_negative])
    inside, outside = arcs.internal, arcs.terminal
    if inside.size:
        head = columns.d[arcs.head[inside]][:, None]
        builder.rows([(both[inside], 1.0), (head, -1.0)], -np.inf, 0.0)
    builder.rows([(both[outside], 1.0)], -np.inf, 1.0)


def allow_one_parent(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Allow a node of a tree at most one incoming arc."""
    for slot in range(1, context.skeleton.n_nodes):
        builder.rows([(incoming_arcs(context, columns, slot), 1.0)], -np.inf, 1.0)


def fix_node_count(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Fix the number of active nodes."""
    builder.rows([(columns.d[None], 1.0)], float(context.n_nodes or 0), float(context.n_nodes or 0))


def order_arc_heads(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(11): put a node's negative head before its positive one."""
    for slot in range(context.skeleton.n_nodes):
        arcs = context.arcs.out_of(slot)
        for place, arc in enumerate(arcs):
            up_to = columns.y_positive[arcs[: place + 1]][None]
            builder.rows([(columns.y_negative[[arc]][None], 1.0), (up_to, 1.0)], -np.inf, 1.0)


def order_in_degrees(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(12): let in-degrees not increase along a layer.

    In the paper for all pairs of slots, from the third layer on. Neighbours say the same as all pairs; in
    the second layer, where the tight form has it too, it only says which of two slots is used first.
    """
    for first, second in ordered_slots(context):
        more, fewer = (incoming_arcs(context, columns, slot) for slot in (first, second))
        builder.rows([(fewer, 1.0), (more, -1.0)], -np.inf, 0.0)


def fill_slots_in_order(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Use a slot only if the one before it in its layer is used: replaces (12) if slots are not symmetric."""
    for layer in range(context.skeleton.depth):
        for first, second in pairwise(_slots(context, layer)):
            pair = columns.d[[second, first]][None]
            builder.rows([(pair, [[1.0, -1.0]])], -np.inf, 0.0)


def ordered_slots(context: FormulationContext) -> list[tuple[int, int]]:
    """Return the pairs of slots whose in-degrees are compared."""
    if context.options.is_paper:
        layers = range(2, context.skeleton.depth)
        return [pair for layer in layers for pair in combinations(_slots(context, layer), 2)]
    return [pair for layer in range(1, context.skeleton.depth) for pair in pairwise(_slots(context, layer))]


def _slots(context: FormulationContext, layer: int) -> range:
    return range(int(context.skeleton.first[layer]), int(context.skeleton.first[layer + 1]))


def incoming_arcs(context: FormulationContext, columns: ModelColumns, slot: int) -> IntArray:
    """Return the columns of the arcs that may lead to a slot, shape (1, k)."""
    arcs = context.arcs.into(slot)
    return np.concatenate([columns.y_positive[arcs], columns.y_negative[arcs]])[None]


def separate_rows(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(13) and (14): put rows that leave on a side on that side of the hyperplane."""
    hyperplanes = context.hyperplanes
    X = hyperplanes.coordinates
    for slot in range(context.skeleton.n_nodes):
        weights, threshold = columns.a[[slot]], columns.b[[slot]][None]
        below: list[Term] = [(weights, X), (threshold, -1.0)]
        above: list[Term] = [(weights, -X), (threshold, 1.0)]
        builder.indicators(columns.w_negative[:, slot], below, -hyperplanes.gap, hyperplanes.big_m_negative)
        builder.indicators(columns.w_positive[:, slot], above, 0.0, hyperplanes.big_m_positive)


def choose_one_feature(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """(15) and (16): choose one feature for a univariate split, and give no other a weight."""
    if columns.e.shape[1] == 0:
        return
    builder.rows([(columns.e, 1.0)], 1.0, 1.0)
    chosen, weight = columns.e.reshape(-1, 1), columns.a.reshape(-1, 1)
    builder.rows([(weight, 1.0), (chosen, -1.0)], -np.inf, 0.0)
    builder.rows([(weight, -1.0), (chosen, -1.0)], -np.inf, 0.0)


def limit_weights(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Limit the absolute sum of a hyperplane's weights to 1: the unit of the margin."""
    if columns.magnitude.shape[1] == 0:
        return
    builder.rows([(columns.magnitude, 1.0)], -np.inf, 1.0)
    size, weight = columns.magnitude.reshape(-1, 1), columns.a.reshape(-1, 1)
    builder.rows([(weight, 1.0), (size, -1.0)], -np.inf, 0.0)
    builder.rows([(weight, -1.0), (size, -1.0)], -np.inf, 0.0)


def limit_terms(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Allow weights on the features of so many columns of the user only."""
    limit = context.problem.term_limit
    if limit is None:
        return
    builder.rows([(columns.terms, 1.0)], -np.inf, float(limit.max_terms))
    chosen = columns.terms[:, limit.column_of[context.hyperplanes.features]].reshape(-1, 1)
    for sign in (1.0, -1.0):
        builder.rows([(columns.a.reshape(-1, 1), sign), (chosen, -1.0)], -np.inf, 0.0)


def limit_thresholds(builder: ModelBuilder, context: FormulationContext, columns: ModelColumns) -> None:
    """Limit the threshold, seen from the centre of the rows, to values rows can have."""
    bounds = context.hyperplanes
    builder.rows([(columns.b[:, None], 1.0), (columns.a, -bounds.centre)], bounds.low, bounds.high)
