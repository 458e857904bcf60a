"""Linear rows on the observables: how every constraint is declared, once, for all engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray, read_only_floats
from oddlearn.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class LinearRows:
    """The rows ``lower <= matrix @ observables <= upper``.

    Parameters
    ----------
    matrix : sparse (n_rows, layout.size)
    lower, upper : (n_rows,) float
        Limits; -inf and inf where there is none.
    labels : tuple of str
        What each row says, for messages.
    price : (n_rows,) float or float, optional
        What the objective pays for each unit outside the limits of a row. Inf, the default, for hard rows,
        which are kept; finite for soft ones, which may be broken.
    """

    matrix: Any
    lower: FloatArray
    upper: FloatArray
    labels: tuple[str, ...]
    price: FloatArray = field(default_factory=lambda: np.array(np.inf))

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", csr_array(self.matrix, dtype=np.float64))
        object.__setattr__(self, "lower", read_only_floats(self.lower))
        object.__setattr__(self, "upper", read_only_floats(self.upper))
        object.__setattr__(self, "labels", tuple(self.labels))
        count = self.matrix.shape[0]
        price = np.asarray(self.price, dtype=np.float64)
        price = np.full(count, price) if price.ndim == 0 else price
        object.__setattr__(self, "price", read_only_floats(price))
        shapes = {array.shape for array in (self.lower, self.upper, self.price)}
        if shapes != {(count,)} or len(self.labels) != count:
            raise InvalidInputError(f"{count} rows need as many lower and upper limits, prices and labels.")
        if not (self.price >= 0).all():
            raise InvalidInputError("The prices of rows must be 0 or more, inf for rows that must be kept.")

    @classmethod
    def none(cls, size: int) -> LinearRows:
        """Return no rows at all over ``size`` observables."""
        return cls(csr_array((0, size)), np.empty(0), np.empty(0), ())

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_soft(self) -> BoolArray:
        """Which rows may be broken for their price, shape (n_rows,)."""
        return np.isfinite(self.price)

    @property
    def any_soft(self) -> bool:
        """True when a row may be broken for its price."""
        return bool(self.is_soft.any())

    @property
    def n_hard(self) -> int:
        """Number of rows that must be kept."""
        return int((~self.is_soft).sum())

    def places(self, number: int) -> IntArray:
        """Return the observables that one row is on."""
        own = slice(self.matrix.indptr[number], self.matrix.indptr[number + 1])
        return np.asarray(self.matrix.indices[own][self.matrix.data[own] != 0], dtype=np.intp)

    def coefficients(self, number: int) -> FloatArray:
        """Return what they count there, in the same order."""
        own = slice(self.matrix.indptr[number], self.matrix.indptr[number + 1])
        return np.asarray(self.matrix.data[own][self.matrix.data[own] != 0])

    def excess(self, observables: FloatArray) -> FloatArray:
        """Return how far each row is outside its limits, 0 inside, shape (n_rows,)."""
        value = self.matrix @ observables
        return np.asarray(np.maximum(0.0, np.maximum(self.lower - value, value - self.upper)))

    def violation(self, observables: FloatArray) -> float:
        """Return the largest distance of a hard row to its limits; 0 when all are kept."""
        return float(self.excess(observables)[~self.is_soft].max(initial=0.0))

    def penalty(self, observables: FloatArray) -> float:
        """Return what the objective pays for the soft rows that are broken."""
        soft = self.is_soft
        return float(self.excess(observables)[soft] @ self.price[soft])


def stack(parts: Sequence[LinearRows], size: int) -> LinearRows:
    """Return all rows of all parts, over ``size`` observables."""
    if any(part.matrix.shape[1] != size for part in parts):
        raise InvalidInputError(f"Rows of one problem are over the same {size} observables.")
    if not parts:
        return LinearRows.none(size)
    return LinearRows(
        vstack([part.matrix for part in parts]),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        tuple(label for part in parts for label in part.labels),
        np.concatenate([part.price for part in parts]),
    )
