"""Dates, times and durations as numbers of days or seconds, and these numbers as text.

A "date" is the number of days since 1970-01-01. A "datetime" is the number of seconds since then, a "time"
the number of seconds since midnight, a "duration" a number of seconds; all three are whole microseconds. So
``x >= t`` and ``x >= T`` are the same, where T is the first day or microsecond that is not before t.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

# a "datetime_utc" had a time zone and is counted in UTC
TimestampKind = Literal["date", "datetime", "datetime_utc", "time", "duration"]
TIMESTAMP_KINDS: tuple[TimestampKind, ...] = get_args(TimestampKind)

MICROSECONDS = 1_000_000
DAY = 86_400 * MICROSECONDS

# what one unit of the number stands for, for comments in exported code
UNIT_TEXTS: dict[TimestampKind, str] = {
    "date": "days since 1970-01-01",
    "datetime": "seconds since 1970-01-01 00:00",
    "datetime_utc": "seconds since 1970-01-01 00:00 UTC",
    "time": "seconds since midnight",
    "duration": "seconds",
}

# lengths to which a threshold may be rounded, the longest first; years and months vary in length
CALENDAR_UNITS: tuple[Literal["Y", "M"], ...] = ("Y", "M")
FIXED_UNITS = (DAY, DAY // 24, DAY // 1440, MICROSECONDS, 1000)


def units_per_number(kind: TimestampKind) -> int:
    """Return the number of smallest units, days or microseconds, in 1."""
    return 1 if kind == "date" else MICROSECONDS


def first_not_before(number: float, kind: TimestampKind) -> int:
    """Return the first day (of a date) or microsecond whose number is at least this."""
    per_number = units_per_number(kind)
    count = math.floor(number) * per_number + math.floor((number - math.floor(number)) * per_number) - 1
    # the division rounds as that of the column's values did
    while count / per_number < number:
        count += 1
    return count


def timestamp_text(number: float, kind: TimestampKind) -> str:
    """Return the first date or time that is not before this number, such as ``2021-03-04 05:06``."""
    count = first_not_before(number, kind)
    if kind == "date":
        return str(np.datetime64(count, "D"))
    if kind == "duration":
        return _duration_text(count)
    days, rest = divmod(count, DAY)
    clock = _clock_text(rest)
    if kind == "time":
        return clock
    zone = " UTC" if kind == "datetime_utc" else ""
    return str(np.datetime64(days, "D")) + (f" {clock}" if rest else "") + zone


def _clock_text(microseconds: int) -> str:
    """Return hours and minutes, and seconds and their fraction where they are not 0."""
    minutes, rest = divmod(microseconds, 60 * MICROSECONDS)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}"
    seconds, fraction = divmod(rest, MICROSECONDS)
    digits = f".{fraction:06d}".rstrip("0") if fraction else ""
    return f"{text}:{seconds:02d}{digits}" if rest else text


def _duration_text(microseconds: int) -> str:
    days, rest = divmod(abs(microseconds), DAY)
    words = f"{days:,} day{'s' * (days != 1)}"
    sign = "-" if microseconds < 0 else ""
    if not rest:
        return sign + (words if days else "00:00")
    return sign + (f"{words} {_clock_text(rest)}" if days else _clock_text(rest))


def shortest_timestamp(middle: float, low: float, high: float, kind: TimestampKind) -> float:
    """Return the number of the coarsest date or time near the middle: the first of a year, of a month, ...

    It lies between ``low`` and ``high``, or is the first date or time that is not before ``middle``.
    """
    per_number = units_per_number(kind)
    count = first_not_before(middle, kind)
    for candidate in _round_units(count, kind):
        if low <= candidate / per_number <= high:
            return candidate / per_number
    return count / per_number


def _round_units(count: int, kind: TimestampKind) -> list[int]:
    """Return this day or microsecond rounded to years, months, days, ... as far as the kind has them."""
    found = []
    length = DAY if kind == "date" else 1
    if kind in ("date", "datetime", "datetime_utc"):
        day = np.datetime64(round(count * length / DAY), "D")
        for unit in CALENDAR_UNITS:
            begin = day.astype(f"datetime64[{unit}]")
            starts = [start.astype("datetime64[D]").astype(int) for start in (begin, begin + 1)]
            nearest = min(starts, key=lambda start: abs(start - int(day.astype(int))))
            found.append(int(nearest) * DAY // length)
    fixed = [] if kind == "date" else FIXED_UNITS
    return found + [(count + unit // 2) // unit * unit for unit in fixed]
