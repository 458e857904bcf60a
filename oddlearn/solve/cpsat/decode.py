"""From the literals of a solution to a diagram."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.slot_diagram import connect_slots
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.solve.cpsat.diagram_literals import POSITIVE, SIDES, Literal
from oddlearn.solve.cpsat.flow_literals import FlowLiterals

IsTrue = Callable[[Literal], bool]


def decode(flows: FlowLiterals, is_true: IsTrue) -> DecisionDiagram:
    """Return the diagram of a solution, given which literals hold in it; a useless root is left out."""
    context = flows.context
    data, n_slots = context.problem.data, context.skeleton.n_nodes
    positive = _target(flows, 0, POSITIVE, is_true)
    if positive >= n_slots and (is_true(flows.passes[0]) or data.n_classes == 1):
        return DecisionDiagram.constant(positive - n_slots, data.n_classes, data.n_features)
    slots = [slot for slot in range(n_slots) if is_true(flows.graph.used[slot])]
    targets = [[_target(flows, slot, side, is_true) for side in SIDES] for slot in slots]
    splits = tuple(_split(flows, slot, is_true) for slot in slots)
    places = (np.array(slots), np.array(targets), context.skeleton)
    return connect_slots(splits, *places, data.n_classes, data.n_features)


def _target(flows: FlowLiterals, slot: int, side: int, is_true: IsTrue) -> int:
    return next(target for target, literal in flows.graph.arcs[slot, side].items() if is_true(literal))


def _split(flows: FlowLiterals, slot: int, is_true: IsTrue) -> UnivariateSplit:
    if is_true(flows.passes[slot]):
        return UnivariateSplit(0, float(flows.context.problem.data.X[:, 0].min()) - 1.0)
    split = next(split for split in flows.splits[slot] if is_true(split.chosen))
    first = next(rank for rank, literal in enumerate(split.below) if not is_true(literal))
    return UnivariateSplit(split.feature.index, float(split.feature.values[first]))
