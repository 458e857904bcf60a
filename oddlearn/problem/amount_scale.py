"""Weights and costs of a large table as integers, whose sums do not depend on the order of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.streaming.row_source import RowSource

# sums of integers below this stay in 32 bits
MAX_INT32 = 2**31 - 1

# bits of the largest sum of costs that are no integers, or too large for 32 bits
SUM_BITS = 62
MAX_EXPONENT = 1000


@dataclass(frozen=True)
class AmountScale:
    """Costs in integers: sums of them are the same in any order, so for any division of the rows."""

    amount_type: type[Any]  # of sums: 32-bit integers where costs are integers and few, else 64-bit ones
    factor: float  # a power of two: costs are multiplied by it and cut off

    @classmethod
    def choose(cls, largest_sum: float, is_integer: bool) -> AmountScale:
        """Return the scale for sums of at most so much."""
        if is_integer and largest_sum <= MAX_INT32:
            return cls(np.int32, 1.0)
        exponent = SUM_BITS - math.frexp(largest_sum)[1]
        return cls(np.int64, math.ldexp(1.0, max(-MAX_EXPONENT, min(MAX_EXPONENT, exponent))))


def choose_scale(source: RowSource, cost_matrix: FloatArray) -> AmountScale:
    """Return the scale of the costs of a source, from numbers that do not depend on the order of its rows."""
    costs, flow = getattr(source, "cost", None), getattr(source, "flow", None)
    if costs is None:
        most = source.n_rows * source.weights.largest * max(1.0, float(cost_matrix.max(initial=0.0)))
        is_integer = source.weights.is_integer and bool((cost_matrix == np.floor(cost_matrix)).all())
    else:
        most = float(costs.max(axis=1, initial=0.0).sum())
        is_integer = bool((costs == np.floor(costs)).all())
    if flow is not None:
        most, is_integer = max(most, float(flow.sum())), is_integer and bool((flow == np.floor(flow)).all())
    return AmountScale.choose(most, is_integer)
