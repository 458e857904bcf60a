"""Work on the raw rows of a large table, a block at a time: weights on arcs, hashes, gaps at thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.kernels.histogram.row_hashes import sum_row_hashes
from oddlearn.streaming.row_source import RowBlock, RowSource

# integers of 62 bits in two halves: sums over a block are exact in floating point
HALF_BITS = 31

HASH_MODULUS = 2**64

# rows that pass together: they stay in the cache of the processor. With weighted sums so many values are
# copied
CHUNK_ROWS = 16_384
CHUNK_CELLS = 400_000

# rows drawn of a large table before all others
FIRST_SAMPLE_ROWS = 20_000


def used_features(diagram: DecisionDiagram) -> IntArray:
    """Return the features that a diagram asks about, ascending."""
    return np.array(diagram.used_features, dtype=np.intp)


def project_diagram(diagram: DecisionDiagram, features: IntArray | None) -> DecisionDiagram:
    """Return a diagram for rows that have some features only; None for all."""
    if features is None:
        return diagram
    place = {int(feature): new for new, feature in enumerate(features)}
    splits: list[Split] = [
        replace(split, feature=place[split.feature])
        if isinstance(split, UnivariateSplit)
        else MultivariateSplit(split.weights[features], split.threshold)
        for split in diagram.splits
    ]
    return replace(diagram, splits=tuple(splits), n_features=int(features.size))


def restore_features(diagram: DecisionDiagram, features: IntArray | None, n_features: int) -> DecisionDiagram:
    """Return a diagram of univariate splits on some features as one on all: the inverse of projecting it."""
    if features is None:
        return diagram
    splits = (split for split in diagram.splits if isinstance(split, UnivariateSplit))
    restored = tuple(replace(split, feature=int(features[split.feature])) for split in splits)
    return replace(diagram, splits=restored, n_features=n_features)


@dataclass(frozen=True)
class Gap:
    """The gap between the sides of a node, over the rows that reach it."""

    below: float = -math.inf  # largest value on the negative side
    above: float = math.inf  # smallest value on the positive side
    has_missing: bool = False

    @classmethod
    def of(cls, key: NDArray[np.floating], side: BoolArray) -> Gap:
        """Return the gap of rows by their keys and sides."""
        has_missing = bool(np.isnan(key.sum()) and np.isnan(key).any())  # a sum is NaN if a value is
        if has_missing:
            present = ~np.isnan(key)
            key, side = key[present], side[present]
        low = np.where(side, -math.inf, key).max(initial=-math.inf)
        high = np.where(side, key, math.inf).min(initial=math.inf)
        return cls(float(low), float(high), has_missing)

    def merge(self, other: Gap) -> Gap:
        """Return the gap of the rows of both."""
        missing = self.has_missing or other.has_missing
        return Gap(max(self.below, other.below), min(self.above, other.above), missing)


@dataclass(frozen=True, eq=False)
class Passage:
    """The rows of a large table on their way through a diagram."""

    counts: NDArray[np.int64]  # (n_arcs, n_classes): weight of each class that takes each arc, in integers
    gaps: tuple[Gap, ...]  # of each node


@dataclass(frozen=True, eq=False)
class PassRows:
    """The work of adding up the weight of each class on each arc, in integers, and of finding gaps.

    Every node looks at its own rows only, so that a row costs as much as the diagram has layers.
    """

    diagram: DecisionDiagram
    n_classes: int
    factor: float  # by which weights become integers

    def add(self, block: RowBlock, total: Passage | None) -> Passage:
        """Return the passage of a block, with that of others."""
        diagram, step, used = project_diagram(self.diagram, block.features), CHUNK_ROWS, None
        if any(isinstance(split, MultivariateSplit) for split in diagram.splits):
            used = used_features(diagram)
            diagram, step = project_diagram(diagram, used), min(step, max(1, CHUNK_CELLS // used.size))
        weight = None if block.weight is None else (block.weight * self.factor).astype(np.int64)
        for first in range(0, max(1, block.n_rows), step):
            chunk = slice(first, first + step)
            own_weight = None if weight is None else weight[chunk]
            X = block.X[chunk]
            if used is not None:  # sums go through it column by column
                X = np.asfortranarray(X if used.size == X.shape[1] else X[:, used])
            own = self._pass_chunk(diagram, X, block.codes[chunk], own_weight)
            total = own if total is None else self.merge(own, total)
        return cast(Passage, total)

    def _pass_chunk(
        self,
        diagram: DecisionDiagram,
        X: NDArray[np.floating],
        codes: NDArray[np.integer],
        weight: NDArray[np.int64] | None,
    ) -> Passage:
        n_classes, n_nodes = self.n_classes, diagram.n_nodes
        counts = np.zeros((max(1, 2 * n_nodes), n_classes), dtype=np.int64)
        if n_nodes == 0:
            counts[0] = count_integers(codes, weight, n_classes, self.factor)
            return Passage(counts, ())
        node_of_row = np.zeros(len(X), dtype=np.int16)
        child = np.column_stack([diagram.negative, diagram.positive]).astype(np.int16)
        gaps = []
        for node, split in enumerate(diagram.splits):  # arcs lead to later nodes
            at = np.flatnonzero(node_of_row == node) if node else slice(None)
            key = _key_of_rows(split, X, at)
            side = split.compare(key)
            gaps.append(Gap.of(key, side))
            node_of_row[at] = child[node].take(side)
            cell = codes[at] + np.where(side, n_classes, 0)
            own_weight = None if weight is None else weight[at]
            own = count_integers(cell, own_weight, 2 * n_classes, self.factor)
            counts[2 * node : 2 * node + 2] = own.reshape(2, n_classes)
        return Passage(counts, tuple(gaps))

    def merge(self, one: Passage, other: Passage) -> Passage:
        """Return the passage of the rows of both."""
        gaps = tuple(first.merge(second) for first, second in zip(one.gaps, other.gaps, strict=True))
        return Passage(one.counts + other.counts, gaps)


def count_integers(
    cell: NDArray[np.integer], weight: NDArray[np.int64] | None, n_cells: int, factor: float
) -> NDArray[np.int64]:
    """Add up integer weights by cell, exactly; None for ones, times the factor."""
    if weight is None:
        return np.asarray(np.bincount(cell, minlength=n_cells) * np.int64(factor))
    high, low = weight >> HALF_BITS, weight & (2**HALF_BITS - 1)
    counts = np.bincount(cell, high.astype(np.float64), n_cells).astype(np.int64) << HALF_BITS
    return np.asarray(counts + np.bincount(cell, low.astype(np.float64), n_cells).astype(np.int64))


def _key_of_rows(split: Split, X: NDArray[np.floating], at: IntArray | slice) -> FloatArray:
    """Return the keys of some rows of X, or of all for a slice."""
    if isinstance(split, UnivariateSplit):
        return np.array(X[:, split.feature][at], dtype=np.float64)  # twice as fast as X[at, feature]
    if isinstance(at, slice):
        return split.key(X)
    return split.key(X)[at] if 3 * at.size > len(X) else split.key(X[at])


@dataclass(frozen=True, eq=False)
class HashRows:
    """The work of hashing all rows with their weights and costs, in any order."""

    cost_matrix: FloatArray

    def add(self, block: RowBlock, total: tuple[int, int] | None) -> tuple[int, int]:
        """Return the two sums of a block, added to those of others."""
        weight = block.class_weight(self.cost_matrix.shape[0])
        # what row_costs sums to for rows of one class, ten times as fast; -0.0 becomes 0.0 in both
        cost = (self.cost_matrix + 0.0).take(block.codes, axis=0)
        if block.weight is not None:
            cost *= block.weight[:, None]
        own = sum_row_hashes(block.X, weight, cost)
        return own if total is None else self.merge(own, total)

    def merge(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        """Return the sums of both."""
        return (one[0] + other[0]) % HASH_MODULUS, (one[1] + other[1]) % HASH_MODULUS


def take_first_sample(source: RowSource) -> RowBlock:
    """Return the rows by which a table is known before its search; they are read once."""
    count = min(source.n_rows, FIRST_SAMPLE_ROWS)
    rows = np.sort(np.random.default_rng(0).choice(source.n_rows, count, replace=False))
    source.prepare_samples([rows])
    return source.take(rows)


def find_varying(source: RowSource) -> BoolArray:
    """Return True for the features with two values or more, missing counted as one.

    Where a feature has one value in the first sample, all rows are read.
    """
    varies = _list_varying(FindRanges().add(take_first_sample(source), None))
    if varies.all():
        return varies
    ranges = source.reduce(FindRanges())
    return varies if ranges is None else _list_varying(ranges)


def _list_varying(ranges: tuple[FloatArray, FloatArray, BoolArray]) -> BoolArray:
    low, high, has_missing = ranges
    return np.asarray((low < high) | (has_missing & (low <= high)))


class FindRanges:
    """The work of finding the smallest and largest value of each feature, and which have missing ones."""

    def add(
        self, block: RowBlock, total: tuple[FloatArray, FloatArray, BoolArray] | None
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return the ranges of a block, with those of others."""
        missing = np.isnan(block.X)
        low = np.where(missing, np.inf, block.X).min(axis=0, initial=np.inf)
        high = np.where(missing, -np.inf, block.X).max(axis=0, initial=-np.inf)
        own = (low, high, missing.any(axis=0))
        return own if total is None else self.merge(own, total)

    def merge(
        self, one: tuple[FloatArray, FloatArray, BoolArray], other: tuple[FloatArray, FloatArray, BoolArray]
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return the ranges of both."""
        return np.minimum(one[0], other[0]), np.maximum(one[1], other[1]), one[2] | other[2]
