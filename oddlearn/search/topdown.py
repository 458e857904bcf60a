"""One top-down construction of the paper's step 1: split by information gain, merge, settle."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.kernels.local_search.flow_entropy import scan_feature
from oddlearn.problem.evaluate import MARGIN_TOLERANCE
from oddlearn.problem.problem import TrainingProblem
from oddlearn.search.draft import Draft
from oddlearn.search.flows import FlowArray, Flows, entropy_mass, merged, totals


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
