"""Constraint rows as the arrays the search kernels read, and which of them the moves keep by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.node_limits import NodeLimits
from oddlearn.problem.problem import TrainingProblem
from oddlearn.search.flow_rules import FlowRules

# a hard row's weight at the start: breaking it by one typical coefficient costs this many samples
FIRST_WEIGHT = 2.0


@dataclass(frozen=True, eq=False)
class Rules:
    """The rows of a problem, by observables.

    Every row is checked, and weighed while it is broken. Two kinds are also kept by the moves: limits on
    numbers of nodes, which leave no room to grow, and least flows, below which nodes are removed.

    Attributes
    ----------
    start, row, coefficient
        The nonzeros of each observable: compressed columns.
    lower, upper, weight : (n_rows,) float
        Limits; what the search pays for each unit outside them, of hard rows at its start.
    hard : (n_rows,) uint8
    class_rows : (n_class_rows,) int32
        The rows on classes.
    counts_only, by_path, keeps_idle : bool
        Whether all rows are limits on numbers of nodes; whether a row is on nodes passed; whether a row might
        need a node that decides nothing.
    cap, room
        Limits on numbers of nodes: ``sum over active nodes of cap[k, layer] <= room[k]``.
    flow_weight : (m,) float
    least_flow, least_side : (n_layers,) float
        The least flow of a node and of each of its sides; 0 where there is none.
    """

    start: NDArray[np.int32]
    row: NDArray[np.int32]
    coefficient: FloatArray
    lower: FloatArray
    upper: FloatArray
    weight: FloatArray
    hard: NDArray[np.uint8]
    class_rows: NDArray[np.int32]
    counts_only: bool
    by_path: bool
    keeps_idle: bool
    cap: FloatArray
    room: FloatArray
    flow_weight: FloatArray
    least_flow: FloatArray
    least_side: FloatArray

    @classmethod
    def of(cls, problem: TrainingProblem) -> Rules | None:
        """Lay out the rows of a problem; None when it has none."""
        rows, layout = problem.rows, problem.layout
        if len(rows) == 0:
            return None
        columns = rows.matrix.tocsc()
        first_reached, first_used = layout.n_rows * layout.n_classes, int(layout.used[0])
        on = [rows.places(number) for number in range(len(rows))]
        class_rows = [number for number, places in enumerate(on) if (places < first_reached).any()]
        caps = NodeLimits.of(problem)
        flows = FlowRules.of(problem)
        only_classes = {number for number in class_rows if (on[number] < first_reached).all()}
        plain = only_classes | set(caps.numbers) | set(flows.numbers)
        return cls(
            columns.indptr.astype(np.int32),
            columns.indices.astype(np.int32),
            np.ascontiguousarray(columns.data),
            rows.lower,
            rows.upper,
            _first_weights(problem),
            (~rows.is_soft).astype(np.uint8),
            np.array(class_rows, dtype=np.int32),
            len(caps.numbers) == len(rows),
            any(((places >= first_reached) & (places < first_used)).any() for places in on),
            len(plain) < len(rows),
            caps.cap,
            caps.room,
            flows.weight,
            flows.least_flow,
            flows.least_side,
        )


def _first_weights(problem: TrainingProblem) -> FloatArray:
    """Return the weight of each row, in units of sample weight: a price, or a guess for hard rows."""
    rows = problem.rows
    sizes = np.abs(rows.matrix).sum(axis=1) / np.maximum(1, np.diff(rows.matrix.indptr))
    spread = float(np.ptp(problem.cost, axis=1).mean()) or 1.0
    guess = FIRST_WEIGHT * spread / np.where(sizes > 0, sizes, 1.0)
    return np.asarray(np.where(rows.is_soft, rows.price * problem.total_weight, guess))
