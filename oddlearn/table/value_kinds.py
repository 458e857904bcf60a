"""Kinds of values in a column: numbers, booleans, text, dates and times, or a mixture; missing values."""

from __future__ import annotations

import datetime
import numbers
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray
from oddlearn.diagram.timestamps import TimestampKind

ValueKind = Literal["number", "boolean", "text", "other"] | TimestampKind

# kinds of numpy arrays whose values need not be looked at
ARRAY_KINDS: dict[str, ValueKind] = {
    "i": "number",
    "u": "number",
    "f": "number",
    "b": "boolean",
    "U": "text",
    "M": "datetime",
    "m": "duration",
}

# in this order: a boolean is a whole number too, and a datetime is a date
VALUE_KINDS: tuple[tuple[ValueKind, tuple[type, ...]], ...] = (
    ("boolean", (bool, np.bool_)),
    ("duration", (datetime.timedelta, np.timedelta64)),
    ("number", (numbers.Real, Decimal)),
    ("text", (str,)),
    ("datetime", (datetime.datetime, np.datetime64)),
    ("date", (datetime.date,)),
    ("time", (datetime.time,)),
)

MISSING_NAMES = ("NAType", "NaTType")  # of pandas, by name so that pandas need not be imported

# types of which some values are missing and others are not
PARTLY_MISSING = (float, np.floating, Decimal, np.datetime64, np.timedelta64)


def find_missing(values: NDArray[Any]) -> BoolArray:
    """Return True for each value that is None, NaN, NaT or NA, shape (n,)."""
    if values.dtype.kind in "fcMm":
        return np.asarray(values != values)
    # other kinds of arrays have none, and of objects only some types can be missing
    is_complete = values.dtype.kind in "iubUS"
    suspects = set() if is_complete else {type_ for type_ in value_types(values) if _may_be_missing(type_)}
    if not suspects:
        return np.zeros(values.shape, dtype=bool)
    return np.array([type(value) in suspects and _is_missing(value) for value in values.tolist()], dtype=bool)


def _may_be_missing(type_: type) -> bool:
    return type_ is type(None) or type_.__name__ in MISSING_NAMES or issubclass(type_, PARTLY_MISSING)


def _is_missing(value: Any) -> bool:  # noqa: ANN401
    return bool(value != value) if isinstance(value, PARTLY_MISSING) else True


def value_types(values: NDArray[Any]) -> set[type]:
    """Return the types of the values."""
    return set(map(type, values.tolist()))


def value_kind(values: NDArray[Any]) -> ValueKind:
    """Return the kind of all values, "other" when they differ; none may be missing.

    Dates among times are times at midnight. Times with a time zone do not mix with others.
    """
    if values.dtype.kind in ARRAY_KINDS:
        return ARRAY_KINDS[values.dtype.kind]
    kinds = {_kind_of(type_) for type_ in value_types(values)}
    if kinds == {"boolean", "number"}:
        return "number"
    if "datetime" in kinds and kinds <= {"date", "datetime"}:
        has_zone = {getattr(value, "tzinfo", None) is not None for value in values.tolist()}
        return "other" if len(has_zone) > 1 else "datetime_utc" if has_zone == {True} else "datetime"
    return kinds.pop() if len(kinds) == 1 else "other"


def _kind_of(type_: type) -> ValueKind:
    return next((kind for kind, types in VALUE_KINDS if issubclass(type_, types)), "other")


def is_number_text(text: str) -> bool:
    """Return True if a text is a number with a decimal point."""
    try:
        float(text)
    except ValueError:
        return False
    return True
