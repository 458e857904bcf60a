"""Checks of the numbers in a constraint."""

from __future__ import annotations

import math

import numpy as np

from oddlearn.errors import InvalidInputError

# what a weight may be at most, so that it can be added to an objective without drowning it in rounding
LARGEST_WEIGHT = 1e3


def checked_count(name: str, value: object, low: int = 1) -> int:
    """Return a whole number of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise InvalidInputError(f"{name} is {value!r}: give a whole number of at least {low}.")
    return int(value)


def checked_share(name: str, value: object) -> float:
    """Return a number from 0 to 1."""
    is_real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_real or not 0 <= float(value) <= 1:  # type: ignore[arg-type]
        raise InvalidInputError(f"{name} is {value!r}: give a number from 0 to 1.")
    return float(value)  # type: ignore[arg-type]


def checked_weight(name: str, value: object) -> float:
    """Return a finite number above 0, the price of breaking a soft constraint."""
    is_real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    number = float(value) if is_real else math.nan  # type: ignore[arg-type]
    if not 0 < number <= LARGEST_WEIGHT:
        raise InvalidInputError(
            f"{name} is {value!r}: give a number above 0, at most {LARGEST_WEIGHT:g}, or None for a "
            "constraint that must be kept."
        )
    return number
