"""Linear rows on the observables: the form in which every solver reads the constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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
        Text of each row, for messages.
    penalty : (n_rows,) float or float, optional
        Added to the objective for each unit outside the limits of a row. Inf, the default, for hard rows;
        finite for soft ones, which may be violated.
    """

    matrix: Any
    lower: FloatArray
    upper: FloatArray
    labels: tuple[str, ...]
    penalty: FloatArray = field(default_factory=lambda: np.array(np.inf))

    def __post_init__(self) -> None:
        from scipy.sparse import csr_array  # a stored certificate is read without it

        if not isinstance(self.matrix, csr_array) or self.matrix.dtype != np.float64:
            object.__setattr__(self, "matrix", csr_array(self.matrix, dtype=np.float64))
        object.__setattr__(self, "lower", read_only_floats(self.lower))
        object.__setattr__(self, "upper", read_only_floats(self.upper))
        object.__setattr__(self, "labels", tuple(self.labels))
        count = self.matrix.shape[0]
        penalty = np.asarray(self.penalty, dtype=np.float64)
        penalty = np.full(count, penalty) if penalty.ndim == 0 else penalty
        object.__setattr__(self, "penalty", read_only_floats(penalty))
        shapes = {array.shape for array in (self.lower, self.upper, self.penalty)}
        if shapes != {(count,)} or len(self.labels) != count:
            raise InvalidInputError(
                f"{count} rows need as many lower limits, upper limits, penalties and labels."
            )
        if not (self.penalty >= 0).all():
            raise InvalidInputError("The penalties of rows must be 0 or more, inf for hard rows.")

    @classmethod
    def none(cls, size: int) -> LinearRows:
        """Return no rows at all over ``size`` observables."""
        from scipy.sparse import csr_array

        return cls(csr_array((0, size)), np.empty(0), np.empty(0), ())

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_soft(self) -> BoolArray:
        """True for the rows that may be violated at a penalty, shape (n_rows,)."""
        return np.isfinite(self.penalty)

    @property
    def any_soft(self) -> bool:
        """True when some row is soft."""
        return len(self) > 0 and bool(self.is_soft.any())

    @property
    def n_hard(self) -> int:
        """Number of hard rows."""
        return int((~self.is_soft).sum())

    def select(self, numbers: Sequence[int]) -> LinearRows:
        """Return some of the rows, in this order."""
        own = list(numbers)
        labels = tuple(self.labels[number] for number in own)
        return LinearRows(self.matrix[own], self.lower[own], self.upper[own], labels, self.penalty[own])

    def columns_of(self, number: int) -> IntArray:
        """Return the columns in which one row is not 0."""
        own = slice(self.matrix.indptr[number], self.matrix.indptr[number + 1])
        return np.asarray(self.matrix.indices[own][self.matrix.data[own] != 0], dtype=np.intp)

    def coefficients(self, number: int) -> FloatArray:
        """Return the coefficients of one row, in the order of ``columns_of``."""
        own = slice(self.matrix.indptr[number], self.matrix.indptr[number + 1])
        return np.asarray(self.matrix.data[own][self.matrix.data[own] != 0])

    def row_violations(self, observables: FloatArray) -> FloatArray:
        """Return the distance of each row to its limits, 0 inside, shape (n_rows,)."""
        value = self.matrix @ observables
        return np.asarray(np.maximum(0.0, np.maximum(self.lower - value, value - self.upper)))

    def max_violation(self, observables: FloatArray) -> float:
        """Return the largest distance of a hard row to its limits; 0 when all are satisfied."""
        return float(self.row_violations(observables)[~self.is_soft].max(initial=0.0))

    def total_penalty(self, observables: FloatArray) -> float:
        """Return the penalty of the soft rows that are violated."""
        soft = self.is_soft
        return float(self.row_violations(observables)[soft] @ self.penalty[soft])


def concatenate_rows(parts: Sequence[LinearRows], size: int) -> LinearRows:
    """Return all rows of all parts, over ``size`` observables."""
    if any(part.matrix.shape[1] != size for part in parts):
        raise InvalidInputError(f"Rows of one problem are over the same {size} observables.")
    if not parts:
        return LinearRows.none(size)
    from scipy.sparse import vstack

    return LinearRows(
        vstack([part.matrix for part in parts]),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        tuple(label for part in parts for label in part.labels),
        np.concatenate([part.penalty for part in parts]),
    )
