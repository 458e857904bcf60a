"""A random sample of the rows of a large problem, and diagrams carried over from it to all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import hstack

from oddlearn.diagram.arrays import FloatArray, IntArray, take_rows_of
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_nearest_threshold


def subsample(problem: TrainingProblem, n_rows: int, seed: int) -> TrainingProblem:
    """Return the problem on a random sample of its distinct rows, scaled up in the constraints."""
    rows = np.random.default_rng(seed).choice(problem.data.n_rows, n_rows, replace=False)
    return take_rows(problem, np.sort(rows))


def take_rows(problem: TrainingProblem, rows: IntArray) -> TrainingProblem:
    """Return the problem on some of its distinct rows, scaled up in the constraints."""
    data = TrainingData(take_rows_of(problem.data.X, rows), problem.data.class_weight[rows], np.full(1, -1))
    constraints = subsample_constraints(problem, rows, problem.total_weight / data.total_weight)
    return replace(problem, data=data, cost=problem.cost[rows], rows=constraints)


def subsample_constraints(problem: TrainingProblem, sample: IntArray, factor: float) -> LinearRows:
    """Return the constraint rows over the sample, whose coefficients are multiplied by a factor."""
    layout, rows = problem.layout, problem.rows
    if len(rows) == 0:
        return LinearRows.none(ObservableLayout(sample.size, layout.n_classes, layout.skeleton).size)
    blocks = (layout.assigned, layout.reached, layout.positive)
    columns = np.concatenate([block[sample].ravel() for block in blocks])
    matrix = rows.matrix.tocsc()
    return replace(rows, matrix=hstack([matrix[:, columns] * factor, matrix[:, layout.used[0] :]]))


def snap_thresholds(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram:
    """Return the diagram with every hyperplane moved to the nearest gap that has the problem's margin.

    A node without such a gap sends every row to its positive side. Univariate splits have no margin.
    """
    if problem.split == "univariate":
        return diagram
    splits = list(diagram.splits)
    node_of_row = np.zeros(problem.data.n_rows, dtype=np.intp)
    for node, targets in enumerate(zip(diagram.negative, diagram.positive, strict=True)):
        at = np.flatnonzero(node_of_row == node)
        rows = problem.data.X[at]
        splits[node] = _snap_threshold(splits[node], rows, problem.margin)
        node_of_row[at] = np.where(splits[node].side(rows), targets[1], targets[0])
    return diagram.with_splits(tuple(splits))


def _snap_threshold(split: Split, rows: FloatArray, margin: float) -> Split:
    key = split.key(rows)
    if key.size == 0:
        return split
    threshold = find_nearest_threshold(key, split.threshold, margin * split.norm)
    return split.with_threshold(float(key.min()) if threshold is None else threshold)
