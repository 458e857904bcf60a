"""A split of two terms in the plane of its columns: the rows at its node as points, and its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.routing import route_reference
from oddlearn.view.inputs import ModelView
from oddlearn.view.predictions import Predictions

MAX_POINTS = 500  # of a plane; of more rows, some spread evenly

# the outermost values of a column, a share on each side, are drawn at the edge
TAIL_SHARE = 0.01

PADDING = 0.04  # share of the range that is added on each side


@dataclass(frozen=True, eq=False)
class SplitPlane:
    """The rows at a node in the plane of the two columns of its split.

    Attributes
    ----------
    names : tuple of str
        Of the column to the right, and of the column upwards.
    low, high : (2,) float
        Ends of both axes.
    points : (n, 2) float
        Between these ends.
    codes : (n,) int
        Class of each point, 0 where no labels are known.
    line : (2, 2) float or None
        Ends of the line; None where it lies outside.
    """

    names: tuple[str, str]
    low: FloatArray
    high: FloatArray
    points: FloatArray
    codes: IntArray
    line: FloatArray | None

    def to_shares(self, points: FloatArray) -> FloatArray:
        """Return points as shares of both axes."""
        return np.asarray((points - self.low) / (self.high - self.low))


def build_planes(view: ModelView, samples: Predictions | None) -> list[SplitPlane | None]:
    """Return the plane of each node; None for splits of another number of terms, and without rows."""
    diagram = view.diagram
    if samples is None or not diagram.n_nodes:
        return [None] * diagram.n_nodes
    reached = route_reference(diagram, samples.X).reached
    return [_build_plane(view, node, samples, reached[:, node]) for node in range(diagram.n_nodes)]


def _build_plane(view: ModelView, node: int, samples: Predictions, at: BoolArray) -> SplitPlane | None:
    split = view.diagram.splits[node]
    weights = split.dense_weights(view.diagram.n_features)
    used = np.flatnonzero(weights)
    features = [view.metadata.feature(int(one)) for one in used]
    if used.size != 2 or any(feature.is_binary or feature.timestamp_kind for feature in features):
        return None
    rows = np.flatnonzero(at & np.isfinite(samples.X[:, used]).all(axis=1))
    if not rows.size:
        return None
    low, high = _choose_range(samples.X[np.ix_(rows, used)])
    rows = rows[np.unique(np.linspace(0, rows.size - 1, min(rows.size, MAX_POINTS)).astype(np.intp))]
    points = np.clip(samples.X[np.ix_(rows, used)], low, high)
    codes = np.zeros(rows.size, dtype=np.intp) if samples.codes is None else samples.codes[rows]
    names = (features[0].name, features[1].name)
    return SplitPlane(names, low, high, points, codes, _cut_box(weights[used], split.threshold, low, high))


def _choose_range(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of both axes."""
    low, high = np.quantile(points, [TAIL_SHARE, 1 - TAIL_SHARE], axis=0, method="nearest")
    pad = PADDING * np.where(high > low, high - low, 1.0)
    return low - pad, high + pad


def _cut_box(
    weights: Sequence[float] | FloatArray, threshold: float, low: FloatArray, high: FloatArray
) -> FloatArray | None:
    """Return the two points (2, 2) where the line of a split leaves a box; None if it does not meet it."""
    ends = []
    for axis in (0, 1):
        other = 1 - axis
        for value in (low[axis], high[axis]):
            crossing = (threshold - weights[axis] * value) / weights[other]
            if low[other] <= crossing <= high[other]:
                ends.append([value, crossing] if axis == 0 else [crossing, value])
    if len(ends) < 2:
        return None
    found = np.array(ends)
    return found[[found[:, 0].argmin(), found[:, 0].argmax()]]
