"""Top-down construction: splits by information gain, flows merged layer by layer."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.kernels.local_search.flow_entropy import flow_totals, scan_feature
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.construct.diagram_builder import Draft

FlowArray = NDArray[np.int32]


@dataclass(frozen=True)
class SortedColumns:
    """The problem's features as columns, each sorted when it is first asked for."""

    problem: TrainingProblem
    columns: FloatArray
    orders: dict[int, NDArray[np.int32]] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: TrainingProblem) -> SortedColumns:
        """Lay the features out one after the other."""
        return cls(problem, np.ascontiguousarray(problem.data.X.T))

    def order(self, feature: int) -> NDArray[np.int32]:
        """Return the rows by increasing value of the feature, shape (m,)."""
        # two threads may sort the same feature at the same time; either result is kept
        if feature not in self.orders:
            self.orders[feature] = np.argsort(self.columns[feature], kind="stable").astype(np.int32)
        return self.orders[feature]


@dataclass(frozen=True)
class Cuts:
    """The best cut of each flow.

    Attributes
    ----------
    feature : (n_flows,) int32
        -1 where the flow cannot be cut.
    threshold, gain : (n_flows,) float
        Middle of the gap; weight times the entropy it removes, -inf without a cut.
    """

    feature: NDArray[np.int32]
    threshold: FloatArray
    gain: FloatArray


def construct(
    table: SortedColumns, share: float, random: np.random.Generator, is_over: Callable[[], bool]
) -> Draft:
    """Construct one diagram, layer by layer.

    Parameters
    ----------
    table : SortedColumns
        The problem.
    share : float
        Share of the features each node may choose from, drawn anew for every node.
    random : Generator
    is_over : callable
        Asked between features; once it is true no further split is looked for.
    """
    problem = table.problem
    draft = Draft(problem, problem.cost.sum(axis=0))
    flows = _impure(Flows.source(problem))
    for layer, width in enumerate(problem.skeleton.widths):
        if not problem.skeleton.tree_only:
            flows = merged(flows, width)
        cuts = best_cuts(table, flows, _drawn_features(len(flows), table, share, random), is_over)
        nodes = _most_gaining(cuts, width)
        if not nodes:
            break
        flows = _impure(_split(draft, layer, table, flows, cuts, nodes))
    return draft


def best_cuts(table: SortedColumns, flows: Flows, allowed: BoolArray, is_over: Callable[[], bool]) -> Cuts:
    """Return the cut of most information gain of each flow, over its allowed features (n_flows, d)."""
    shape = flows.weight.shape
    mass, chosen = np.full(shape[0], np.inf), np.full(shape[0], -1, dtype=np.int32)
    gap, sides, sums = np.zeros((shape[0], 2)), np.empty((shape[0], 2, shape[1])), np.empty((shape[0], 5))
    weight, smallest_gap = table.problem.data.class_weight, _smallest_gap(table.problem.margin)
    for feature in np.flatnonzero(allowed.any(axis=0)).tolist():
        if is_over():
            break
        wanted = allowed[:, feature].astype(np.uint8)
        rows = (table.columns[feature], table.order(feature), flows.of_row, wanted, weight, flows.weight)
        scan_feature(feature, *rows, smallest_gap, sides, sums, mass, chosen, gap)
    return Cuts(chosen, _middle(gap), entropy_mass(flows.weight) - mass)


def _smallest_gap(margin: float) -> float:
    """Return the least distance of two values with a cut between them; equal values have none."""
    return max(margin - MARGIN_TOLERANCE, sys.float_info.min)


def _middle(gap: FloatArray) -> FloatArray:
    low, high = gap[:, 0], gap[:, 1]
    middle = low / 2 + high / 2
    return np.where((low < middle) & (middle <= high), middle, high)


def _drawn_features(
    n_flows: int, table: SortedColumns, share: float, random: np.random.Generator
) -> BoolArray:
    """Draw a share of the features for each flow, shape (n_flows, n_features)."""
    n_features = table.columns.shape[0]
    count = math.ceil(share * n_features)
    rank = random.random((n_flows, n_features)).argsort(axis=1).argsort(axis=1)
    return np.asarray(rank < count)


def _most_gaining(cuts: Cuts, width: int) -> list[int]:
    """Return the flows that become nodes: those with a cut, the most gaining if there are too many."""
    by_gain = np.argsort(-cuts.gain, kind="stable")[:width]
    return sorted(int(flow) for flow in by_gain if cuts.feature[flow] >= 0)


def _split(
    draft: Draft, layer: int, table: SortedColumns, flows: Flows, cuts: Cuts, nodes: list[int]
) -> Flows:
    """Turn flows into nodes of the draft and return the two flows that leave each of them."""
    problem = table.problem
    kept = flows.select(nodes)
    of_row = _sides(table, kept.of_row, cuts.feature[nodes], cuts.threshold[nodes])
    cost = totals(of_row, problem.cost, 2 * len(nodes))
    weight = totals(of_row, problem.data.class_weight, 2 * len(nodes))
    arcs: list[tuple[int, ...]] = []
    for place, flow in enumerate(nodes):
        split = as_split(problem, int(cuts.feature[flow]), float(cuts.threshold[flow]))
        node = draft.add(layer, split, flows.arcs[flow], [cost[2 * place], cost[2 * place + 1]])
        arcs += [(2 * node,), (2 * node + 1,)]
    return Flows(of_row, weight, tuple(arcs))


def _sides(
    table: SortedColumns, of_row: FlowArray, feature: NDArray[np.int32], threshold: FloatArray
) -> FlowArray:
    """Return ``2 * flow + side`` of each row, -1 for settled rows."""
    rows = np.flatnonzero(of_row >= 0)
    flow = of_row[rows]
    side = table.columns[feature[flow], rows] >= threshold[flow]
    parted = np.full_like(of_row, -1)
    parted[rows] = 2 * flow + side
    return parted


def _impure(flows: Flows) -> Flows:
    """Return the flows of more than one class; the others are at their terminals already."""
    return flows.select(np.flatnonzero((flows.weight > 0).sum(axis=1) > 1).tolist())


def as_split(problem: TrainingProblem, feature: int, threshold: float) -> Split:
    """Return a univariate test as a split of the problem's kind: a unit vector is a hyperplane too."""
    split = UnivariateSplit(feature, threshold)
    if problem.split == "univariate":
        return split
    return MultivariateSplit(split.dense_weights(problem.data.n_features), threshold)


@dataclass(frozen=True)
class Flows:
    """What leaves a layer and is not settled yet.

    Attributes
    ----------
    of_row : (m,) int32
        Flow of each distinct row, -1 for rows that have reached a terminal.
    weight : (n_flows, n_classes) float
        Class weights of each flow.
    arcs : tuple of tuple of int
        Arcs ``2 * node + side`` each flow consists of; the first flow of all has none.
    """

    of_row: FlowArray
    weight: FloatArray
    arcs: tuple[tuple[int, ...], ...]

    @classmethod
    def source(cls, problem: TrainingProblem) -> Flows:
        """Return the one flow that enters the root."""
        of_row = np.zeros(problem.data.n_rows, dtype=np.int32)
        return cls(of_row, problem.data.class_weight.sum(axis=0)[None], ((),))

    def __len__(self) -> int:
        return len(self.arcs)

    def select(self, places: list[int]) -> Flows:
        """Return these flows only, in this order; the rows of all others are settled."""
        place_of = np.full(len(self) + 1, -1, dtype=np.int32)  # the last line serves settled rows
        place_of[places] = np.arange(len(places))
        return Flows(place_of[self.of_row], self.weight[places], tuple(self.arcs[p] for p in places))


def totals(of_row: FlowArray, table: FloatArray, n_flows: int) -> FloatArray:
    """Return the sums of the rows of a table (m, n_classes) in each flow."""
    total = np.zeros((n_flows, table.shape[1]))
    flow_totals(of_row, table, total)
    return total


def entropy_mass(weight: FloatArray) -> FloatArray:
    """Return total weight times class entropy, in bits, along the last axis."""
    return np.asarray(_xlog(weight.sum(axis=-1)) - _xlog(weight).sum(axis=-1))


def merged(flows: Flows, width: int) -> Flows:
    """Merge the pair of flows that loses least information while there are more than ``width``.

    Both arcs of a node never end in one flow, as a node has two different targets; when no other pair is
    left, more than ``width`` flows are returned.
    """
    while len(flows) > width:
        loss = merging_losses(flows)
        first, second = divmod(int(loss.argmin()), len(flows))
        if np.isinf(loss[first, second]):
            break
        flows = _joined(flows, first, second)
    return flows


def merging_losses(flows: Flows) -> FloatArray:
    """Return the information lost by merging each pair, inf below the diagonal and for forbidden pairs."""
    mass = entropy_mass(flows.weight)
    loss = entropy_mass(flows.weight[:, None] + flows.weight[None]) - mass[:, None] - mass
    forbidden = [[_share_a_node(one, other) for other in flows.arcs] for one in flows.arcs]
    loss[np.array(forbidden) | np.tri(len(flows), dtype=bool)] = np.inf
    return loss


def _share_a_node(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return not {arc // 2 for arc in one}.isdisjoint(arc // 2 for arc in other)


def _joined(flows: Flows, first: int, second: int) -> Flows:
    """Return the flows with the second of two, which comes later, merged into the first."""
    place_of = np.arange(len(flows) + 1, dtype=np.int32)
    place_of[second + 1 :] -= 1
    place_of[second] = first
    place_of[-1] = -1  # settled rows
    weight = flows.weight.copy()
    weight[first] += weight[second]
    arcs = list(flows.arcs)
    arcs[first] += arcs.pop(second)
    return Flows(place_of[flows.of_row], np.delete(weight, second, axis=0), tuple(arcs))


def _xlog(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))
