"""Sums of floating-point numbers that do not depend on their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray

# bits of a mantissa, added up in two halves: a sum of 2^35 halves stays in 62 bits
MANTISSA_BITS = 53
HALF_BITS = 27


@dataclass
class ExactSum:
    """An exact sum of finite numbers: integers by exponent."""

    by_exponent: dict[int, int] = field(default_factory=dict)

    def add(self, values: FloatArray) -> None:
        """Add numbers."""
        mantissa, exponent = np.frexp(values)
        integer = np.ldexp(mantissa, MANTISSA_BITS).astype(np.int64)
        for shift in np.unique(exponent).tolist():
            own = integer[exponent == shift]
            high, low = int((own >> HALF_BITS).sum()), int((own & (2**HALF_BITS - 1)).sum())
            self.by_exponent[shift] = self.by_exponent.get(shift, 0) + (high << HALF_BITS) + low

    def merge(self, other: ExactSum) -> None:
        """Add the numbers of another sum."""
        for shift, integer in other.by_exponent.items():
            self.by_exponent[shift] = self.by_exponent.get(shift, 0) + integer

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        items = self.by_exponent.items()
        terms = (integer * Fraction(2) ** (shift - MANTISSA_BITS) for shift, integer in items)
        return float(sum(terms, Fraction(0)))


def sum_by_class(codes: IntArray, weight: FloatArray, n_classes: int) -> FloatArray:
    """Return the weight of each class, to the last bit the same for every order of the rows."""
    if (weight == np.floor(weight)).all():
        return np.asarray(np.bincount(codes, weights=weight, minlength=n_classes))
    sums = [ExactSum() for _ in range(n_classes)]
    for code, own in enumerate(sums):
        own.add(weight[codes == code])
    return np.array([own.value for own in sums])
