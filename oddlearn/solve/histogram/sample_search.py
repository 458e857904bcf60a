"""Candidates for a large table: the local search on samples of its rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray, take_rows_of
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.row_passes import project_diagram, restore_features
from oddlearn.problem.scaling import RankScaling, to_raw_units
from oddlearn.problem.training_data import TrainingData, distinct_rows, row_costs
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.local_search.subsample import subsample_constraints, take_rows
from oddlearn.solve.solver import SearchResult, ignore
from oddlearn.streaming.memory_rows import MemoryRows


def search_sample(
    problem: TrainingProblem,
    rows: IntArray,
    start: DecisionDiagram | None,
    options: LocalSearch,
    budget: Budget,
    features: IntArray | None = None,
) -> SearchResult:
    """Search some rows of a problem with univariate splits; the diagram is in the units of the problem.

    With ``features``, ascending, those of a large table are searched alone. The search works on the ranks of
    the sample's own values; missing ones have two columns, see ``RankScaling``.
    """
    part = take_sample(problem, rows, features)
    raw_X = part.data.X
    scaling, ranks = RankScaling.rank(raw_X)
    ranked = replace(part, data=replace(part.data, X=ranks))
    del ranks
    weight = ranked.data.class_weight.sum(axis=1)
    own_start = None if start is None else project_diagram(start, features)
    first = None if own_start is None else rank_diagram(scaling, own_start, ranked.data.n_features)
    result = options.search(merge_rows(ranked), first, budget, ignore)
    if result.diagram is None:
        return result
    diagram = to_raw_units(scaling, result.diagram, ranked.data.X, raw_X, weight)
    return replace(result, diagram=restore_features(diagram, features, problem.data.n_features))


def take_sample(
    problem: TrainingProblem, rows: IntArray, features: IntArray | None = None
) -> TrainingProblem:
    """Return the problem on some rows, ascending, of a table that may be large; with some features alone."""
    data = problem.data
    if not isinstance(data, LargeData):
        return take_rows(problem, rows)
    if features is not None and isinstance(data.source, MemoryRows):
        block = data.source.take_columns(rows, features)
    else:
        block = data.source.take(rows)
        block = block if features is None else replace(block, X=block.X[:, features])
    X = np.asarray(block.X, dtype=np.float64)
    X.setflags(write=False)  # not copied again
    part = TrainingData(X, block.class_weight(data.n_classes), np.full(1, -1))
    constraints = subsample_constraints(problem, rows, problem.total_weight / part.total_weight)
    cost = row_costs(part.class_weight, data.cost_matrix)
    return replace(problem, data=part, cost=cost, rows=constraints)


def merge_rows(problem: TrainingProblem) -> TrainingProblem:
    """Return the problem with equal rows put together, their costs and weights added up.

    One with constraint rows, which are written by row, stays as it is.
    """
    X, n_classes = problem.data.X, problem.data.n_classes
    if len(problem.rows):
        return problem
    representative, group = distinct_rows(X)
    if representative.size == len(X):
        return problem

    def add_up(values: FloatArray) -> FloatArray:
        sums = [np.bincount(group, weights=values[:, code]) for code in range(n_classes)]
        return np.column_stack(sums)

    data = TrainingData(take_rows_of(X, representative), add_up(problem.data.class_weight), np.full(1, -1))
    rows = LinearRows.none(ObservableLayout(data.n_rows, n_classes, problem.skeleton).size)
    return replace(problem, data=data, cost=add_up(problem.cost), rows=rows)


def rank_diagram(scaling: RankScaling, diagram: DecisionDiagram, n_columns: int) -> DecisionDiagram:
    """Return a diagram of raw units on the ranks of a sample: the inverse of ``RankScaling.unscale``."""
    splits = [split for split in diagram.splits if isinstance(split, UnivariateSplit)]
    ranked = tuple(_rank_split(scaling, split) for split in splits)
    return replace(diagram, splits=ranked, n_features=n_columns)


def _rank_split(scaling: RankScaling, split: UnivariateSplit) -> UnivariateSplit:
    feature, values = split.feature, scaling.values[split.feature]
    n_below = int(np.searchsorted(values, split.threshold))
    doubled = scaling.doubled.tolist()
    if split.missing_positive and feature in doubled:
        # the column in which missing values rank above all others
        return UnivariateSplit(len(scaling.values) + doubled.index(feature), n_below - 0.5)
    return UnivariateSplit(feature, n_below + bool(scaling.has_missing[feature]) - 0.5)
