"""Conversion of a diagram to arrays by the slots of its skeleton, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, Split, SplitKind, UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.kernels.local_search.search_table import EVERYTHING_POSITIVE, HYPERPLANE

BELOW_THE_BOX = -1.0  # a threshold below the unit box: every sample lies on the positive side


@dataclass(frozen=True)
class Slots:
    """Arrays of one diagram, a row per slot of the skeleton; rows of inactive slots have no meaning."""

    child: IntArray  # (n_slots, 2): negative and positive target; ``n_slots + c`` is the terminal of class c
    feature: IntArray  # (n_slots,)
    threshold: FloatArray  # (n_slots,)
    weights: FloatArray  # (n_slots, n_features): of hyperplanes, zero elsewhere
    active: BoolArray  # (n_slots,)


def slots_from_diagram(diagram: DecisionDiagram, skeleton: Skeleton) -> Slots:
    """Return the arrays of a diagram in the slots of a skeleton."""
    n_slots, n_features = skeleton.n_nodes, diagram.n_features
    child = np.full((n_slots, 2), n_slots, dtype=np.intp)
    feature = np.full(n_slots, EVERYTHING_POSITIVE, dtype=np.intp)
    threshold, weights = np.zeros(n_slots), np.zeros((n_slots, n_features))
    active = np.zeros(n_slots, dtype=bool)
    active[0] = True
    if diagram.n_nodes == 0:
        child[0] = n_slots + int(diagram.constant_class or 0)
        return Slots(child, feature, threshold, weights, active)
    slots = assign_slots(diagram, skeleton)
    ids = np.concatenate([slots, n_slots + np.arange(diagram.n_classes)])
    child[slots, 0], child[slots, 1] = ids[diagram.negative], ids[diagram.positive]
    active[slots] = True
    for slot, split in zip(slots, diagram.splits, strict=True):
        feature[slot] = split.feature if isinstance(split, UnivariateSplit) else HYPERPLANE
        # a split without weights sends all rows to one side and has no norm
        norm = split.norm or 1.0
        weights[slot] = split.dense_weights(n_features) / norm
        threshold[slot] = split.threshold / norm
    return Slots(child, feature, threshold, weights, active)


def diagram_from_slots(
    slots: Slots, skeleton: Skeleton, n_classes: int, split: SplitKind, *, keep_idle_root: bool = False
) -> DecisionDiagram:
    """Return the diagram in the slots.

    A root that sends all rows to one class becomes the constant diagram. With ``keep_idle_root`` it does so
    only if no other node is active: a constraint may ask for nodes that no row reaches.
    """
    n_slots, n_features = skeleton.n_nodes, slots.weights.shape[1]
    root = slots.child[0]
    is_idle = slots.feature[0] == EVERYTHING_POSITIVE or root[0] == root[1]
    may_drop = not keep_idle_root or slots.active.sum() == 1
    if is_idle and may_drop and root[1] >= n_slots:
        return DecisionDiagram.constant(int(root[1] - n_slots), n_classes, n_features)
    active = np.flatnonzero(slots.active)
    splits, children = zip(*(_read_slot(slots, int(slot), split) for slot in active), strict=True)
    return connect_slots(splits, active, np.array(children), skeleton, n_classes, n_features)


def connect_slots(
    splits: tuple[Split, ...],
    slots: IntArray,
    targets: IntArray,
    skeleton: Skeleton,
    n_classes: int,
    n_features: int,
) -> DecisionDiagram:
    """Return the diagram of nodes in slots (k,), ascending, with targets (k, 2): slots and terminals."""
    ids = np.full(skeleton.n_nodes + n_classes, -1, dtype=np.intp)
    ids[slots] = np.arange(slots.size)
    ids[skeleton.n_nodes :] = slots.size + np.arange(n_classes)
    negative, positive = ids[targets].T
    return DecisionDiagram(splits, negative, positive, skeleton.layer_of[slots], n_classes, n_features)


def _unit_weights(n_features: int, feature: int) -> FloatArray:
    return np.asarray(np.eye(1, n_features, feature)[0])


def _read_slot(slots: Slots, slot: int, kind: SplitKind) -> tuple[Split, tuple[int, int]]:
    negative, positive = (int(target) for target in slots.child[slot])
    feature, threshold = int(slots.feature[slot]), float(slots.threshold[slot])
    if negative == positive or feature == EVERYTHING_POSITIVE:
        # a node that only passes its samples on
        feature, threshold = 0, BELOW_THE_BOX
    if negative == positive:
        # a terminal as the target of the side that no sample takes
        first = slots.active.size
        negative = first if positive != first else first + 1
    if kind == "univariate":
        return UnivariateSplit(feature, threshold), (negative, positive)
    weights = slots.weights[slot] if feature == HYPERPLANE else _unit_weights(slots.weights.shape[1], feature)
    return MultivariateSplit(weights, threshold), (negative, positive)


def assign_slots(diagram: DecisionDiagram, skeleton: Skeleton) -> IntArray:
    """Return the skeleton slot of each node: layer by layer, in order, shape (n_nodes,)."""
    if diagram.depth > skeleton.depth:
        raise DiagramMisfitError(f"The diagram has {diagram.depth} layers, the skeleton {skeleton} fewer.")
    in_layer = np.bincount(diagram.layer, minlength=skeleton.depth)
    if (in_layer > np.array(skeleton.widths)).any():
        raise DiagramMisfitError(f"Layers of {in_layer.tolist()} nodes do not fit skeleton {skeleton}.")
    first_in_layer = np.cumsum(in_layer) - in_layer
    rank = np.arange(diagram.n_nodes) - first_in_layer[diagram.layer]
    return np.asarray(skeleton.first[diagram.layer] + rank)
