"""Top-down construction: splits by information gain, flows merged layer by layer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.kernels.local_search.flow_entropy import flow_totals, scan_feature
from oddlearn.problem.evaluate import solver_margin
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.construct.diagram_builder import DiagramBuilder

FlowArray = NDArray[np.int32]


@dataclass(frozen=True)
class FlowSplits:
    """The best split of each flow."""

    feature: NDArray[np.int32]  # (n_flows,): -1 where the flow cannot be split
    threshold: FloatArray  # (n_flows,): middle of the gap
    gain: FloatArray  # (n_flows,): weight times the entropy it removes, -inf without a split


def construct(
    problem: TrainingProblem, share: float, random: np.random.Generator, is_stopped: Callable[[], bool]
) -> DiagramBuilder:
    """Construct one diagram, layer by layer.

    ``share``: share of the features that each node may choose from, drawn anew for every node.
    ``is_stopped``: called between features; no further split is searched once it returns True.
    """
    builder = DiagramBuilder.empty(problem)
    flows = Flows.source(problem).drop_pure()
    for layer, width in enumerate(problem.skeleton.widths):
        if not problem.skeleton.tree_only:
            flows = merge_flows(flows, width)
        allowed = _draw_features(len(flows), problem, share, random)
        splits = find_best_splits(problem, flows, allowed, is_stopped)
        selected = _select_flows(splits, width)
        if not selected:
            break
        flows = _add_nodes(builder, layer, problem, flows, splits, selected).drop_pure()
    return builder


def find_best_splits(
    problem: TrainingProblem, flows: Flows, allowed: BoolArray, is_stopped: Callable[[], bool]
) -> FlowSplits:
    """Return the split of largest information gain of each flow, over its allowed features (n_flows, d)."""
    shape = flows.weight.shape
    mass, chosen = np.full(shape[0], np.inf), np.full(shape[0], -1, dtype=np.int32)
    gap, sides, sums = np.zeros((shape[0], 2)), np.empty((shape[0], 2, shape[1])), np.empty((shape[0], 5))
    weight, min_gap = problem.data.class_weight, solver_margin(problem)
    ranked = problem.data.ranked_columns
    for feature in np.flatnonzero(allowed.any(axis=0)).tolist():
        if is_stopped():
            break
        wanted = allowed[:, feature].astype(np.uint8)
        rows = (ranked.columns[feature], ranked.order(feature), flows.of_row, wanted, weight, flows.weight)
        scan_feature(feature, *rows, min_gap, sides, sums, mass, chosen, gap)
    return FlowSplits(chosen, _middle(gap), entropy_mass(flows.weight) - mass)


def _middle(gap: FloatArray) -> FloatArray:
    low, high = gap[:, 0], gap[:, 1]
    middle = low / 2 + high / 2
    return np.where((low < middle) & (middle <= high), middle, high)


def _draw_features(
    n_flows: int, problem: TrainingProblem, share: float, random: np.random.Generator
) -> BoolArray:
    """Draw a share of the features for each flow, shape (n_flows, n_features)."""
    n_features = problem.data.n_features
    count = math.ceil(share * n_features)
    rank = random.random((n_flows, n_features)).argsort(axis=1).argsort(axis=1)
    return np.asarray(rank < count)


def _select_flows(splits: FlowSplits, width: int) -> list[int]:
    """Return the flows that become nodes: up to ``width`` of those with a split, by largest gain."""
    by_gain = np.argsort(-splits.gain, kind="stable")[:width]
    return sorted(int(flow) for flow in by_gain if splits.feature[flow] >= 0)


def _add_nodes(
    builder: DiagramBuilder,
    layer: int,
    problem: TrainingProblem,
    flows: Flows,
    splits: FlowSplits,
    selected: list[int],
) -> Flows:
    """Add a node for each selected flow and return the two flows that leave each of them."""
    of_row = flows.select(selected).of_row
    arc_of_row = _route_rows(problem, of_row, splits.feature[selected], splits.threshold[selected])
    cost = sum_by_flow(arc_of_row, problem.cost, 2 * len(selected))
    weight = sum_by_flow(arc_of_row, problem.data.class_weight, 2 * len(selected))
    arcs: list[tuple[int, ...]] = []
    for place, flow in enumerate(selected):
        split = build_split(problem, int(splits.feature[flow]), float(splits.threshold[flow]))
        node = builder.add(layer, split, flows.arcs[flow], [cost[2 * place], cost[2 * place + 1]])
        arcs += [(2 * node,), (2 * node + 1,)]
    return Flows(arc_of_row, weight, tuple(arcs))


def _route_rows(
    problem: TrainingProblem, of_row: FlowArray, feature: NDArray[np.int32], threshold: FloatArray
) -> FlowArray:
    """Return ``2 * flow + side`` of each row, -1 for rows at a terminal."""
    rows = np.flatnonzero(of_row >= 0)
    flow = of_row[rows]
    side = problem.data.X[rows, feature[flow]] >= threshold[flow]
    arc_of_row = np.full_like(of_row, -1)
    arc_of_row[rows] = 2 * flow + side
    return arc_of_row


def build_split(problem: TrainingProblem, feature: int, threshold: float) -> Split:
    """Return a univariate test as a split of the problem's kind: a unit vector is a hyperplane too."""
    split = UnivariateSplit(feature, threshold)
    if problem.split == "univariate":
        return split
    return MultivariateSplit(split.dense_weights(problem.data.n_features), threshold)


@dataclass(frozen=True)
class Flows:
    """The flows that leave a layer and have not reached a terminal."""

    of_row: FlowArray  # (m,) int32: flow of each distinct row, -1 for rows that have reached a terminal
    weight: FloatArray  # (n_flows, n_classes): class weights of each flow
    arcs: tuple[tuple[int, ...], ...]  # ``2 * node + side`` of each flow; the first flow of all has none

    @classmethod
    def source(cls, problem: TrainingProblem) -> Flows:
        """Return the one flow that enters the root."""
        of_row = np.zeros(problem.data.n_rows, dtype=np.int32)
        return cls(of_row, problem.data.class_weight.sum(axis=0)[None], ((),))

    def __len__(self) -> int:
        return len(self.arcs)

    def select(self, places: list[int]) -> Flows:
        """Return these flows only, in this order; the rows of all others are at terminals."""
        place_of = np.full(len(self) + 1, -1, dtype=np.int32)  # the last entry is for rows at terminals
        place_of[places] = np.arange(len(places))
        return Flows(place_of[self.of_row], self.weight[places], tuple(self.arcs[p] for p in places))

    def drop_pure(self) -> Flows:
        """Return the flows of more than one class; the others are at their terminals already."""
        return self.select(np.flatnonzero((self.weight > 0).sum(axis=1) > 1).tolist())


def sum_by_flow(of_row: FlowArray, table: FloatArray, n_flows: int) -> FloatArray:
    """Return the sums of the rows of a table (m, n_classes) in each flow."""
    total = np.zeros((n_flows, table.shape[1]))
    flow_totals(of_row, table, total)
    return total


def entropy_mass(weight: FloatArray) -> FloatArray:
    """Return total weight times class entropy, in bits, along the last axis."""
    return np.asarray(_xlog(weight.sum(axis=-1)) - _xlog(weight).sum(axis=-1))


def merge_flows(flows: Flows, width: int) -> Flows:
    """Merge the two flows that lose least information, while there are more than ``width`` flows.

    The two arcs of a node are never merged, as they need different targets; if no other pair is left, more
    than ``width`` flows are returned.
    """
    while len(flows) > width:
        loss = merge_losses(flows)
        first, second = divmod(int(loss.argmin()), len(flows))
        if np.isinf(loss[first, second]):
            break
        flows = _merge_pair(flows, first, second)
    return flows


def merge_losses(flows: Flows) -> FloatArray:
    """Return the information lost by merging each pair, inf below the diagonal and for forbidden pairs."""
    mass = entropy_mass(flows.weight)
    loss = entropy_mass(flows.weight[:, None] + flows.weight[None]) - mass[:, None] - mass
    forbidden = [[_share_a_node(one, other) for other in flows.arcs] for one in flows.arcs]
    loss[np.array(forbidden) | np.tri(len(flows), dtype=bool)] = np.inf
    return loss


def _share_a_node(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return not {arc // 2 for arc in one}.isdisjoint(arc // 2 for arc in other)


def _merge_pair(flows: Flows, first: int, second: int) -> Flows:
    """Return the flows with the second of two, which comes later, merged into the first."""
    place_of = np.arange(len(flows) + 1, dtype=np.int32)
    place_of[second + 1 :] -= 1
    place_of[second] = first
    place_of[-1] = -1  # rows at terminals
    weight = flows.weight.copy()
    weight[first] += weight[second]
    arcs = list(flows.arcs)
    arcs[first] += arcs.pop(second)
    return Flows(place_of[flows.of_row], np.delete(weight, second, axis=0), tuple(arcs))


def _xlog(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))
