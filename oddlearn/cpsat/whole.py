"""Numbers as whole numbers, with what that loses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.certificate import VIOLATION_TOLERANCE
from oddlearn.problem.lattice import LATTICE_TOLERANCE
from oddlearn.problem.problem import TrainingProblem

# whole numbers that may be added up stay below this: exact in float64, and far from any overflow
MOST_WHOLE = 2**50

# fractions with a larger common denominator are not looked for
MOST_DENOMINATOR = 10_000
MOST_COMMON_DENOMINATOR = 2**40

# a float this close to a fraction, as a share of it, is that fraction: it is rounding
NOISE = 2.0**-50

# what is lost may change an objective, or the value of a constraint, by this much: a tenth of the tolerance
# with which optimality is claimed and constraints are kept
MOST_LOSS = 1e-10

# of a power of two that is a float with room to spare
LARGEST_EXPONENT = 1000


@dataclass(frozen=True, eq=False)
class Whole:
    """Whole numbers in place of ``scale * given``.

    Attributes
    ----------
    values : int, of any shape
    scale : float
    error : float, same shape
        How far each whole number may be from ``scale * given``.
    """

    values: IntArray
    scale: float
    error: FloatArray

    @classmethod
    def of(cls, given: FloatArray, most: float) -> Whole:
        """Scale numbers of which at most ``most``, in absolute value, is ever added up."""
        scale = _fractional_scale(given)
        if scale is None or scale * most > MOST_WHOLE:
            exponent = math.floor(math.log2(MOST_WHOLE) - math.log2(most)) if most > 0 else 0
            scale = 2.0 ** min(exponent, LARGEST_EXPONENT)
        values = np.rint(scale * given).astype(np.int64)
        divisor = int(np.gcd.reduce(values, axis=None)) or 1
        values, scale = values // divisor, scale / divisor
        error = np.abs(scale * given - values) + NOISE * scale * np.abs(given)
        return cls(values, scale, error)


@dataclass(frozen=True, eq=False)
class WholeCosts:
    """The costs of a problem as whole numbers, with those of breaking soft constraints.

    Attributes
    ----------
    cost : (m, n_classes) int
    scale : float
    loss : float
        How far the whole cost of a diagram may be from ``scale`` times its cost.
    excess : (n_soft,) int
        Of each unit, in whole numbers, that a soft constraint is outside its limits.
    """

    cost: IntArray
    scale: float
    loss: float
    excess: IntArray

    @classmethod
    def of(cls, problem: TrainingProblem) -> WholeCosts:
        """Scale the costs of a problem."""
        soft = [row for row in whole_rows(problem) if row.is_soft]
        price = problem.total_weight * np.array([row.price / row.scale for row in soft])
        reach = np.array([float(row.most_excess) for row in soft])
        most = float(problem.cost.max(axis=1).sum()) + float(price @ reach)
        whole = Whole.of(np.concatenate([problem.cost.ravel(), price]), most)
        cost, excess = np.split(whole.values, [problem.cost.size])
        cost_error, excess_error = np.split(whole.error, [problem.cost.size])
        loss = float(cost_error.reshape(problem.cost.shape).max(axis=1).sum() + excess_error @ reach)
        # what the rows themselves lose is paid for, too
        loss += whole.scale * float(price @ np.array([row.loss for row in soft]))
        return cls(cost.reshape(problem.cost.shape), whole.scale, loss, excess)

    def is_exact(self, problem: TrainingProblem) -> bool:
        """Return whether what is lost is too little to change what is proved."""
        return self.loss / self.scale <= MOST_LOSS * problem.total_weight

    def most_below(self, cost: float) -> int:
        """Return the largest whole cost a diagram of less than ``cost`` may have."""
        return math.ceil(self.scale * cost + self.loss) - 1

    def least_of(self, problem: TrainingProblem, floor: float) -> int:
        """Return the smallest whole cost a diagram of at least ``floor`` may have, noise apart."""
        noise = LATTICE_TOLERANCE * problem.total_weight
        return max(0, math.ceil(self.scale * (floor - noise) - self.loss))

    def cost_of(self, whole: int) -> float:
        """Return what diagrams of at least this whole cost must cost at least."""
        return (whole - self.loss) / self.scale


@dataclass(frozen=True, eq=False)
class WholeRow:
    """A constraint ``lower <= sum of values * observables[places] <= upper`` in whole numbers.

    A hard one, of infinite price, holds for every diagram that keeps the constraint it stands for. What a
    soft one is outside its limits is ``scale`` times what the constraint is, but for ``loss``.
    """

    places: IntArray
    values: IntArray
    lower: int
    upper: int
    scale: float
    loss: float
    price: float

    @property
    def is_soft(self) -> bool:
        """True when it may be broken for its price."""
        return math.isfinite(self.price)

    @property
    def is_exact(self) -> bool:
        """Whether what is lost is too little to matter; what soft rows lose counts as cost."""
        return self.is_soft or self.loss / self.scale <= MOST_LOSS

    @property
    def most_excess(self) -> int:
        """The furthest it can be outside its limits."""
        low, high = int(self.values[self.values < 0].sum()), int(self.values[self.values > 0].sum())
        return max(0, self.lower - low, high - self.upper)


def whole_rows(problem: TrainingProblem) -> list[WholeRow]:
    """Return the constraints of a problem in whole numbers."""
    rows, matrix = problem.rows, problem.rows.matrix
    found = []
    for row, limits in enumerate(zip(rows.lower.tolist(), rows.upper.tolist(), strict=True)):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        whole_row = _soft_row if rows.is_soft[row] else _hard_row
        found.append(whole_row(matrix.indices[entries], matrix.data[entries], limits, float(rows.price[row])))
    return found


def _hard_row(places: IntArray, given: FloatArray, limits: tuple[float, float], price: float) -> WholeRow:
    whole = Whole.of(given, float(np.abs(given).sum()))
    loss = float(whole.error.sum())
    least = math.ceil(_limited(whole.scale * (limits[0] - VIOLATION_TOLERANCE) - loss))
    most = math.floor(_limited(whole.scale * (limits[1] + VIOLATION_TOLERANCE) + loss))
    return WholeRow(places, whole.values, least, most, whole.scale, loss, price)


def _soft_row(places: IntArray, given: FloatArray, limits: tuple[float, float], price: float) -> WholeRow:
    # the limits are scaled with the coefficients: the distance to them is what is paid for
    finite = [limit for limit in limits if math.isfinite(limit)]
    numbers = np.concatenate([given, finite])
    whole = Whole.of(numbers, float(np.abs(numbers).sum()))
    scaled = iter(whole.values[given.size :].tolist())
    ends = (-2 * MOST_WHOLE, 2 * MOST_WHOLE)
    lower, upper = (
        next(scaled) if math.isfinite(limit) else end for limit, end in zip(limits, ends, strict=True)
    )
    loss = float(whole.error.sum())
    return WholeRow(places, whole.values[: given.size], lower, upper, whole.scale, loss, price)


def _limited(value: float) -> float:
    """Return the value, or one beyond all sums in its stead."""
    return max(-2.0 * MOST_WHOLE, min(2.0 * MOST_WHOLE, value))


def _fractional_scale(given: FloatArray) -> float | None:
    """Return the common denominator of all numbers as fractions, None when they have no small one."""
    common = 1
    for denominator in _denominators(np.unique(given).tolist()):
        if denominator is None:
            return None
        common = math.lcm(common, denominator)
        if common > MOST_COMMON_DENOMINATOR:
            return None
    return float(common)


def _denominators(values: Iterable[float]) -> Iterable[int | None]:
    for value in values:
        fraction = Fraction(value).limit_denominator(MOST_DENOMINATOR)
        yield fraction.denominator if abs(float(fraction) - value) <= NOISE * abs(value) else None
