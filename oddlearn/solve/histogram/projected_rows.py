"""Rows with weighted sums of their features as further columns: a hyperplane is a threshold on one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.kernels.histogram.projections import project_rows
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.streaming.batch_rows import slice_block
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.streaming.row_source import Parts, PartWork, RowBlock, RowSource, Stop, WeightSummary, never

# values of rows with further columns that are made at once
EXTENDED_CELLS = 1_000_000

Extra = TypeVar("Extra")
Piece = TypeVar("Piece")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Directions:
    """The columns of rows with weighted sums: d features, then k sums.

    Attributes
    ----------
    weights : (k, d) float
    """

    weights: FloatArray

    @property
    def n_features(self) -> int:
        """Number of features of the rows themselves."""
        return int(self.weights.shape[1])

    @property
    def n_columns(self) -> int:
        """Number of features and sums."""
        return int(sum(self.weights.shape))

    def extend(self, block: RowBlock, columns: IntArray | None) -> RowBlock:
        """Return a block that has all features with some columns, ascending; None for all."""
        columns = np.arange(self.n_columns) if columns is None else columns
        own = columns[columns < self.n_features]
        values = np.empty((columns.size, block.n_rows))
        values[: own.size] = block.X[:, own].T
        chosen = self.weights[columns[own.size :] - self.n_features]
        project_rows(block.X, np.ascontiguousarray(chosen), values[own.size :])
        return replace(block, X=values.T, features=columns)

    def to_columns(self, diagram: DecisionDiagram) -> DecisionDiagram:
        """Return a diagram of hyperplanes, all among the directions, as one of thresholds on columns."""
        place = {weights.tobytes(): number for number, weights in enumerate(self.weights)}
        splits: list[Split] = []
        for split in diagram.splits:
            weights = split.dense_weights(self.n_features)
            feature = single_feature(weights)
            column = self.n_features + place[weights.tobytes()] if feature is None else feature
            splits.append(UnivariateSplit(column, split.threshold))
        return replace(diagram, splits=tuple(splits), n_features=self.n_columns)

    def to_hyperplanes(self, diagram: DecisionDiagram) -> DecisionDiagram:
        """Return a diagram of thresholds on columns as one of hyperplanes."""
        splits: list[Split] = []
        for split in diagram.splits:
            if isinstance(split, UnivariateSplit):
                column = split.feature
                is_sum = column >= self.n_features
                unit = np.eye(1, self.n_features, column)[0]
                weights = self.weights[column - self.n_features] if is_sum else unit
                splits.append(MultivariateSplit(weights, split.threshold))
        return replace(diagram, splits=tuple(splits), n_features=self.n_features)


def single_feature(weights: FloatArray) -> int | None:
    """Return the feature whose weight is 1 while all others are 0; None if there is none."""
    used = np.flatnonzero(weights)
    return int(used[0]) if used.size == 1 and weights[used[0]] == 1 else None


def collect_directions(diagrams: Sequence[DecisionDiagram], n_features: int) -> Directions:
    """Return the directions of all hyperplanes of some diagrams, each once; single features are left out."""
    found: dict[bytes, FloatArray] = {}
    for diagram in diagrams:
        for split in diagram.splits:
            weights = np.asarray(split.dense_weights(n_features))
            if single_feature(weights) is None:
                found.setdefault(weights.tobytes(), weights)
    return Directions(np.array(list(found.values())).reshape(-1, n_features))


@dataclass(frozen=True, eq=False)
class ExtendedWork(Generic[Result]):
    """Work on rows with further columns."""

    work: PartWork[RowBlock, Result]
    directions: Directions
    columns: IntArray | None

    def add(self, part: RowBlock, total: Result | None) -> Result:
        """Return the result of a block with its columns, which are made for some rows at a time."""
        n_columns = self.directions.n_columns if self.columns is None else self.columns.size
        step = max(1, EXTENDED_CELLS // max(1, n_columns))
        for first in range(0, max(1, part.n_rows), step):
            some = slice_block(part, slice(first, first + step))
            total = self.work.add(self.directions.extend(some, self.columns), total)
        return cast(Result, total)

    def merge(self, one: Result, other: Result) -> Result:
        """Return the result of the rows of both."""
        return self.work.merge(one, other)


@dataclass(frozen=True, eq=False)
class ExtendedFunction(Generic[Piece]):
    """A function of rows with further columns."""

    function: Callable[[RowBlock], Piece]
    directions: Directions
    columns: IntArray | None

    def __call__(self, block: RowBlock) -> Piece:
        """Return the function of a block with its columns."""
        return self.function(self.directions.extend(block, self.columns))


@dataclass(frozen=True, eq=False)
class ProjectedRows:
    """A source whose rows have weighted sums as further columns, computed in every pass."""

    source: RowSource
    directions: Directions

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.source.n_rows

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.directions.n_columns

    @property
    def weights(self) -> WeightSummary:
        """The largest weight and the kind of all weights."""
        return self.source.weights

    @property
    def flow(self) -> FloatArray | None:
        """Weight of each row in minimum flows."""
        return getattr(self.source, "flow", None)

    @property
    def weight(self) -> FloatArray | None:
        """Weight of each row in memory; None if all rows weigh 1."""
        return getattr(self.source, "weight", None)

    @property
    def pass_seconds(self) -> float:
        """Seconds of the last pass over raw values."""
        return self.source.pass_seconds

    def prepare_samples(self, samples: Sequence[IntArray]) -> None:
        """Read rows that will be taken."""
        self.source.prepare_samples(samples)

    def take(self, rows: IntArray) -> RowBlock:
        """Return the rows of these numbers, ascending."""
        return replace(self.directions.extend(self.source.take(rows), None), features=None)

    def reduce(
        self, work: PartWork[RowBlock, Result], features: IntArray | None = None, stop: Stop = never
    ) -> Result | None:
        """Return the result of some work on all rows; None if it was stopped."""
        return self.source.reduce(ExtendedWork(work, self.directions, features), None, stop)

    def build(
        self, function: Callable[[RowBlock], Piece], features: IntArray | None = None, stop: Stop = never
    ) -> Parts[Piece] | None:
        """Return what a function makes of each part of the rows; None if it was stopped."""
        return self.source.build(ExtendedFunction(function, self.directions, features), None, stop)

    def extend(
        self,
        parts: Parts[Piece],
        find: Callable[[RowBlock], Extra],
        join: Callable[[Piece, Extra], Piece],
        features: IntArray,
    ) -> None:
        """Join to each part what a function finds in its rows."""
        own = np.arange(self.directions.n_features)
        self.source.extend(parts, ExtendedFunction(find, self.directions, features), join, own)


def add_columns(problem: TrainingProblem, data: LargeData, directions: Directions) -> TrainingProblem:
    """Return the problem of univariate splits on the features and on weighted sums of them."""
    extended = LargeData(ProjectedRows(data.source, directions), data.cost_matrix, data.sample_groups)
    vars(extended)["class_totals"] = data.class_totals
    return replace(problem, data=extended, split="univariate", margin=0.0, term_limit=None)


def problem_rows(problem: TrainingProblem, flow: FloatArray) -> RowSource:
    """Return the rows of a problem, with their weights in minimum flows if there are any."""
    data = problem.data
    if not isinstance(data, LargeData):
        no_codes = np.empty(0, dtype=np.uint8)
        weight, own_flow = data.class_weight.sum(axis=1), flow if flow.size else None
        return MemoryRows(data.X, no_codes, weight, problem.cost, own_flow)
    if flow.size and isinstance(data.source, MemoryRows):
        return replace(data.source, flow=flow)
    if flow.size and isinstance(data.source, ProjectedRows):
        return replace(data.source, source=replace(cast(MemoryRows, data.source.source), flow=flow))
    return data.source


def sample_weight(rows: RowSource) -> float:
    """Return the weight of rows in memory."""
    weight = getattr(rows, "weight", None)
    return float(rows.n_rows if weight is None else weight.sum())
