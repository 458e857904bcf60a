"""Costs and constraint rows in integers: the unit of all costs, and the loss of rounding to it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.routing import row_blocks
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.tolerances import GRID_TOLERANCE, VIOLATION_TOLERANCE

MAX_INTEGER = 2**50  # sums of integers stay below this: exact in float64, and far from any overflow

# fractions with a larger denominator, or common denominator, are not searched for, nor those of more numbers:
# one takes about 10 microseconds
MAX_DENOMINATOR = 10_000
MAX_COMMON_DENOMINATOR = 2**40
MAX_FRACTIONS = 50_000

# a float is taken for a fraction if their relative difference is at most this: rounding
ROUNDING = 2.0**-50

# the loss may change an objective, or the value of a constraint row, by this much: a tenth of the tolerances
# of optimality and of constraint violation
MAX_LOSS = 1e-10

MAX_EXPONENT = 1000  # exponent of a power of two that is far from the overflow of a float


@dataclass(frozen=True, eq=False)
class ScaledIntegers:
    """Integers in place of ``scale * numbers``."""

    values: IntArray
    scale: float
    error: FloatArray  # largest possible distance of each integer to ``scale * number``

    @classmethod
    def from_numbers(cls, numbers: FloatArray, max_sum: float) -> ScaledIntegers:
        """Scale numbers whose sums never exceed ``max_sum`` in absolute value."""
        scale = _common_denominator(numbers)
        if scale is None or scale * max_sum > MAX_INTEGER:
            exponent = math.floor(math.log2(MAX_INTEGER) - math.log2(max_sum)) if max_sum > 0 else 0
            scale = 2.0 ** min(exponent, MAX_EXPONENT)
        # in place: costs by row and class of a table of few columns have as many numbers as it
        scaled = scale * numbers
        values = np.rint(scaled, out=scaled).astype(np.int64)
        divisor = int(np.gcd.reduce(values, axis=None)) or 1
        scale /= divisor
        values //= divisor
        error = np.multiply(scale, numbers, out=scaled)
        error -= values
        np.abs(error, out=error)
        error += ROUNDING * scale * np.abs(numbers)
        return cls(values, scale, error)


@dataclass(frozen=True, eq=False)
class CostUnits:
    """The costs of a problem in integers, penalties of soft constraint rows included."""

    step: float  # the greatest number of which all costs, if they are integers, are multiples; else 0
    cost: IntArray  # (m, n_classes)
    scale: float  # units per cost; 1 / step when all costs are integers and no row is soft
    loss: float  # largest possible distance of the integer cost of a diagram to ``scale`` times its cost
    penalty: IntArray  # (n_soft,): of each soft row, for one unit of violation of the row in integers
    rounding: float  # of a bound on the cost: what floating point may have added to it

    @classmethod
    def from_costs(cls, cost: FloatArray, rows: LinearRows, total_weight: float) -> CostUnits:
        """Scale the costs (m, n_classes) of a problem, whose objective is the cost by the total weight."""
        soft = [row for row in scale_rows(rows) if row.is_soft] if rows.any_soft else []
        price = total_weight * np.array([row.penalty / row.scale for row in soft])
        max_violation = np.array([float(row.max_violation) for row in soft])
        max_sum = float(cost.max(axis=1, initial=0.0).sum()) + float(price @ max_violation)
        numbers = np.concatenate([cost.ravel(), price]) if price.size else cost.ravel()
        scaled = ScaledIntegers.from_numbers(numbers, max_sum)
        values, penalty = np.split(scaled.values, [cost.size])
        cost_error, penalty_error = np.split(scaled.error, [cost.size])
        loss = float(cost_error.reshape(cost.shape).max(axis=1, initial=0.0).sum())
        loss += float(penalty_error @ max_violation)
        # the loss of the rows themselves is paid for, too
        loss += scaled.scale * float(price @ np.array([row.loss for row in soft]))
        rounding = GRID_TOLERANCE * total_weight
        return cls(common_divisor(cost), values.reshape(cost.shape), scaled.scale, loss, penalty, rounding)

    @property
    def is_exact(self) -> bool:
        """True when the loss is too small to change what is proved."""
        return self.loss / self.scale <= MAX_LOSS / GRID_TOLERANCE * self.rounding

    def max_cost_below(self, cost: float) -> int:
        """Return the largest integer cost of a diagram that costs less than ``cost``."""
        return math.ceil(self.scale * cost + self.loss) - 1

    def min_cost_of(self, bound: float) -> int:
        """Return the smallest integer cost of a diagram that costs at least ``bound``, up to rounding."""
        return max(0, math.ceil(self.scale * (bound - self.rounding) - self.loss))

    def to_cost(self, integer: int) -> float:
        """Return a lower bound on the cost of diagrams with at least this integer cost."""
        return (integer - self.loss) / self.scale


@dataclass(frozen=True, eq=False)
class IntegerRow:
    """A constraint row ``lower <= sum of coefficients * observables <= upper`` in integers.

    A hard row, of infinite penalty, holds for every diagram that satisfies the original. The violation of a
    soft row is ``scale`` times that of the original, up to ``loss``.
    """

    observables: IntArray
    coefficients: IntArray
    lower: int
    upper: int
    scale: float
    loss: float
    penalty: float

    @property
    def is_soft(self) -> bool:
        """True when the row may be violated for its penalty."""
        return math.isfinite(self.penalty)

    @property
    def is_exact(self) -> bool:
        """True when the loss is too small to matter; the loss of soft rows counts as cost."""
        return self.is_soft or self.loss / self.scale <= MAX_LOSS

    @property
    def max_violation(self) -> int:
        """The largest possible violation."""
        low = int(self.coefficients[self.coefficients < 0].sum())
        high = int(self.coefficients[self.coefficients > 0].sum())
        return max(0, self.lower - low, high - self.upper)


def scale_rows(rows: LinearRows) -> list[IntegerRow]:
    """Return the constraint rows of a problem in integers."""
    matrix = rows.matrix
    scaled = []
    for row, limits in enumerate(zip(rows.lower.tolist(), rows.upper.tolist(), strict=True)):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        scale_row = _scale_soft_row if rows.is_soft[row] else _scale_hard_row
        penalty = float(rows.penalty[row])
        scaled.append(scale_row(matrix.indices[entries], matrix.data[entries], limits, penalty))
    return scaled


def _scale_hard_row(
    observables: IntArray, coefficients: FloatArray, limits: tuple[float, float], penalty: float
) -> IntegerRow:
    scaled = ScaledIntegers.from_numbers(coefficients, float(np.abs(coefficients).sum()))
    loss = float(scaled.error.sum())
    lower = math.ceil(_clip(scaled.scale * (limits[0] - VIOLATION_TOLERANCE) - loss))
    upper = math.floor(_clip(scaled.scale * (limits[1] + VIOLATION_TOLERANCE) + loss))
    return IntegerRow(observables, scaled.values, lower, upper, scaled.scale, loss, penalty)


def _scale_soft_row(
    observables: IntArray, coefficients: FloatArray, limits: tuple[float, float], penalty: float
) -> IntegerRow:
    # limits are scaled with the coefficients: the distance to them is what is paid for
    finite = [limit for limit in limits if math.isfinite(limit)]
    numbers = np.concatenate([coefficients, finite])
    scaled = ScaledIntegers.from_numbers(numbers, float(np.abs(numbers).sum()))
    scaled_limits = iter(scaled.values[coefficients.size :].tolist())
    ends = (-2 * MAX_INTEGER, 2 * MAX_INTEGER)
    lower, upper = (
        next(scaled_limits) if math.isfinite(limit) else end for limit, end in zip(limits, ends, strict=True)
    )
    values, loss = scaled.values[: coefficients.size], float(scaled.error.sum())
    return IntegerRow(observables, values, lower, upper, scaled.scale, loss, penalty)


def _clip(value: float) -> float:
    """Return the value, or one beyond all sums in its stead."""
    return max(-2.0 * MAX_INTEGER, min(2.0 * MAX_INTEGER, value))


def common_divisor(cost: FloatArray) -> float:
    """Return the greatest common divisor of all costs, 0 when they are not exact integers."""
    if cost.max(initial=0.0) * max(1, cost.shape[0]) > MAX_INTEGER:
        return 0.0
    divisor = 0
    for block in row_blocks(cost.shape[0]):
        part = cost[block]
        if (part != np.floor(part)).any():
            return 0.0
        if divisor != 1:
            divisor = math.gcd(divisor, int(np.gcd.reduce(part.astype(np.int64), axis=None)))
    return float(divisor)


def largest_step(cost: FloatArray) -> float:
    """Return the greatest number of which all costs (m, n_classes) are multiples, or 0: unknown.

    Balanced class weights are fractions, and so is their step.
    """
    distinct = np.zeros(1)
    for block in row_blocks(cost.shape[0]):
        distinct = np.union1d(distinct, cost[block])
        if distinct.size > MAX_FRACTIONS:  # a step of so many numbers is no use: it is tiny beside their sum
            return 0.0
    scale = _common_denominator(distinct)
    if scale is None or scale * distinct[-1] * max(1, cost.shape[0]) > MAX_INTEGER:
        return 0.0
    return float(np.gcd.reduce(np.rint(scale * distinct).astype(np.int64))) / scale


def _common_denominator(numbers: FloatArray) -> float | None:
    """Return the common denominator of all numbers as fractions, None if they have no small one."""
    if (numbers == np.floor(numbers)).all():
        return 1.0
    distinct = np.unique(numbers).tolist()
    common = 1
    for denominator in _denominators(distinct) if len(distinct) <= MAX_FRACTIONS else [None]:
        if denominator is None:
            return None
        common = math.lcm(common, denominator)
        if common > MAX_COMMON_DENOMINATOR:
            return None
    return float(common)


def _denominators(values: Iterable[float]) -> Iterable[int | None]:
    for value in values:
        fraction = Fraction(value).limit_denominator(MAX_DENOMINATOR)
        yield fraction.denominator if abs(float(fraction) - value) <= ROUNDING * abs(value) else None
