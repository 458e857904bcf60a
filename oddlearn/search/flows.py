"""Sample flows between two layers, and the greedy merging of the paper's step 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.kernels.local_search.flow_entropy import flow_totals
from oddlearn.problem.problem import TrainingProblem

FlowArray = NDArray[np.int32]


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
