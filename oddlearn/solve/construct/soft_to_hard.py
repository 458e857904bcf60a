"""A decision diagram with the hyperplanes of a soft one, whose rows go one way each."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import costs_to_go, route_reference
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_threshold, find_nearest_threshold
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.construct.soft_diagram import SoftFit, SoftTable
from oddlearn.solve.hyperplanes.polish import accept_if_no_worse


def build_hard_diagram(problem: TrainingProblem, table: SoftTable, soft: SoftFit) -> DecisionDiagram:
    """Return the diagram with the hyperplanes of a soft one, and at each terminal the cheapest class.

    Thresholds move to the nearest gap that keeps the margin. Nodes that are not worth their price are left
    out.
    """
    builder = DiagramBuilder.empty(problem)
    arriving: dict[int, list[tuple[int, IntArray]]] = {0: [(-1, np.arange(problem.data.n_rows))]}
    for node, targets in enumerate(soft.graph.targets):
        parts = arriving.get(node, [])
        rows = np.concatenate([part for _, part in parts]) if parts else np.empty(0, dtype=np.intp)
        split = _build_split(problem, table, soft.weights[node], rows)
        if split is None:
            continue
        positive = split.side(problem.data.X[rows])
        sides = (rows[~positive], rows[positive])
        arcs = [arc for arc, _ in parts if arc >= 0]
        costs = [problem.cost[part].sum(axis=0) for part in sides]
        number = builder.add(soft.graph.layers[node], split, arcs, costs)
        for side, target in enumerate(targets):
            if target >= 0:
                arriving.setdefault(target, []).append((2 * number + side, sides[side]))
    return builder.prune().build()


def _build_split(
    problem: TrainingProblem, table: SoftTable, soft_weights: FloatArray, rows: IntArray
) -> MultivariateSplit | None:
    """Return the split of weights (d + 1,) in standard units; None if no two rows have the margin."""
    weights = soft_weights[:-1] / table.scale
    norm = float(np.abs(weights).sum())
    if rows.size < 2 or norm == 0:
        return None
    split = MultivariateSplit(weights / norm, 0.0)
    threshold = float(table.mean @ weights - soft_weights[-1]) / norm
    margin = problem.margin + MARGIN_TOLERANCE
    nearest = find_nearest_threshold(split.key(problem.data.X[rows]), threshold, margin)
    return None if nearest is None else split.with_threshold(nearest)


def choose_thresholds(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram | None:
    """Return the diagram with the best threshold of each node, the others fixed; None if it does not fit."""
    try:
        value = evaluate(problem, diagram)
    except DiagramMisfitError:
        return None
    for node in range(diagram.n_nodes - 1, -1, -1):
        costs = costs_to_go(diagram, problem.data.X, problem.cost)
        reached = route_reference(diagram, problem.data.X).reached[:, node]
        negative, positive = costs[diagram.negative[node]][reached], costs[diagram.positive[node]][reached]
        split = diagram.splits[node]
        key = split.key(problem.data.X[reached])
        least, threshold = find_best_threshold(key, negative, positive, problem.margin + MARGIN_TOLERANCE)
        if isinstance(split, MultivariateSplit) and np.isfinite(least):
            changed = split.with_threshold(threshold)
            diagram, value = accept_if_no_worse(problem, diagram, value, node, changed)
    return diagram
