"""A large table as bins of one byte: edges by quantiles, finer around thresholds in use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.kernels.histogram.bins import MAX_EDGES
from oddlearn.problem.amount_scale import AmountScale, choose_scale
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_rows import (
    BinBlock,
    BinnedRows,
    FindMissing,
    FindNear,
    MoveEdge,
    attach_near,
    pad_edges,
)
from oddlearn.streaming.row_source import Parts, RowSource

# the share of all values around a threshold that the finer half of the edges is spread over
ZOOM_SHARE = 0.03


@dataclass(frozen=True, eq=False)
class BinnedTable:
    """Rows of a problem with their bins, in parts wherever they are."""

    features: IntArray  # (n_columns,): feature of each column, ascending
    # of each column, ascending. The bin of a value is the number of edges at or below it, 255 if missing
    edges: tuple[FloatArray, ...]
    source: RowSource  # the raw values
    parts: Parts[BinnedRows]
    scale: AmountScale  # of the costs in the parts
    total_weight: float  # of the rows
    has_flow: bool  # True if there are minimum flows

    @cached_property
    def n_bins(self) -> NDArray[np.int32]:
        """Bins of values, by column."""
        return np.array([edges.size + 1 for edges in self.edges], dtype=np.int32)

    @cached_property
    def has_missing(self) -> NDArray[np.uint8]:
        """1 for the columns with missing values."""
        found = self.parts.reduce(FindMissing())
        return np.zeros(len(self.edges), dtype=np.uint8) if found is None else found

    def load_values(self, wanted: Mapping[int, NDArray[np.bool_]]) -> None:
        """Read the raw values in some bins, (256,) bool by column, of all rows: one pass."""
        features = {place: int(self.features[place]) for place in wanted}
        find = FindNear(features, {place: self.edges[place].copy() for place in wanted}, wanted)
        own = np.array(sorted(features.values()), dtype=np.intp)
        self.source.extend(self.parts, find, attach_near, own)

    def move_edge(self, place: int, low: int, threshold: float) -> None:
        """Move the edge between bins ``low - 1`` and ``low`` of a column, whose values are loaded."""
        self.edges[place][low - 1] = threshold
        self.parts.update(MoveEdge(place, low, threshold, self.parts.is_shared))


@dataclass(frozen=True, eq=False)
class EdgeChooser:
    """Values of a sample, from which the edges of bins are chosen."""

    sample: NDArray[np.floating]  # (n, n_features)
    _ordered: dict[int, FloatArray] = field(default_factory=dict)

    def sort(self, feature: int) -> FloatArray:
        """Return the values of a feature, ascending, without missing ones; they are sorted once."""
        if feature not in self._ordered:
            column = self.sample[:, feature]
            self._ordered[feature] = np.sort(column[~np.isnan(column)]).astype(np.float64)
        return self._ordered[feature]

    def choose(
        self, features: IntArray, diagrams: Sequence[DecisionDiagram], *, zoom: bool = False
    ) -> tuple[FloatArray, ...]:
        """Return at most 254 edges for each of some features, the thresholds in use among them.

        Edges lie between two values of the sample: all of these where they are few, else quantiles. With
        ``zoom`` half of them are spread over the values next to the thresholds.
        """
        thresholds = _thresholds_by_feature(diagrams, self.sample.shape[1])
        return tuple(_edges(self.sort(one), thresholds[one], zoom) for one in features.tolist())


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
    source: RowSource,
    cost_matrix: FloatArray,
    total_weight: float,
    features: IntArray,
    edges: Sequence[FloatArray],
    budget: Budget,
) -> BinnedTable | None:
    """Return the rows of a source in bins of some features; None if the time is over."""
    scale = choose_scale(source, cost_matrix)
    function = BinBlock(features, pad_edges(edges), cost_matrix, scale.factor)
    parts = source.build(function, features, lambda: budget.expired)
    if parts is None:
        return None
    has_flow = getattr(source, "flow", None) is not None
    return BinnedTable(features, tuple(edges), source, parts, scale, total_weight, has_flow)
