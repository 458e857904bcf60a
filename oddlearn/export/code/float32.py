"""Thresholds for those who compare ``x <= threshold`` after rounding x to float32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import Split
from oddlearn.diagram.trace import walk
from oddlearn.errors import UnsupportedError


def float32_thresholds(diagram: DecisionDiagram, rows: NDArray[np.floating] | None) -> FloatArray:
    """Return a threshold per node such that ``float32(x) <= threshold`` on the negative side and only there.

    True for every x that float32 holds exactly; with rows, for all of them too, or UnsupportedError.

    Parameters
    ----------
    diagram : DecisionDiagram
        With univariate splits.
    rows : (n, n_features) float or None
    """
    thresholds = np.array([_below(split.threshold) for split in diagram.splits])
    if rows is None or diagram.n_nodes == 0:
        return thresholds
    passed = walk(diagram, rows)
    for node, split in enumerate(diagram.splits):
        here = passed.reached[:, node]
        rounded = _rounded(split.key(rows[here]))
        thresholds[node] = _apart(node, split, rounded, passed.sides[here, node], thresholds[node])
    return thresholds


def _below(threshold: float) -> float:
    """Return the largest float32 below a threshold."""
    nearest = _rounded(np.array([threshold]))[0]
    # compared as doubles: numpy would round the threshold too
    return float(nearest if float(nearest) < threshold else np.nextafter(nearest, np.float32(-np.inf)))


def _rounded(values: FloatArray) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and on the right side
        return values.astype(np.float32)


def _apart(
    node: int, split: Split, rounded: NDArray[np.float32], side: NDArray[np.bool_], threshold: float
) -> float:
    """Return the threshold, or one as near that has every rounded value on its side."""
    low, high = float(rounded[~side].max(initial=-np.inf)), float(rounded[side].min(initial=np.inf))
    if low <= threshold < high:
        return threshold
    if low < high:
        return low
    raise UnsupportedError(
        f"scikit-learn's trees round every number to float32, where rows on both sides of node {node} "
        f"({split.describe()}) fall together at {low:g}: export to C, SQL, Python or ONNX, or train on "
        "numbers rounded to float32."
    )
