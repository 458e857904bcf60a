"""Confidence intervals of the shares on final arcs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata

Z_95 = 1.959963984540054  # of the standard normal distribution, for 95 %

INTERVAL_FIELDS = [(name, "i8") for name in ("arc", "class")]
INTERVAL_FIELDS += [(name, "f8") for name in ("n_rows", "share", "low", "high")]


def wilson_interval(count: float, total: float) -> tuple[float, float]:
    """Return the 95 % score interval of Wilson (1927) for ``count`` of ``total``; (0, 1) of nothing."""
    if not total > 0:
        return 0.0, 1.0
    share, spread = count / total, Z_95 * Z_95 / total
    centre = (share + spread / 2) / (1 + spread)
    half = Z_95 / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return max(0.0, centre - half), min(1.0, centre + half)


def arc_intervals(diagram: DecisionDiagram, metadata: ModelMetadata) -> NDArray[Any]:
    """Return for each final arc the share of its training rows that have its class, with a 95 % interval.

    A structured array with the fields arc (2 * node + side), class (a code), n_rows, share, low and high; the
    interval is Wilson's. It treats the arc as given: the diagram was fitted to the same rows, so that
    shares on new rows tend to be lower. Class weights do not count. With sample weights the numbers of rows
    are not known to the model, and low and high are nan.
    """
    rows, counts = [], metadata.arc_counts
    for arc in diagram.final_arcs:
        code = int(diagram.arc_class[arc])
        count, total = float(counts[arc, code]), float(counts[arc].sum())
        low, high = (math.nan, math.nan) if metadata.is_weighted else wilson_interval(count, total)
        rows.append((arc, code, total, count / total if total > 0 else math.nan, low, high))
    return np.array(rows, dtype=INTERVAL_FIELDS)
