"""Large tables: search a sample of the rows first, then carry the diagram over to all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import hstack

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import Layout
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import TrainingProblem


def thinned(problem: TrainingProblem, n_rows: int, seed: int) -> TrainingProblem:
    """Return the problem on a random choice of its distinct rows, which stand for all in the constraints."""
    rows = np.sort(np.random.default_rng(seed).choice(problem.data.n_rows, n_rows, replace=False))
    group = np.full(problem.data.group.size, -1, dtype=np.intp)
    data = TrainingData(problem.data.X[rows], problem.data.class_weight[rows], group)
    return replace(problem, data=data, cost=problem.cost[rows], rows=_thinned_rows(problem, rows, data))


def _thinned_rows(problem: TrainingProblem, kept: IntArray, data: TrainingData) -> LinearRows:
    """Return the constraint rows over the kept samples, each of which counts for more."""
    layout, rows = problem.layout, problem.rows
    if len(rows) == 0:
        return LinearRows.none(Layout(kept.size, layout.n_classes, layout.skeleton).size)
    blocks = (layout.assigned, layout.reached, layout.positive)
    samples = np.concatenate([block[kept].ravel() for block in blocks])
    matrix = rows.matrix.tocsc()
    counted = matrix[:, samples] * (problem.total_weight / data.total_weight)
    others = matrix[:, layout.used[0] :]
    return replace(rows, matrix=hstack([counted, others]))


def snapped(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram:
    """Return the diagram with every hyperplane moved to the nearest gap that keeps the problem's margin.

    A node without such a gap sends every row to its positive side. Univariate splits have no margin to keep.
    """
    if problem.split == "univariate":
        return diagram
    splits = list(diagram.splits)
    place = np.zeros(problem.data.n_rows, dtype=np.intp)
    for node, targets in enumerate(zip(diagram.negative, diagram.positive, strict=True)):
        at = np.flatnonzero(place == node)
        rows = problem.data.X[at]
        splits[node] = _snapped_split(splits[node], rows, problem.margin)
        place[at] = np.where(splits[node].side(rows), targets[1], targets[0])
    return diagram.with_splits(tuple(splits))


def _snapped_split(split: Split, rows: FloatArray, margin: float) -> Split:
    key = np.sort(split.key(rows))
    if key.size == 0:
        return split
    wide = np.flatnonzero(np.diff(key) >= margin * split.norm)
    middles = np.concatenate([(key[wide] + key[wide + 1]) / 2, [key[0]]])
    usable = middles[:-1] if wide.size else middles
    return split.with_threshold(float(usable[np.abs(usable - split.threshold).argmin()]))
