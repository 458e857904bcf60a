"""A large table as bins of one byte: edges by quantiles, finer around thresholds in use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.kernels.histogram.bins import MAX_EDGES, MISSING_BIN, assign_bins
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget

# rows binned, or passed, between two looks at the clock: a tenth of a second for 30 columns
CHUNK_ROWS = 200_000

# sums of integers below this stay in 32 bits
MAX_INT32 = 2**31 - 1

# the share of all values around a threshold that the finer half of the edges is spread over
ZOOM_SHARE = 0.03


@dataclass(frozen=True, eq=False)
class BinnedTable:
    """Rows of a problem with their bins.

    Attributes
    ----------
    features : (n_columns,) int
        Feature of each column.
    edges : tuple of float arrays
        Of each column, ascending. The bin of a value is the number of edges at or below it, 255 if missing.
    bins : (n_columns, n) uint8
    cost : (n, n_classes) float
    flow : (n,) float
        Weight of each row in minimum flows; empty if there are none.
    total_weight : float
        Of the rows.
    """

    features: IntArray
    edges: tuple[FloatArray, ...]
    bins: NDArray[np.uint8]
    cost: FloatArray
    flow: FloatArray
    total_weight: float

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.bins.shape[1])

    @cached_property
    def n_bins(self) -> NDArray[np.int32]:
        """Bins of values, by column."""
        return np.array([edges.size + 1 for edges in self.edges], dtype=np.int32)

    @cached_property
    def has_missing(self) -> NDArray[np.uint8]:
        """1 for the columns with missing values."""
        return np.array([column.max(initial=0) == MISSING_BIN for column in self.bins], dtype=np.uint8)

    @cached_property
    def amount_type(self) -> type[Any]:
        """The type in which costs are summed: 32-bit integers where they are exact, else floats."""
        amounts = [self.cost.max(axis=1, initial=0.0), self.flow]
        is_exact = all(float(values.sum()) <= MAX_INT32 for values in amounts)
        is_exact = is_exact and bool((self.cost == np.floor(self.cost)).all())
        return np.int32 if is_exact and bool((self.flow == np.floor(self.flow)).all()) else np.float64


@dataclass(frozen=True, eq=False)
class EdgeChooser:
    """Sorted values of a sample, from which the edges of bins are chosen.

    Attributes
    ----------
    ordered : tuple of float arrays
        Of each feature, ascending, without missing ones.
    """

    ordered: tuple[FloatArray, ...]

    @classmethod
    def from_rows(cls, sample: NDArray[np.floating]) -> EdgeChooser:
        """Sort the columns of a sample (n, n_features)."""
        columns = (np.sort(column[~np.isnan(column)]) for column in sample.T)
        return cls(tuple(column.astype(np.float64) for column in columns))

    def choose(
        self, features: IntArray, diagrams: Sequence[DecisionDiagram], *, zoom: bool = False
    ) -> tuple[FloatArray, ...]:
        """Return at most 254 edges for each of some features, the thresholds in use among them.

        Edges lie between two values of the sample: all of these where they are few, else quantiles. With
        ``zoom`` half of them are spread over the values next to the thresholds.
        """
        thresholds = _thresholds_by_feature(diagrams, len(self.ordered))
        return tuple(_edges(self.ordered[feature], thresholds[feature], zoom) for feature in features)


def _thresholds_by_feature(diagrams: Iterable[DecisionDiagram], n_features: int) -> list[FloatArray]:
    found: list[list[float]] = [[] for _ in range(n_features)]
    for diagram in diagrams:
        for split in diagram.splits:
            if isinstance(split, UnivariateSplit) and np.isfinite(split.threshold):
                found[split.feature].append(split.threshold)
    return [np.unique(values)[:MAX_EDGES] for values in found]


def _edges(ordered: FloatArray, thresholds: FloatArray, zoom: bool) -> FloatArray:
    left = MAX_EDGES - thresholds.size
    is_first = np.ones(ordered.size, dtype=bool)
    is_first[1:] = ordered[1:] > ordered[:-1]
    if is_first.sum() - 1 <= left:
        starts = np.flatnonzero(is_first)[1:]
    else:
        shares = np.linspace(0, 1, left // (2 if zoom and thresholds.size else 1) + 2)[1:-1]
        if zoom and thresholds.size:
            shares = np.concatenate([shares, _shares_near(ordered, thresholds, left - shares.size)])
        starts = np.unique((shares * ordered.size).astype(np.intp))
        # the first of equal values: an edge has a value on either side
        starts = np.unique(np.searchsorted(ordered, ordered[starts]))
        starts = starts[starts > 0]
    pairs = zip(ordered[starts - 1].tolist(), ordered[starts].tolist(), strict=True)
    between = [threshold_between(low, high) for low, high in pairs]
    return np.unique(np.concatenate([between, thresholds]))


def _shares_near(ordered: FloatArray, thresholds: FloatArray, count: int) -> FloatArray:
    """Return so many shares of the sorted values, spread around each threshold."""
    centres = np.searchsorted(ordered, thresholds) / ordered.size
    offsets = np.linspace(-ZOOM_SHARE / 2, ZOOM_SHARE / 2, max(1, count // thresholds.size))
    return np.clip(centres[:, None] + offsets, 0.0, 1.0 - 1.0 / ordered.size).ravel()


def bin_rows(
    problem: TrainingProblem,
    rows: IntArray | None,
    features: IntArray,
    edges: Sequence[FloatArray],
    flow: FloatArray,
    budget: Budget,
) -> BinnedTable | None:
    """Return rows of a problem, None for all, in bins of some features; None if the time is over."""
    X, n_rows = problem.data.X, problem.data.n_rows if rows is None else rows.size
    padded = np.full((features.size, MAX_EDGES + 1), np.inf)
    for place, own in enumerate(edges):
        padded[place, : own.size] = own
    bins = np.empty((features.size, n_rows), dtype=np.uint8)
    has_all_features = features.size == X.shape[1]
    for first in range(0, n_rows, CHUNK_ROWS):
        if budget.expired:
            return None
        chunk = slice(first, min(n_rows, first + CHUNK_ROWS))
        values = X[chunk] if rows is None else X[rows[chunk]]
        values = values if has_all_features else values[:, features]
        assign_bins(values, padded, bins[:, chunk])
    weight = problem.data.class_weight if rows is None else problem.data.class_weight[rows]
    cost = problem.cost if rows is None else problem.cost[rows]
    own_flow = flow if rows is None or flow.size == 0 else flow[rows]
    total = float(weight.sum())
    return BinnedTable(features, tuple(edges), bins, np.ascontiguousarray(cost), own_flow, total)
