"""Numbers a user gives."""

from __future__ import annotations

import math
import sys
from typing import cast

import numpy as np

from oddlearn.errors import InvalidInputError

# weights, costs and prices up to this can be multiplied and added up without overflow
LARGEST = 1e100


def checked_number(
    name: str, value: object, *, positive: bool = False, high: float = sys.float_info.max
) -> float:
    """Return a finite number of 0 or more, or above 0, and at most ``high``."""
    wanted = "a finite number above 0" if positive else "a finite number of 0 or more"
    is_real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if is_real and high < abs(cast(float, value)) < math.inf:
        raise InvalidInputError(f"{name} is {_short(value)}: give {wanted}, at most {high:g}.")
    if not is_real or not math.isfinite(cast(float, value)):
        raise InvalidInputError(f"{name} is {value!r}: give {wanted}.")
    number = float(cast(float, value))
    if number < 0 or (positive and number == 0):
        raise InvalidInputError(f"{name} is {value!r}: give {wanted}.")
    return number


def checked_whole(name: str, value: object, low: int) -> int:
    """Return a whole number of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise InvalidInputError(f"{name} is {value!r}: give a whole number of at least {low}.")
    return int(value)


def _short(value: object) -> str:
    """Return a number for a message; a whole number may have thousands of digits."""
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a whole number of {value.bit_length()} bits"
    return repr(value)
