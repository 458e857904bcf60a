"""Candidates for a large table: the local search on samples of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray, take_rows_of
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.robust_scaling import choose_margin, fit_robust_scaling
from oddlearn.problem.row_passes import project_diagram, restore_features
from oddlearn.problem.scaling import RankScaling, UnitScaling, to_raw_units
from oddlearn.problem.training_data import TrainingData, distinct_rows, row_costs
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.local_search.subsample import subsample_constraints, take_rows
from oddlearn.solve.solver import SearchResult, ignore
from oddlearn.streaming.memory_rows import MemoryRows


@dataclass(frozen=True, eq=False)
class Candidate:
    """A diagram and its objective, on the sample of comparison or on all rows.

    Attributes
    ----------
    objective : float
    diagram : DecisionDiagram
    is_feasible : bool
        False if a minimum flow is violated on these rows.
    is_of_all : bool
    """

    objective: float
    diagram: DecisionDiagram
    is_feasible: bool = True
    is_of_all: bool = False

    @property
    def sort_key(self) -> tuple[bool, bool, float]:
        """A key by which the best candidate comes first."""
        return not self.is_feasible, not self.is_of_all, self.objective


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


@dataclass(frozen=True, eq=False)
class UnitSample:
    """Rows of a large table in the unit box.

    Attributes
    ----------
    problem : TrainingProblem
        In the unit box, equal rows put together.
    unit, raw : (n, d) float
        The rows in both units.
    weight : (n,) float
    """

    problem: TrainingProblem
    unit: FloatArray
    raw: FloatArray
    weight: FloatArray
    scaling: UnitScaling

    @classmethod
    def take(cls, problem: TrainingProblem, rows: IntArray) -> UnitSample:
        """Take some rows, ascending."""
        part = take_sample(problem, rows)
        raw, margin = part.data.X, choose_margin(rows.size)
        scaling = fit_robust_scaling(raw, margin)
        unit = scaling.apply(raw)
        own = replace(part, data=replace(part.data, X=unit), margin=margin)
        return cls(merge_rows(own), unit, raw, part.data.class_weight.sum(axis=1), scaling)

    def list_raw(self, diagrams: list[DecisionDiagram]) -> list[DecisionDiagram]:
        """Return those of the diagrams that have nodes in raw units, if the rows take the same ways there."""
        found = []
        for diagram in diagrams:
            try:
                if diagram.n_nodes:
                    found.append(to_raw_units(self.scaling, diagram, self.unit, self.raw, self.weight))
            except DiagramMisfitError:
                continue
        return found
