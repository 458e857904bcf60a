"""From the literals of a solution to a diagram."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oddlearn.cpsat.flows import Flows
from oddlearn.cpsat.graph import NEGATIVE, POSITIVE
from oddlearn.cpsat.splits import Literal
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit

Holds = Callable[[Literal], bool]


def decode(flows: Flows, holds: Holds) -> DecisionDiagram:
    """Return the diagram of a solution, given which literals hold in it; a useless root is left out."""
    frame = flows.frame
    data, n_slots = frame.problem.data, frame.skeleton.n_nodes
    positive = _target(flows, 0, POSITIVE, holds)
    if positive >= n_slots and (holds(flows.passes[0]) or data.n_classes == 1):
        return DecisionDiagram.constant(positive - n_slots, data.n_classes, data.n_features)
    kept = [slot for slot in range(n_slots) if holds(flows.graph.used[slot])]
    ids = np.full(n_slots + data.n_classes, -1, dtype=np.intp)
    ids[kept] = np.arange(len(kept))
    ids[n_slots:] = len(kept) + np.arange(data.n_classes)
    negatives, positives = (
        ids[[_target(flows, slot, side, holds) for slot in kept]] for side in (NEGATIVE, POSITIVE)
    )
    splits = tuple(_split(flows, slot, holds) for slot in kept)
    layer = frame.skeleton.layer_of[kept]
    return DecisionDiagram(splits, negatives, positives, layer, data.n_classes, data.n_features)


def _target(flows: Flows, slot: int, side: int, holds: Holds) -> int:
    return next(target for target, literal in flows.graph.arcs[slot, side].items() if holds(literal))


def _split(flows: Flows, slot: int, holds: Holds) -> UnivariateSplit:
    if holds(flows.passes[slot]):
        return UnivariateSplit(0, float(flows.frame.problem.data.X[:, 0].min()) - 1.0)
    split = next(split for split in flows.splits[slot] if holds(split.chosen))
    first = next(place for place, literal in enumerate(split.below) if not holds(literal))
    return UnivariateSplit(split.feature.index, float(split.feature.values[first]))
