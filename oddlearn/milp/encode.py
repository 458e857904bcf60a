"""From a diagram to the point of the model that stands for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.diagram.trace import walk
from oddlearn.errors import DiagramMisfitError
from oddlearn.milp.equations.constraints import row_scales
from oddlearn.milp.formulate import Formulation
from oddlearn.milp.setting import Room, Setting
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.observables import slots_of


@dataclass(frozen=True)
class _Node:
    """A node placed in a slot: its heads, the split with its sign, and what passes it on which side."""

    slot: int
    negative: int
    positive: int
    split: Split | None
    sign: float
    at: BoolArray
    side: BoolArray


def encode(formulation: Formulation, diagram: DecisionDiagram) -> FloatArray:
    """Return the point of a diagram in unit coordinates, shape (n_columns,).

    Nodes are put in the order and arcs on the sides that the symmetry breaking rows demand.

    Raises
    ------
    DiagramMisfitError
        When the diagram is no solution of the problem or has another number of nodes than the model.
    """
    setting = formulation.setting
    evaluate(setting.problem, diagram)
    if setting.n_nodes not in (None, max(1, diagram.n_nodes)):
        raise DiagramMisfitError(f"The model has {setting.n_nodes} nodes, the diagram {diagram.n_nodes}.")
    x = np.zeros(formulation.model.n_columns)
    # slots that are not in use have a feature, too
    x[formulation.columns.e[:, :1]] = 1.0
    for node in _placed(setting, diagram):
        if setting.variant.order_arcs and node.negative > node.positive:
            node = _turned(node)
        _write_arcs(formulation, x, node)
        _write_flows(formulation, x, node)
        _write_split(formulation, x, node)
    _write_constraints(formulation, x)
    return x


def _placed(setting: Setting, diagram: DecisionDiagram) -> list[_Node]:
    if diagram.n_nodes == 0:
        return [_constant_root(setting, int(diagram.constant_class or 0))]
    ordered = diagram.canonical() if setting.alike else diagram
    slots = slots_of(ordered, setting.shape)
    heads = np.concatenate([slots, setting.shape.n_nodes + np.arange(diagram.n_classes)])
    steps = walk(ordered, setting.problem.data.X)
    return [
        _Node(
            slot=int(slots[node]),
            negative=int(heads[ordered.negative[node]]),
            positive=int(heads[ordered.positive[node]]),
            split=split,
            sign=1.0,
            at=steps.reached[:, node],
            side=steps.sides[:, node],
        )
        for node, split in enumerate(ordered.splits)
    ]


def _constant_root(setting: Setting, code: int) -> _Node:
    """Return a root that sends every row to its positive side."""
    everything = np.ones(setting.n_rows, dtype=bool)
    first = setting.shape.n_nodes
    other = first if code != 0 else first + 1
    return _Node(0, other, first + code, None, 1.0, everything, everything)


def _turned(node: _Node) -> _Node:
    """Return the node with its sides exchanged, which turns its hyperplane round."""
    return _Node(node.slot, node.positive, node.negative, node.split, -node.sign, node.at, ~node.side)


def _write_arcs(formulation: Formulation, x: FloatArray, node: _Node) -> None:
    columns, arcs = formulation.columns, formulation.setting.arcs
    x[columns.d[node.slot]] = 1.0
    x[columns.y_negative[arcs.between(node.slot, node.negative)]] = 1.0
    x[columns.y_positive[arcs.between(node.slot, node.positive)]] = 1.0


def _write_flows(formulation: Formulation, x: FloatArray, node: _Node) -> None:
    columns, setting = formulation.columns, formulation.setting
    layer = setting.shape.layer_of[node.slot]
    positive, negative = node.at & node.side, node.at & ~node.side
    x[columns.lambda_[positive, layer]] = 1.0
    sides = (
        (negative, columns.w_negative, columns.z_negative, node.negative),
        (positive, columns.w_positive, columns.z_positive, node.positive),
    )
    for rows, passage, flow, head in sides:
        x[passage[rows, node.slot]] = 1.0
        if setting.variant.flows:
            x[flow[rows, setting.arcs.between(node.slot, head)]] = 1.0
        if head >= setting.arcs.n_slots:
            x[columns.w_class[rows, head - setting.arcs.n_slots]] = 1.0


def _write_split(formulation: Formulation, x: FloatArray, node: _Node) -> None:
    columns, setting = formulation.columns, formulation.setting
    weights = _weights(setting, node)
    scale, offset = _fitted(setting, weights, node)
    weights = scale * weights
    x[columns.a[node.slot]] = weights
    x[columns.b[node.slot]] = offset + weights @ setting.room.centre
    if columns.magnitude.size:
        x[columns.magnitude[node.slot]] = np.abs(weights)
    if columns.e.size:
        x[columns.e[node.slot]] = 0.0
        x[columns.e[node.slot, np.abs(weights).argmax()]] = 1.0


def _write_constraints(formulation: Formulation, x: FloatArray) -> None:
    """Write what only constraints ask for; the observables are those of the point, its sides as they are."""
    columns, rows = formulation.columns, formulation.problem.rows
    above = x[columns.w_positive[:, 0]]
    x[columns.parted] = float(above.min() < above.max())
    if columns.excess.size:
        excess = row_scales(rows) * rows.excess(formulation.observation @ x)
        x[columns.excess] = excess[rows.is_soft]


def _weights(setting: Setting, node: _Node) -> FloatArray:
    """Return the weights on the features in use, of absolute sum 1 before constant features are left out."""
    features = setting.room.features
    if node.split is None:
        return np.zeros(features.size)
    weights = node.split.dense_weights(setting.problem.data.n_features)
    return np.asarray(node.sign * weights[features] / (node.split.norm or 1.0))


def _fitted(setting: Setting, weights: FloatArray, node: _Node) -> tuple[float, float]:
    """Return a scale of the weights, and the threshold seen from the centre, that suit the rows at a node."""
    room = setting.room
    value = (room.coordinates - room.centre) @ weights
    positive, negative = value[node.at & node.side], value[node.at & ~node.side]
    if negative.size == 0:
        return 1.0, float(positive.min(initial=room.high))
    if positive.size == 0:
        return _all_negative(room, float(negative.max()))
    return 1.0, (float(negative.max()) + room.gap + float(positive.min())) / 2


def _all_negative(room: Room, largest: float) -> tuple[float, float]:
    """Return scale and threshold above all values: the weights shrink when there is no room above them."""
    if largest + room.gap <= room.high:
        return 1.0, largest + room.gap
    scale = max(0.0, (room.high - room.gap) / largest)
    return scale, scale * largest + room.gap
