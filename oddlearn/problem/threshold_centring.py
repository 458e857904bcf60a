"""Thresholds in the middle half of their gaps, for the rows of a large table in one pass."""

from __future__ import annotations

import math

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import (
    MultivariateSplit,
    Split,
    UnivariateSplit,
    short_threshold_between,
)
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.row_passes import Gap
from oddlearn.problem.short_sums import THRESHOLD_SHARE


def centre_thresholds(diagram: DecisionDiagram, data: LargeData) -> DecisionDiagram:
    """Return a diagram that routes the rows alike, its thresholds centred."""
    if diagram.n_nodes == 0:
        return diagram
    gaps = data.pass_rows(diagram).gaps
    weights = data.arc_weights(diagram).sum(axis=1).reshape(-1, 2)
    splits: list[Split] = [
        _centre(split, gap, weight) if isinstance(split, UnivariateSplit) else _centre_sum(split, gap)
        for gap, split, weight in zip(gaps, diagram.splits, weights, strict=True)
    ]
    return diagram.with_splits(tuple(splits))


def _centre_sum(split: MultivariateSplit, gap: Gap) -> MultivariateSplit:
    """Return a weighted sum with its threshold near the middle of the gap."""
    if not (math.isfinite(gap.below) and math.isfinite(gap.above)):
        return split
    return split.with_threshold(short_threshold_between(gap.below, gap.above, THRESHOLD_SHARE))


def _centre(split: UnivariateSplit, gap: Gap, weight: FloatArray) -> UnivariateSplit:
    """Return the split with its threshold in the middle half of the gap.

    Later missing values take the side with more weight unless some were there in training.
    """
    if not split.asks_missing and math.isfinite(gap.below) and math.isfinite(gap.above):
        split = split.with_threshold(short_threshold_between(gap.below, gap.above))
    has_side = gap.has_missing or split.asks_missing
    return split if has_side else split.with_missing(bool(weight[1] > weight[0]))
