"""Large tables: search a sample of the rows first, then carry the diagram over to all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.problem.data import TrainingData
from oddlearn.problem.problem import TrainingProblem


def thinned(problem: TrainingProblem, n_rows: int, seed: int) -> TrainingProblem:
    """Return the problem on a random choice of its distinct rows."""
    rows = np.sort(np.random.default_rng(seed).choice(problem.data.n_rows, n_rows, replace=False))
    group = np.full(problem.data.group.size, -1, dtype=np.intp)
    data = TrainingData(problem.data.X[rows], problem.data.class_weight[rows], group)
    return replace(problem, data=data, cost=problem.cost[rows])


def snapped(problem: TrainingProblem, diagram: DecisionDiagram) -> DecisionDiagram:
    """Return the diagram with every threshold moved to the nearest gap that keeps the problem's margin.

    A node without such a gap sends every row to its positive side.
    """
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
