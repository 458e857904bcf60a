"""A diagram by the slots of its skeleton, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.kernels.local_search.search_table import EVERYTHING_POSITIVE, HYPERPLANE

if TYPE_CHECKING:
    from oddlearn.problem.training_problem import TrainingProblem

# a threshold below the unit box: every sample lies on the positive side
BELOW_THE_BOX = -1.0


@dataclass(frozen=True)
class Slots:
    """One diagram, a row per slot of the skeleton; what inactive slots hold means nothing.

    Attributes
    ----------
    child : (n_slots, 2) int
        Negative and positive target; ``n_slots + c`` is the terminal of class c.
    feature : (n_slots,) int
    threshold : (n_slots,) float
    weights : (n_slots, n_features) float
        Of hyperplanes, zero elsewhere.
    active : (n_slots,) bool
    """

    child: IntArray
    feature: IntArray
    threshold: FloatArray
    weights: FloatArray
    active: BoolArray


def slots_from(problem: TrainingProblem, diagram: DecisionDiagram) -> Slots:
    """Place a diagram in the skeleton's slots."""
    n_slots, n_features = problem.skeleton.n_nodes, problem.data.n_features
    child = np.full((n_slots, 2), n_slots, dtype=np.intp)
    feature = np.full(n_slots, EVERYTHING_POSITIVE, dtype=np.intp)
    threshold, weights = np.zeros(n_slots), np.zeros((n_slots, n_features))
    active = np.zeros(n_slots, dtype=bool)
    active[0] = True
    if diagram.n_nodes == 0:
        child[0] = n_slots + int(diagram.constant_class or 0)
        return Slots(child, feature, threshold, weights, active)
    slots = slots_of(diagram, problem.skeleton)
    ids = np.concatenate([slots, n_slots + np.arange(diagram.n_classes)])
    child[slots, 0], child[slots, 1] = ids[diagram.negative], ids[diagram.positive]
    active[slots] = True
    for slot, split in zip(slots, diagram.splits, strict=True):
        feature[slot] = split.feature if isinstance(split, UnivariateSplit) else HYPERPLANE
        # a split without weights sends all one way and has no norm to speak of
        norm = split.norm or 1.0
        weights[slot] = split.dense_weights(n_features) / norm
        threshold[slot] = split.threshold / norm
    return Slots(child, feature, threshold, weights, active)


def diagram_from(problem: TrainingProblem, slots: Slots) -> DecisionDiagram:
    """Read the diagram in the slots, without the root where it decides nothing."""
    n_slots, n_classes = problem.skeleton.n_nodes, problem.data.n_classes
    root = slots.child[0]
    decides_nothing = slots.feature[0] == EVERYTHING_POSITIVE or root[0] == root[1]
    # a constraint may want nodes that nobody reaches
    is_alone = len(problem.rows) == 0 or slots.active.sum() == 1
    if decides_nothing and is_alone and root[1] >= n_slots:
        return DecisionDiagram.constant(int(root[1] - n_slots), n_classes, problem.data.n_features)
    kept = np.flatnonzero(slots.active)
    ids = np.full(n_slots + n_classes, -1, dtype=np.intp)
    ids[kept] = np.arange(kept.size)
    ids[n_slots:] = kept.size + np.arange(n_classes)
    splits, children = zip(*(_split_at(problem, slots, int(slot)) for slot in kept), strict=True)
    arcs = ids[np.array(children)]
    layer = problem.skeleton.layer_of[kept]
    return DecisionDiagram(splits, arcs[:, 0], arcs[:, 1], layer, n_classes, problem.data.n_features)


def _split_at(problem: TrainingProblem, slots: Slots, slot: int) -> tuple[Split, tuple[int, int]]:
    negative, positive = (int(target) for target in slots.child[slot])
    feature, threshold = int(slots.feature[slot]), float(slots.threshold[slot])
    if negative == positive or feature == EVERYTHING_POSITIVE:
        # a node that only passes its samples on
        feature, threshold = 0, BELOW_THE_BOX
    if negative == positive:
        # another target for the side that nobody takes
        negative = _other_terminal(problem, positive)
    if problem.split == "univariate":
        return UnivariateSplit(feature, threshold), (negative, positive)
    weights = slots.weights[slot] if feature == HYPERPLANE else np.eye(problem.data.n_features)[feature]
    return MultivariateSplit(weights, threshold), (negative, positive)


def _other_terminal(problem: TrainingProblem, target: int) -> int:
    first = problem.skeleton.n_nodes
    return first if target != first else first + 1


def slots_of(diagram: DecisionDiagram, skeleton: Skeleton) -> IntArray:
    """Return the skeleton slot of each node: layer by layer, in order, shape (n_nodes,)."""
    if diagram.depth > skeleton.depth:
        raise DiagramMisfitError(f"The diagram has {diagram.depth} layers, the skeleton {skeleton} fewer.")
    in_layer = np.bincount(diagram.layer, minlength=skeleton.depth)
    if (in_layer > np.array(skeleton.widths)).any():
        raise DiagramMisfitError(f"Layers of {in_layer.tolist()} nodes do not fit skeleton {skeleton}.")
    first_in_layer = np.cumsum(in_layer) - in_layer
    rank = np.arange(diagram.n_nodes) - first_in_layer[diagram.layer]
    return np.asarray(skeleton.first[diagram.layer] + rank)
