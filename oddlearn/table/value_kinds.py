"""What the values of a column are: numbers, booleans, text, dates, or a mixture."""

from __future__ import annotations

import datetime
import numbers
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

ValueKind = Literal["number", "boolean", "text", "date", "other"]

# kinds of numpy arrays whose values need not be looked at
ARRAY_KINDS: dict[str, ValueKind] = {
    "i": "number",
    "u": "number",
    "f": "number",
    "b": "boolean",
    "U": "text",
    "M": "date",
    "m": "date",
}

# in this order: a boolean is a whole number too
VALUE_KINDS: tuple[tuple[ValueKind, tuple[type, ...]], ...] = (
    ("boolean", (bool, np.bool_)),
    ("number", (numbers.Real, Decimal)),
    ("text", (str,)),
    ("date", (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)),
)

# of pandas, told by name so that pandas need not be imported
MISSING_NAMES = ("NAType", "NaTType")

# types of which some values are missing and others are not
PARTLY_MISSING = (float, np.floating, Decimal, np.datetime64, np.timedelta64)


def count_missing(values: NDArray[Any]) -> int:
    """Return how many values are None, NaN, NaT or NA."""
    if values.dtype.kind in "iubUS":
        return 0
    if values.dtype.kind in "fcMm":
        return int((values != values).sum())
    # of text, a look at the types is enough
    suspects = {type_ for type_ in value_types(values) if _may_be_missing(type_)}
    return sum(_is_missing(value) for value in values.tolist() if type(value) in suspects) if suspects else 0


def _may_be_missing(type_: type) -> bool:
    return type_ is type(None) or type_.__name__ in MISSING_NAMES or issubclass(type_, PARTLY_MISSING)


def _is_missing(value: Any) -> bool:  # noqa: ANN401
    return bool(value != value) if isinstance(value, PARTLY_MISSING) else True


def value_types(values: NDArray[Any]) -> set[type]:
    """Return the types of the values."""
    return set(map(type, values.tolist()))


def value_kind(values: NDArray[Any]) -> ValueKind:
    """Return what all the values are, "other" when they are not of one kind; none may be missing."""
    if values.dtype.kind in ARRAY_KINDS:
        return ARRAY_KINDS[values.dtype.kind]
    kinds = {_kind_of(type_) for type_ in value_types(values)}
    if kinds == {"boolean", "number"}:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "other"


def _kind_of(type_: type) -> ValueKind:
    return next((kind for kind, types in VALUE_KINDS if issubclass(type_, types)), "other")
