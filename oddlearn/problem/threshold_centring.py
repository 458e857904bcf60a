"""Thresholds in the middle half of their gaps, for the rows of a large table block by block."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference, row_blocks
from oddlearn.diagram.splits import Split, UnivariateSplit, short_threshold_between


@dataclass
class _Gap:
    """The gap between the sides of a node, over the rows that reach it."""

    below: float = -math.inf  # largest value on the negative side
    above: float = math.inf  # smallest value on the positive side
    weight: float = 0.0  # on the positive side less that on the negative side
    has_missing: bool = False

    def add(self, key: FloatArray, side: BoolArray, weight: FloatArray) -> None:
        """Add rows by their keys, sides and weights."""
        missing = np.isnan(key)
        self.has_missing = self.has_missing or bool(missing.any())
        self.below = float(key[~side & ~missing].max(initial=self.below))
        self.above = float(key[side & ~missing].min(initial=self.above))
        self.weight += float(weight[side].sum() - weight[~side].sum())

    def centre(self, split: UnivariateSplit) -> UnivariateSplit:
        """Return the split with its threshold in the middle half of the gap.

        Later missing values take the side with more weight unless some were there in training.
        """
        if not split.asks_missing and math.isfinite(self.below) and math.isfinite(self.above):
            split = split.with_threshold(short_threshold_between(self.below, self.above))
        return split if self.has_missing or split.asks_missing else split.with_missing(self.weight > 0)


def centre_thresholds(
    diagram: DecisionDiagram, X: NDArray[np.floating], class_weight: FloatArray
) -> DecisionDiagram:
    """Return a diagram of univariate splits that routes the rows of X alike, its thresholds centred."""
    gaps = [_Gap() for _ in diagram.splits]
    for block in row_blocks(X.shape[0]):
        trace, weight = route_reference(diagram, X[block]), class_weight[block].sum(axis=1)
        for node, (gap, split) in enumerate(zip(gaps, diagram.splits, strict=True)):
            at = np.flatnonzero(trace.reached[:, node])
            gap.add(split.key(X[block])[at], trace.sides[at, node], weight[at])
    splits: list[Split] = [
        gap.centre(split) if isinstance(split, UnivariateSplit) else split
        for gap, split in zip(gaps, diagram.splits, strict=True)
    ]
    return diagram.with_splits(tuple(splits))
