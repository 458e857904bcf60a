"""Linear rows on the observables: how every constraint is declared, once, for all engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from oddlearn.diagram.arrays import FloatArray, read_only_floats
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
    """

    matrix: Any
    lower: FloatArray
    upper: FloatArray
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", csr_array(self.matrix, dtype=np.float64))
        object.__setattr__(self, "lower", read_only_floats(self.lower))
        object.__setattr__(self, "upper", read_only_floats(self.upper))
        object.__setattr__(self, "labels", tuple(self.labels))
        count = self.matrix.shape[0]
        if not self.lower.shape == self.upper.shape == (count,) or len(self.labels) != count:
            raise InvalidInputError(f"{count} rows need as many lower limits, upper limits and labels.")

    @classmethod
    def none(cls, size: int) -> LinearRows:
        """Return no rows at all over ``size`` observables."""
        return cls(csr_array((0, size)), np.empty(0), np.empty(0), ())

    def __len__(self) -> int:
        return len(self.labels)

    def excess(self, observables: FloatArray) -> FloatArray:
        """Return how far each row is outside its limits, 0 inside, shape (n_rows,)."""
        value = self.matrix @ observables
        return np.asarray(np.maximum(0.0, np.maximum(self.lower - value, value - self.upper)))

    def violation(self, observables: FloatArray) -> float:
        """Return the largest distance of a row to its limits; 0 when all are kept."""
        return float(self.excess(observables).max(initial=0.0))


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
    )
