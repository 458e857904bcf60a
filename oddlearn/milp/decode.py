"""From a point of the model to the diagram it stands for."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.engine import Budget
from oddlearn.errors import DiagramMisfitError, InvalidInputError
from oddlearn.milp.formulate import Formulation
from oddlearn.milp.reading import Reading, read, without_idle_nodes
from oddlearn.milp.refit import fitted_split
from oddlearn.problem.certificate import VIOLATION_TOLERANCE
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.problem import TrainingProblem


def decode(formulation: Formulation, x: FloatArray, budget: Budget) -> DecisionDiagram | None:
    """Return the diagram of a point, in unit coordinates, or None when there is none.

    Binaries are rounded; they say where arcs lead and which side each row takes. Hyperplanes are read, and
    fitted anew where they do not send the rows that way by the margin. Nodes that settle nothing are dropped
    if the constraints allow that. What is returned passes ``evaluate`` and keeps the constraints.
    """
    reading = read(formulation, x)
    for wanted in (without_idle_nodes(reading), reading):
        diagram = _realised(formulation, wanted, x, budget)
        if diagram is not None and _is_solution(formulation.problem, diagram):
            return diagram
    return None


def _realised(
    formulation: Formulation, reading: Reading, x: FloatArray, budget: Budget
) -> DecisionDiagram | None:
    problem = formulation.problem
    n_classes, n_features = problem.data.n_classes, problem.data.n_features
    if reading.start >= reading.n_slots:
        return DecisionDiagram.constant(reading.start - reading.n_slots, n_classes, n_features)
    splits: list[Split] = []
    heads = reading.heads.copy()
    for slot in reading.slots:
        rows, side = reading.at[:, slot], reading.side[:, slot]
        fitted = fitted_split(problem, rows, side, _weights(formulation, x, slot), budget)
        if fitted is None:
            return None
        splits.append(fitted[0])
        heads[slot] = heads[slot][::-1] if fitted[1] else heads[slot]
    return _assembled(formulation, reading, tuple(splits), heads)


def _assembled(
    formulation: Formulation, reading: Reading, splits: tuple[Split, ...], heads: np.ndarray
) -> DecisionDiagram | None:
    data = formulation.problem.data
    slots = np.array(reading.slots)
    ids = np.full(reading.n_slots + data.n_classes, -1, dtype=np.intp)
    ids[slots] = np.arange(slots.size)
    ids[reading.n_slots :] = slots.size + np.arange(data.n_classes)
    negative, positive = ids[heads[slots]].T
    layer = formulation.shape.layer_of[slots]
    try:
        return DecisionDiagram(splits, negative, positive, layer, data.n_classes, data.n_features)
    except InvalidInputError:
        return None  # rounding led both arcs of a node to one head


def _weights(formulation: Formulation, x: FloatArray, slot: int) -> FloatArray:
    """Return the weights of a slot's hyperplane over all features; 1 on the feature of a univariate split."""
    columns, room = formulation.columns, formulation.setting.room
    values = x[columns.a[slot]]
    if columns.e.size:
        # a chosen feature may have no weight where all rows go one way
        chosen = np.arange(values.size) == x[columns.e[slot]].argmax()
        values = np.where(chosen, 1.0, 0.0)
    weights = np.zeros(formulation.problem.data.n_features)
    weights[room.features] = values
    return weights


def _is_solution(problem: TrainingProblem, diagram: DecisionDiagram) -> bool:
    try:
        return evaluate(problem, diagram).violation <= VIOLATION_TOLERANCE
    except DiagramMisfitError:
        return False
