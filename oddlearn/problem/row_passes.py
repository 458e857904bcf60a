"""Work on the raw rows of a large table, a block at a time: weights on arcs, hashes, gaps at thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import RoutingTrace, route_reference
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.kernels.histogram.row_hashes import sum_row_hashes
from oddlearn.problem.training_data import row_costs
from oddlearn.table.row_source import RowBlock

# integers of 62 bits in two halves: sums over a block are exact in floating point
HALF_BITS = 31

HASH_MODULUS = 2**64


def used_features(diagram: DecisionDiagram) -> IntArray:
    """Return the features that a diagram asks about, ascending."""
    return np.array(diagram.used_features, dtype=np.intp)


def project_diagram(diagram: DecisionDiagram, features: IntArray | None) -> DecisionDiagram:
    """Return a diagram of univariate splits for rows that have some features only; None for all."""
    if features is None:
        return diagram
    place = {int(feature): new for new, feature in enumerate(features)}
    splits: list[Split] = [
        replace(split, feature=place[split.feature]) if isinstance(split, UnivariateSplit) else split
        for split in diagram.splits
    ]
    return replace(diagram, splits=tuple(splits), n_features=int(features.size))


@dataclass(frozen=True, eq=False)
class CountArcs:
    """The work of adding up the weight of each class on each arc, in integers.

    Attributes
    ----------
    diagram : DecisionDiagram
    n_classes : int
    factor : float
        By which weights become integers.
    only_final : bool
        True for the weight that ends on an arc: all else is 0.
    """

    diagram: DecisionDiagram
    n_classes: int
    factor: float
    only_final: bool

    def add(self, block: RowBlock, total: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Return the weights of a block, shape (n_arcs, n_classes), added to those of others."""
        trace = route_reference(project_diagram(self.diagram, block.features), block.X)
        if block.weight is None:
            counts = np.asarray(self._count(trace, block.codes, None) * np.int64(self.factor))
        else:
            weight = (block.weight * self.factor).astype(np.int64)
            high, low = weight >> HALF_BITS, weight & (2**HALF_BITS - 1)
            counts = self._count(trace, block.codes, high.astype(np.float64)) << HALF_BITS
            counts += self._count(trace, block.codes, low.astype(np.float64))
        return counts if total is None else counts + total

    def merge(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the weights of both."""
        return one + other

    def _count(
        self, trace: RoutingTrace, codes: NDArray[np.integer], weight: FloatArray | None
    ) -> NDArray[np.int64]:
        """Add up weights that are integers, exactly; None for ones."""
        n_classes, n_nodes = self.n_classes, self.diagram.n_nodes
        n_arcs = max(1, 2 * n_nodes)
        if self.only_final or n_nodes == 0:
            cell = trace.final_arc * n_classes + codes
            counts = np.bincount(cell, weight, n_arcs * n_classes)
            return counts.astype(np.int64).reshape(n_arcs, n_classes)
        own = np.zeros((codes.size, n_classes))
        own[np.arange(codes.size), codes] = 1.0 if weight is None else weight
        sums = np.empty((n_nodes, 2, n_classes))
        for side, taken in enumerate((trace.reached & ~trace.sides, trace.reached & trace.sides)):
            sums[:, side] = taken.T.astype(np.float64) @ own
        return sums.astype(np.int64).reshape(n_arcs, n_classes)


@dataclass(frozen=True, eq=False)
class HashRows:
    """The work of hashing all rows with their weights and costs, in any order."""

    cost_matrix: FloatArray

    def add(self, block: RowBlock, total: tuple[int, int] | None) -> tuple[int, int]:
        """Return the two sums of a block, added to those of others."""
        weight = block.class_weight(self.cost_matrix.shape[0])
        own = sum_row_hashes(block.X, weight, row_costs(weight, self.cost_matrix))
        return own if total is None else self.merge(own, total)

    def merge(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        """Return the sums of both."""
        return (one[0] + other[0]) % HASH_MODULUS, (one[1] + other[1]) % HASH_MODULUS


@dataclass(frozen=True)
class Gap:
    """The gap between the sides of a node, over the rows that reach it.

    Attributes
    ----------
    below, above : float
        Largest value on the negative and smallest on the positive side.
    has_missing : bool
    """

    below: float = -math.inf
    above: float = math.inf
    has_missing: bool = False

    @classmethod
    def of(cls, key: FloatArray, side: BoolArray) -> Gap:
        """Return the gap of rows by their keys and sides."""
        missing = np.isnan(key)
        below = float(key[~side & ~missing].max(initial=-math.inf))
        return cls(below, float(key[side & ~missing].min(initial=math.inf)), bool(missing.any()))

    def merge(self, other: Gap) -> Gap:
        """Return the gap of the rows of both."""
        missing = self.has_missing or other.has_missing
        return Gap(max(self.below, other.below), min(self.above, other.above), missing)


@dataclass(frozen=True, eq=False)
class FindGaps:
    """The work of finding the gap at each node of a diagram."""

    diagram: DecisionDiagram

    def add(self, block: RowBlock, total: list[Gap] | None) -> list[Gap]:
        """Return the gaps of a block, narrowed by those of others."""
        diagram = project_diagram(self.diagram, block.features)
        trace, gaps = route_reference(diagram, block.X), []
        for node, split in enumerate(diagram.splits):
            at = np.flatnonzero(trace.reached[:, node])
            gaps.append(Gap.of(split.key(block.X)[at], trace.sides[at, node]))
        return gaps if total is None else self.merge(gaps, total)

    def merge(self, one: list[Gap], other: list[Gap]) -> list[Gap]:
        """Return the gaps of both."""
        return [first.merge(second) for first, second in zip(one, other, strict=True)]


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
