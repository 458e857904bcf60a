"""Constraint rows as arrays of the kernel, minimum flows among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.training_problem import TrainingProblem

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


@dataclass(frozen=True, eq=False)
class FlowRules:
    """The rows that ask for a least flow through every node, or on both of its sides.

    Attributes
    ----------
    numbers : sequence of int
        Which rows of the problem they are.
    weight : (m,) float
        What each sample counts; 1 when there are no such rows.
    least_flow, least_side : (n_layers,) float
        What a node of the layer, and each of its sides, must carry; 0 where nothing is asked.
    """

    numbers: Sequence[int]
    weight: FloatArray
    least_flow: FloatArray
    least_side: FloatArray

    @classmethod
    def of(cls, problem: TrainingProblem) -> FlowRules:
        """Return the least flows that all slots of a layer share; other rows are not of this kind."""
        found = [flow for flow in (_read(problem, number) for number in _candidates(problem)) if flow]
        weight = found[0].weight if found else np.ones(problem.data.n_rows)
        alike = [flow for flow in found if (flow.weight == weight).all()]
        least_flow = _by_layer(problem, [flow for flow in alike if flow.kind == "node"])
        sides = ("negative", "positive")
        least_side = np.minimum(*(_by_layer(problem, [f for f in alike if f.kind == side]) for side in sides))
        kept = [f.number for f in alike if _is_kept(problem, f, least_flow, least_side)]
        return cls(kept, np.ascontiguousarray(weight), least_flow, least_side)


@dataclass(frozen=True, eq=False)
class _Flow:
    """One row ``sum_i weight[i] * passes[i] >= least * switch``."""

    number: int
    kind: str
    slot: int
    least: float
    weight: FloatArray


def _candidates(problem: TrainingProblem) -> list[int]:
    rows = problem.rows
    wanted = ~rows.is_soft & (rows.lower == 0) & np.isinf(rows.upper)
    return [int(number) for number in np.flatnonzero(wanted)]


def _read(problem: TrainingProblem, number: int) -> _Flow | None:
    """Return what a row asks of the flow through one slot, None if it is another kind of row."""
    layout = problem.layout
    places, values = problem.rows.places(number), problem.rows.coefficients(number)
    is_sample = places < layout.used[0]
    first = layout.n_rows * layout.n_classes
    slots = np.unique((places[is_sample] - first) % layout.n_slots)
    if (places < first).any() or slots.size != 1 or is_sample.sum() + 1 != places.size:
        return None
    passes = np.zeros((2, layout.n_rows))
    passes.ravel()[(places[is_sample] - first) // layout.n_slots] = values[is_sample]
    least, switch = -float(values[~is_sample][0]), int(places[~is_sample][0])
    kind = _kind(*passes)
    if kind is None or least <= 0 or not _switches(problem, int(slots[0]), switch):
        return None
    return _Flow(number, kind, int(slots[0]), least, np.abs(passes).max(axis=0))


def _kind(reached: FloatArray, positive: FloatArray) -> str | None:
    """Return whose flow the coefficients of reached and positive add up to; every sample must count."""
    if (reached > 0).all() and not positive.any():
        return "node"
    if (positive > 0).all() and not reached.any():
        return "positive"
    if (reached > 0).all() and (positive == -reached).all():
        return "negative"
    return None


def _switches(problem: TrainingProblem, slot: int, switch: int) -> bool:
    """Return whether the observable says that the slot has a flow to ask for.

    The root is always in use; it has sides when samples part there, or when a node below is in use.
    """
    layout = problem.layout
    if slot > 0:
        return switch == int(layout.used[slot])
    below = layout.used[problem.skeleton.layer_of == 1]
    return switch == layout.parted or bool((below == switch).any())


def _by_layer(problem: TrainingProblem, flows: list[_Flow]) -> FloatArray:
    """Return the least flow that every slot of each layer has, 0 where the slots differ."""
    least = np.zeros(problem.skeleton.n_nodes)
    for flow in flows:
        least[flow.slot] = max(least[flow.slot], flow.least)
    layers = np.split(least, problem.skeleton.first[1:-1])
    return np.array([slots[0] if (slots == slots[0]).all() else 0.0 for slots in layers])


def _is_kept(problem: TrainingProblem, flow: _Flow, least_flow: FloatArray, least_side: FloatArray) -> bool:
    """Return whether a diagram that keeps the least flows keeps the row."""
    layer = problem.skeleton.layer_of[flow.slot]
    kept = least_flow if flow.kind == "node" else least_side
    return bool(kept[layer] >= flow.least)
