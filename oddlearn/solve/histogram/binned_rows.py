"""A part of a large table in bins: what it holds, and the work done on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.kernels.histogram.bins import MAX_EDGES, MISSING_BIN, assign_bins
from oddlearn.streaming.mapped_file import MappedFile, aligned_bytes
from oddlearn.streaming.row_source import RowBlock


@dataclass(frozen=True, eq=False)
class NearValues:
    """Values of a column in some of its bins."""

    rows: IntArray  # (k,): places in the part, ascending
    values: FloatArray  # (k,)

    def of(self, rows: IntArray) -> FloatArray:
        """Return the values of some of the rows."""
        return self.values[np.searchsorted(self.rows, rows)]


@dataclass(frozen=True, eq=False)
class BinnedRows:
    """Rows in bins of one byte."""

    bins: tuple[NDArray[np.uint8], ...]  # of each column
    # (n, n_classes): of each row; or with codes (n_classes, n_classes): of each true and given class. Times
    # the factor of the table
    cost: FloatArray
    codes: NDArray[np.uint8]  # (n,): class of each row; empty where rows have costs of their own
    weight: FloatArray  # (n,): empty if all rows weigh 1
    flow: FloatArray  # (n,): weight of each row in minimum flows, times the factor; empty if there are none
    near: Mapping[int, NearValues] = field(default_factory=dict)  # raw values near thresholds, by column

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.bins[0].size)

    def amounts(self, rows: IntArray | slice, classes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the costs of giving rows these classes, in integers."""
        if self.codes.size:
            costs = self.cost[self.codes[rows], classes]
        else:
            costs = np.take_along_axis(self.cost[rows], classes[:, None].astype(np.intp), axis=1)[:, 0]
        costs = self.weight[rows] * costs if self.weight.size else costs
        return np.asarray(costs, dtype=np.float64).astype(np.int64)

    @property
    def file_bytes(self) -> int:
        """Bytes that the arrays of ``move_to`` take in a file."""
        arrays: list[NDArray[Any]] = [*self.bins, self.codes, self.weight]
        return sum(aligned_bytes(values) for values in arrays)

    def move_to(self, file: MappedFile) -> BinnedRows:
        """Return the rows with their bytes, codes and weights in a file."""
        bins = tuple(file.store(column) for column in self.bins)
        return replace(self, bins=bins, codes=file.store(self.codes), weight=file.store(self.weight))


@dataclass(frozen=True, eq=False)
class BinBlock:
    """A function from rows to their bins."""

    features: IntArray  # (n_columns,): ascending
    edges: FloatArray  # (n_columns, 255): filled up with inf
    # (n_classes, n_classes): of true and given class, for rows without costs of their own
    cost_matrix: FloatArray
    factor: float  # of costs and flows

    def __call__(self, block: RowBlock) -> BinnedRows:
        """Return the rows of a block in bins."""
        has_all = block.X.shape[1] == self.features.size
        places = self.features if block.features is None else np.searchsorted(block.features, self.features)
        bins = np.empty((self.features.size, block.n_rows), dtype=np.uint8)
        assign_bins(block.X if has_all else block.X[:, places], self.edges, bins)
        cost = self.cost_matrix if block.cost is None else block.cost
        none = np.empty(0)
        return BinnedRows(
            tuple(bins),
            np.ascontiguousarray(cost) * self.factor,
            block.codes.astype(np.uint8),
            none if block.weight is None or block.cost is not None else np.ascontiguousarray(block.weight),
            none if block.flow is None else block.flow * self.factor,
        )


@dataclass(frozen=True, eq=False)
class FindNear:
    """A function from rows to their raw values in some bins, by column."""

    features: Mapping[int, int]  # feature of each column concerned
    edges: Mapping[int, FloatArray]
    wanted: Mapping[int, NDArray[np.bool_]]  # (256,): True for the bins

    def __call__(self, block: RowBlock) -> dict[int, NearValues]:
        """Return the values of each column."""
        near = {}
        for place, wanted in self.wanted.items():
            values = np.asarray(block.column(self.features[place]), dtype=np.float64)
            rows = np.flatnonzero(wanted[find_bins(values, self.edges[place])])
            near[place] = NearValues(rows, values[rows])
        return near


def attach_near(part: BinnedRows, near: dict[int, NearValues]) -> BinnedRows:
    """Return the part with raw values near thresholds in place of those before."""
    return replace(part, near=near)


def find_bins(values: FloatArray, edges: FloatArray) -> NDArray[np.uint8]:
    """Return the bins of the values of one column."""
    bins = np.empty((1, values.size), dtype=np.uint8)
    assign_bins(values[:, None], pad_edges([edges]), bins)
    return np.asarray(bins[0])


def pad_edges(edges: Sequence[FloatArray]) -> FloatArray:
    """Return the edges of columns as the kernel takes them, shape (n_columns, 255)."""
    padded = np.full((len(edges), MAX_EDGES + 1), np.inf)
    for place, own in enumerate(edges):
        padded[place, : own.size] = own
    return padded


@dataclass(frozen=True)
class MoveEdge:
    """A function that moves rows of a part to the right side of an edge that was moved."""

    place: int
    low: int  # the edge is between bins ``low - 1`` and ``low`` of the column
    threshold: float
    copies: bool  # True if the part itself must not change

    def __call__(self, part: BinnedRows) -> BinnedRows:
        """Return the part with the rows in these two bins put right."""
        near, bins = part.near[self.place], part.bins[self.place]
        bins = bins.copy() if self.copies else bins
        own = bins[near.rows]
        moves = (own == self.low - 1) | ((own == self.low) & (own != MISSING_BIN))
        bins[near.rows[moves]] = self.low - 1 + (near.values[moves] >= self.threshold)
        return replace(part, bins=(*part.bins[: self.place], bins, *part.bins[self.place + 1 :]))


class FindMissing:
    """The work of finding the columns with missing values."""

    def add(self, part: BinnedRows, total: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """Return 1 for the columns with missing values, here or before."""
        own = np.array([column.max(initial=0) == MISSING_BIN for column in part.bins], dtype=np.uint8)
        return own if total is None else self.merge(own, total)

    def merge(self, one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return 1 for the columns that have missing values in either."""
        return np.maximum(one, other)
