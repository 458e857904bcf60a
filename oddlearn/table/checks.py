"""Checks of single values of a user: numbers, shares, weights, costs; lists of names for messages."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import InvalidInputError

# weights, costs and prices up to this can be multiplied and added up without overflow
LARGEST = 1e100

# what a weight may be at most, so that it can be added to an objective without drowning it in rounding
LARGEST_WEIGHT = 1e3

# the largest cost must be of a size that rounding and the tolerances of proofs leave alone
SMALLEST_SCALE = 1e-3
LARGEST_SCALE = 1e6

MAX_NAMES = 8  # names of one kind in a message, the others are counted


def check_number(
    name: str, value: object, *, positive: bool = False, high: float = sys.float_info.max, other: str = ""
) -> float:
    """Return a finite number of 0 or more, or above 0, and at most ``high``.

    ``other``: what else may be given, for the message.
    """
    wanted = ("a finite number above 0" if positive else "a finite number of 0 or more") + other
    is_real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if is_real and high < abs(cast(float, value)) < math.inf:
        raise InvalidInputError(f"{name} is {_short(value)}: give {wanted}, at most {high:g}.")
    if not is_real or not math.isfinite(cast(float, value)):
        raise InvalidInputError(f"{name} is {value!r}: give {wanted}.")
    number = float(cast(float, value))
    if number < 0 or (positive and number == 0):
        raise InvalidInputError(f"{name} is {value!r}: give {wanted}.")
    return number


def check_int(name: str, value: object, low: int = 1) -> int:
    """Return a whole number of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise InvalidInputError(f"{name} is {value!r}: give a whole number of at least {low}.")
    return int(value)


def _short(value: object) -> str:
    """Return a number for a message; a whole number may have thousands of digits."""
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a whole number of {value.bit_length()} bits"
    return repr(value)


def check_share(name: str, value: object) -> float:
    """Return a number from 0 to 1."""
    is_real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_real or not 0 <= float(value) <= 1:  # type: ignore[arg-type]
        raise InvalidInputError(f"{name} is {value!r}: give a number from 0 to 1.")
    return float(value)  # type: ignore[arg-type]


def check_penalty_weight(name: str, value: object) -> float:
    """Return a finite number above 0, the price of breaking a soft constraint."""
    is_real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    number = float(value) if is_real else math.nan  # type: ignore[arg-type]
    if not 0 < number <= LARGEST_WEIGHT:
        raise InvalidInputError(
            f"{name} is {value!r}: give a number above 0, at most {LARGEST_WEIGHT:g}, or None for a "
            "constraint that must be kept."
        )
    return number


def check_costs(cost_matrix: ArrayLike | None, n_classes: int) -> FloatArray:
    """Return the matrix [true, predicted] of costs, errors counted when none is given."""
    if cost_matrix is None:
        return 1.0 - np.eye(n_classes)
    matrix = np.asarray(cost_matrix, dtype=np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise InvalidInputError(
            f"The cost matrix has shape {matrix.shape}: give one row per true class and one column per "
            f"predicted class, here {(n_classes, n_classes)}."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InvalidInputError("The cost matrix holds a negative or non-finite number: costs are 0 or more.")
    largest = float(matrix.max(initial=0.0))
    if largest > 0 and not SMALLEST_SCALE <= largest <= LARGEST_SCALE:
        raise InvalidInputError(
            f"The largest cost is {largest:g}: give a matrix whose largest cost lies between "
            f"{SMALLEST_SCALE:g} and {LARGEST_SCALE:g}, multiplying it and the penalty by a number if needed."
        )
    return matrix


def list_names(names: Sequence[str], limit: int = 5) -> str:
    """Return names for a message: the first ``limit``, and the number of the others."""
    others = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {others} more" if others > 0 else "")


def quote_names(names: Collection[str]) -> str:
    """Return names in quotes for a message: the first few, and the number of the others."""
    return list_names([repr(name) for name in names], MAX_NAMES)
