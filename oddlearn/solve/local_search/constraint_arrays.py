"""Constraint rows as arrays of the kernel, minimum flows among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.training_problem import TrainingProblem

# initial weight of a hard row: a violation by its mean coefficient costs this many samples
FIRST_WEIGHT = 2.0


@dataclass(frozen=True, eq=False)
class ConstraintArrays:
    """The constraint rows of a problem, by observables.

    Every row is checked, and weighted while it is violated. Two kinds are also satisfied by every move:
    limits on the number of nodes, and minimum flows, for which nodes are removed.
    """

    start: NDArray[np.int32]  # the nonzeros of each observable: compressed columns
    row: NDArray[np.int32]
    coefficient: FloatArray
    lower: FloatArray  # (n_rows,): limits
    upper: FloatArray  # (n_rows,)
    weight: FloatArray  # (n_rows,): cost of a unit of violation, for hard rows at the start of the search
    hard: NDArray[np.uint8]  # (n_rows,)
    class_rows: NDArray[np.int32]  # (n_class_rows,): the rows on classes
    counts_only: bool  # True if all rows are limits on the number of nodes
    by_path: bool  # True if a row contains observables of nodes reached or sides taken
    keeps_idle: bool  # True if a row may need a node that decides nothing
    cap: FloatArray  # limits on the number of nodes: ``sum over active nodes of cap[k, layer] <= room[k]``
    room: FloatArray
    flow_weight: FloatArray  # (m,)
    least_flow: FloatArray  # (n_layers,): minimum flow of a node, 0 where there is none
    least_side: FloatArray  # (n_layers,): minimum flow of each of its sides

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> ConstraintArrays | None:
        """Return the arrays of a problem; None if it has no constraint rows."""
        rows, layout = problem.rows, problem.layout
        if len(rows) == 0:
            return None
        columns = rows.matrix.tocsc()
        first_reached, first_used = layout.n_rows * layout.n_classes, int(layout.used[0])
        columns_of = [rows.columns_of(number) for number in range(len(rows))]
        class_rows = [number for number, ids in enumerate(columns_of) if (ids < first_reached).any()]
        node_limits = NodeLimits.from_problem(problem)
        flows = MinFlowRows.from_problem(problem)
        only_classes = {number for number in class_rows if (columns_of[number] < first_reached).all()}
        recognised = only_classes | set(node_limits.numbers) | set(flows.numbers)
        return cls(
            start=columns.indptr.astype(np.int32),
            row=columns.indices.astype(np.int32),
            coefficient=np.ascontiguousarray(columns.data),
            lower=rows.lower,
            upper=rows.upper,
            weight=_first_weights(problem),
            hard=(~rows.is_soft).astype(np.uint8),
            class_rows=np.array(class_rows, dtype=np.int32),
            counts_only=len(node_limits.numbers) == len(rows),
            by_path=any(((ids >= first_reached) & (ids < first_used)).any() for ids in columns_of),
            keeps_idle=len(recognised) < len(rows),
            cap=node_limits.coefficients,
            room=node_limits.limits,
            flow_weight=flows.weight,
            least_flow=flows.min_flow,
            least_side=flows.min_side_flow,
        )


def _first_weights(problem: TrainingProblem) -> FloatArray:
    """Return the initial weight of each row, in units of sample weight: its penalty, or a guess if hard."""
    rows = problem.rows
    sizes = np.abs(rows.matrix).sum(axis=1) / np.maximum(1, np.diff(rows.matrix.indptr))
    spread = float(np.ptp(problem.cost, axis=1).mean()) or 1.0
    guess = FIRST_WEIGHT * spread / np.where(sizes > 0, sizes, 1.0)
    return np.asarray(np.where(rows.is_soft, rows.penalty * problem.total_weight, guess))


@dataclass(frozen=True, eq=False)
class MinFlowRows:
    """The rows that require a minimum flow through every node, or on both of its sides."""

    numbers: Sequence[int]  # their numbers among the rows of the problem
    weight: FloatArray  # (m,): weight of each sample in the flows; 1 if there are no such rows
    min_flow: FloatArray  # (n_layers,): minimum flow of a node of the layer, 0 where there is none
    min_side_flow: FloatArray  # (n_layers,): minimum flow of each of its sides

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> MinFlowRows:
        """Return the minimum flows that all slots of a layer share; other rows are not of this kind."""
        rows = problem.rows
        candidates = np.flatnonzero(~rows.is_soft & (rows.lower == 0) & np.isinf(rows.upper))
        found = [flow for flow in (_parse_row(problem, int(number)) for number in candidates) if flow]
        weight = found[0].weight if found else np.ones(problem.data.n_rows)
        flows = [flow for flow in found if (flow.weight == weight).all()]
        node, *sides = (
            _min_by_layer(problem, [flow for flow in flows if flow.kind == kind])
            for kind in ("node", "negative", "positive")
        )
        side, layer_of = np.minimum(*sides), problem.skeleton.layer_of
        # the rows that the minimum of the layer implies
        numbers = [
            flow.number
            for flow in flows
            if (node if flow.kind == "node" else side)[layer_of[flow.slot]] >= flow.minimum
        ]
        return cls(numbers, np.ascontiguousarray(weight), node, side)


@dataclass(frozen=True, eq=False)
class _MinFlowRow:
    """One row ``sum_i weight[i] * passes[i] >= minimum * switch``."""

    number: int
    kind: str
    slot: int
    minimum: float
    weight: FloatArray


def _parse_row(problem: TrainingProblem, number: int) -> _MinFlowRow | None:
    """Return the minimum flow that a row requires of one slot, None if it is another kind of row."""
    layout = problem.layout
    columns, values = problem.rows.columns_of(number), problem.rows.coefficients(number)
    is_sample = columns < layout.used[0]
    first = layout.n_rows * layout.n_classes
    slots = np.unique((columns[is_sample] - first) % layout.n_slots)
    if (columns < first).any() or slots.size != 1 or is_sample.sum() + 1 != columns.size:
        return None
    passes = np.zeros((2, layout.n_rows))
    passes.ravel()[(columns[is_sample] - first) // layout.n_slots] = values[is_sample]
    minimum, switch = -float(values[~is_sample][0]), int(columns[~is_sample][0])
    kind = _flow_kind(*passes)
    if kind is None or minimum <= 0 or not _is_switch(problem, int(slots[0]), switch):
        return None
    return _MinFlowRow(number, kind, int(slots[0]), minimum, np.abs(passes).max(axis=0))


def _flow_kind(reached: FloatArray, positive: FloatArray) -> str | None:
    """Return "node", "positive" or "negative", the flow that the coefficients of all samples add up to."""
    if (reached > 0).all() and not positive.any():
        return "node"
    if (positive > 0).all() and not reached.any():
        return "positive"
    if (reached > 0).all() and (positive == -reached).all():
        return "negative"
    return None


def _is_switch(problem: TrainingProblem, slot: int, switch: int) -> bool:
    """Return True if the observable is 1 exactly when the slot needs a flow.

    The root is always active; its sides need one when rows leave it on both, or a node below is active.
    """
    layout = problem.layout
    if slot > 0:
        return switch == int(layout.used[slot])
    below = layout.used[problem.skeleton.layer_of == 1]
    return switch == layout.root_splits or bool((below == switch).any())


def _min_by_layer(problem: TrainingProblem, flows: list[_MinFlowRow]) -> FloatArray:
    """Return the minimum flow that all slots of each layer have, 0 where they differ."""
    minimum = np.zeros(problem.skeleton.n_nodes)
    for flow in flows:
        minimum[flow.slot] = max(minimum[flow.slot], flow.minimum)
    layers = np.split(minimum, problem.skeleton.first[1:-1])
    return np.array([slots[0] if (slots == slots[0]).all() else 0.0 for slots in layers])
