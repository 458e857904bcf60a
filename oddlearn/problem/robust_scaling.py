"""The box of hyperplanes and their margin: a scale that single outliers do not move, a margin by density.

A column's box is its range within Tukey's far fences: from 3 interquartile ranges below the first quartile to
3 above the third. A column without outliers fills 0 to 1, an outlier lies outside. Half of the rows fill at
least a seventh of the box, however skewed the column is.

The margin must be above rounding. Weights of absolute sum 1 in the box make a key whose terms add up to at
most the largest coordinate, and a sum of d terms is off by at most d eps times that. In raw units nothing is
subtracted first, and the largest value divided by the span takes the place of the coordinate. So a box is
widened until both are at most margin / (8 d eps): rounding then stays below a quarter of the margin.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.scaling import UnitScaling
from oddlearn.table.column_medians import column_blocks

FENCE_RANGES = 3.0  # interquartile ranges from the quartiles to the fences: Tukey's "far out"

# a value that a larger share of the rows has says nothing of the spread of the others
MAX_COMMON_SHARE = 0.25

MAX_QUARTILE_ROWS = 100_000  # of more rows an even sample is enough for quartiles

# share of the mean distance of the rows along a direction: 1 % of all gaps are narrower
MARGIN_SHARE = 0.01

# up to 100 rows the paper's margin; the smallest is ten times what HiGHS can be asked to keep rows within
MAX_MARGIN, MIN_MARGIN = 1e-4, 1e-7

EPS = float(np.finfo(np.float64).eps)


def choose_margin(n_rows: int) -> float:
    """Return a margin for so many distinct rows: a power of ten at or below a hundredth of their distance.

    m rows spread over the box leave gaps of about 1 / m along a direction.
    """
    power = math.floor(math.log10(MARGIN_SHARE / max(n_rows, 1)) + 1e-9)
    return min(MAX_MARGIN, max(MIN_MARGIN, 10.0**power))


def fit_robust_scaling(X: NDArray[np.floating], margin: float) -> UnitScaling:
    """Return the box of the distinct rows X (m, n_features), m at least 1, for hyperplanes with a margin."""
    rows = np.asarray(X, dtype=np.float64)
    lowest, highest = rows.min(axis=0), rows.max(axis=0)
    places = np.linspace(0, len(rows) - 1, min(len(rows), MAX_QUARTILE_ROWS)).astype(np.intp)
    blocks = column_blocks(places.size, rows.shape[1])
    fences = np.hstack([find_fences(np.sort(rows[places, block].T, axis=1)) for block in blocks])
    low, high = np.maximum(fences[0], lowest), np.minimum(fences[1], highest)
    half = np.maximum(high / 2 - low / 2, _min_half_span(lowest, highest, low, margin))
    # a column that is widened no further keeps its value of 1 to the last bit
    return UnitScaling(low, np.where(half > high / 2 - low / 2, _add_span(low, half), high))


def _min_half_span(lowest: FloatArray, highest: FloatArray, low: FloatArray, margin: float) -> FloatArray:
    """Return half of the smallest span that rounding allows; 0 for constant columns."""
    farthest = np.maximum(low / 2 - lowest / 2, highest / 2 - low / 2)
    largest = np.maximum(np.abs(lowest), np.abs(highest))
    half = np.maximum(8 * EPS * farthest, 4 * EPS * largest) * (lowest.size / margin)
    # the sum of low and span is rounded by at most eps |low|, less than this share of the span
    return np.where(lowest < highest, half * (1 + margin), 0.0)


def _add_span(low: FloatArray, half: FloatArray) -> FloatArray:
    most = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(low + half + half, -most, most))


def find_fences(values: FloatArray) -> FloatArray:
    """Return the fences (2, k) of sorted columns (k, m): far out is what lies below or above them.

    If one value of a column is common (0 in a column of counts, a code for missing ones), those of the
    others. If these have no spread either, the two values.
    """
    n_columns, n_rows = values.shape
    columns = np.arange(n_columns)
    common, start, count = _find_common(values)
    # what is left without a value that is too common
    n_left = n_rows - count
    quarter = np.maximum(n_left - 1, 0) // 4
    places = np.stack([quarter, np.maximum(n_left - 1, 0) - quarter])
    first, third = values[columns, np.minimum(places + np.where(places < start, 0, count), n_rows - 1)]
    first, third = np.where(n_left == 0, common, first), np.where(n_left == 0, common, third)
    with np.errstate(over="ignore"):
        reach = FENCE_RANGES * (third - first)  # inf where the range is
        low, high = first - reach, third + reach
    is_flat = first == third
    low = np.where(is_flat, np.minimum(common, first), low)
    return np.stack([low, np.where(is_flat, np.maximum(common, first), high)])


def _find_common(values: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the most frequent value of sorted columns (k, m), its first place, and its number if too common.

    The number is 0 if the value is not too common.
    """
    n_columns, n_rows = values.shape
    places = np.broadcast_to(np.arange(n_rows), values.shape)
    starts = np.ones(values.shape, dtype=bool)
    starts[:, 1:] = values[:, 1:] != values[:, :-1]
    start = np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    last = (places - start).argmax(axis=1)  # of the first of the longest runs
    columns = np.arange(n_columns)
    first = start[columns, last]
    count = last - first + 1
    is_common = (count > 1) & (count > MAX_COMMON_SHARE * n_rows)
    return values[columns, last], first, np.where(is_common, count, 0)
