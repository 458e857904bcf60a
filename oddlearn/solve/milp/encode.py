"""From a diagram to its point of the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.slot_diagram import assign_slots
from oddlearn.diagram.splits import Split
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.milp.constraint_equations import row_scales
from oddlearn.solve.milp.context import FormulationContext, HyperplaneBounds
from oddlearn.solve.milp.formulation import Formulation


@dataclass(frozen=True)
class _PlacedNode:
    """A node in a slot: its heads, its split with a sign, the rows that pass it and their sides."""

    slot: int
    negative: int
    positive: int
    split: Split | None
    sign: float
    at: BoolArray
    side: BoolArray


def encode(formulation: Formulation, diagram: DecisionDiagram) -> FloatArray:
    """Return the point of a diagram in unit coordinates, shape (n_columns,).

    Nodes are ordered, and arcs put on the sides, as the symmetry-breaking equations require.

    Raises DiagramMisfitError when the diagram is no solution of the problem or has another number of nodes
    than the model.
    """
    context = formulation.context
    evaluate(context.problem, diagram)
    if context.n_nodes not in (None, max(1, diagram.n_nodes)):
        raise DiagramMisfitError(f"The model has {context.n_nodes} nodes, the diagram {diagram.n_nodes}.")
    x = np.zeros(formulation.model.n_columns)
    # unused slots have a feature, too
    x[formulation.columns.e[:, :1]] = 1.0
    for node in _place_nodes(context, diagram):
        if context.options.order_arcs and node.negative > node.positive:
            node = _exchange_sides(node)
        _write_arcs(formulation, x, node)
        _write_flows(formulation, x, node)
        _write_split(formulation, x, node)
    _write_constraints(formulation, x)
    return x


def _place_nodes(context: FormulationContext, diagram: DecisionDiagram) -> list[_PlacedNode]:
    if diagram.n_nodes == 0:
        return [_constant_root(context, int(diagram.constant_class or 0))]
    ordered = diagram.canonical() if context.slots_are_symmetric else diagram
    slots = assign_slots(ordered, context.skeleton)
    heads = np.concatenate([slots, context.skeleton.n_nodes + np.arange(diagram.n_classes)])
    steps = route_reference(ordered, context.problem.data.X)
    return [
        _PlacedNode(
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


def _constant_root(context: FormulationContext, code: int) -> _PlacedNode:
    """Return a root that sends every row to its positive side."""
    everything = np.ones(context.n_rows, dtype=bool)
    first = context.skeleton.n_nodes
    other = first if code != 0 else first + 1
    return _PlacedNode(0, other, first + code, None, 1.0, everything, everything)


def _exchange_sides(node: _PlacedNode) -> _PlacedNode:
    """Return the node with its sides exchanged and its hyperplane reversed."""
    return _PlacedNode(node.slot, node.positive, node.negative, node.split, -node.sign, node.at, ~node.side)


def _write_arcs(formulation: Formulation, x: FloatArray, node: _PlacedNode) -> None:
    columns, arcs = formulation.columns, formulation.context.arcs
    x[columns.d[node.slot]] = 1.0
    x[columns.y_negative[arcs.between(node.slot, node.negative)]] = 1.0
    x[columns.y_positive[arcs.between(node.slot, node.positive)]] = 1.0


def _write_flows(formulation: Formulation, x: FloatArray, node: _PlacedNode) -> None:
    columns, context = formulation.columns, formulation.context
    layer = context.skeleton.layer_of[node.slot]
    positive, negative = node.at & node.side, node.at & ~node.side
    x[columns.lambda_[positive, layer]] = 1.0
    sides = (
        (negative, columns.w_negative, columns.z_negative, node.negative),
        (positive, columns.w_positive, columns.z_positive, node.positive),
    )
    for rows, passage, flow, head in sides:
        x[passage[rows, node.slot]] = 1.0
        if context.options.flows:
            x[flow[rows, context.arcs.between(node.slot, head)]] = 1.0
        if head >= context.arcs.n_slots:
            x[columns.w_class[rows, head - context.arcs.n_slots]] = 1.0


def _write_split(formulation: Formulation, x: FloatArray, node: _PlacedNode) -> None:
    columns, context = formulation.columns, formulation.context
    weights = _signed_weights(context, node)
    scale, offset = _fit_hyperplane(context, weights, node)
    weights = scale * weights
    x[columns.a[node.slot]] = weights
    x[columns.b[node.slot]] = offset + weights @ context.hyperplanes.centre
    if columns.magnitude.size:
        x[columns.magnitude[node.slot]] = np.abs(weights)
    limit = context.problem.term_limit
    if limit is not None:
        used = limit.column_of[context.hyperplanes.features[np.flatnonzero(weights)]]
        x[columns.terms[node.slot, used]] = 1.0
    if columns.e.size:
        x[columns.e[node.slot]] = 0.0
        x[columns.e[node.slot, np.abs(weights).argmax()]] = 1.0


def _write_constraints(formulation: Formulation, x: FloatArray) -> None:
    """Write the columns that only constraint rows need, from the observables of the point."""
    columns, rows = formulation.columns, formulation.problem.rows
    above = x[columns.w_positive[:, 0]]
    x[columns.root_splits] = float(above.min() < above.max())
    if columns.violation.size:
        violation = row_scales(rows) * rows.row_violations(formulation.observation @ x)
        x[columns.violation] = violation[rows.is_soft]


def _signed_weights(context: FormulationContext, node: _PlacedNode) -> FloatArray:
    """Return the weights on the features in use, of absolute sum 1 before constant features are left out."""
    features = context.hyperplanes.features
    if node.split is None:
        return np.zeros(features.size)
    weights = node.split.dense_weights(context.problem.data.n_features)
    return np.asarray(node.sign * weights[features] / (node.split.norm or 1.0))


def _fit_hyperplane(
    context: FormulationContext, weights: FloatArray, node: _PlacedNode
) -> tuple[float, float]:
    """Return a factor for the weights, and the threshold seen from the centre, for the rows at a node."""
    hyperplanes = context.hyperplanes
    value = (hyperplanes.coordinates - hyperplanes.centre) @ weights
    positive, negative = value[node.at & node.side], value[node.at & ~node.side]
    if negative.size == 0:
        return 1.0, float(positive.min(initial=hyperplanes.high))
    if positive.size == 0:
        return _all_negative(hyperplanes, float(negative.max()))
    return 1.0, (float(negative.max()) + hyperplanes.gap + float(positive.min())) / 2


def _all_negative(hyperplanes: HyperplaneBounds, largest: float) -> tuple[float, float]:
    """Return factor and threshold above all values; weights shrink if the limits leave no space there."""
    if largest + hyperplanes.gap <= hyperplanes.high:
        return 1.0, largest + hyperplanes.gap
    scale = max(0.0, (hyperplanes.high - hyperplanes.gap) / largest)
    return scale, scale * largest + hyperplanes.gap
