"""Columns of dates, times and durations to numbers, and text in ISO 8601 to dates and times."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.timestamps import DAY, MICROSECONDS, TimestampKind

# a date, or a date and a time, perhaps with a time zone
ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d(?:[.,]\d{1,9})?))? ?(Z|[+-]\d\d(?::?\d\d)?)?)?"
)
CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?")

UTC = datetime.timezone.utc

FRACTION_DIGITS = 6  # digits of a fraction of a second that are kept


def to_microseconds(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return microseconds since 1970, since midnight or of durations; what is shorter is dropped.

    The values are of one kind of ``value_kinds`` and none is missing; times with a time zone count in UTC.
    """
    if values.dtype.kind == "M":
        return values.astype("datetime64[us]").astype(np.int64)
    if values.dtype.kind == "m":
        return values.astype("timedelta64[us]").astype(np.int64)
    given = values.tolist()
    if given and isinstance(given[0], datetime.time):
        return np.array([_since_midnight(value) for value in given], dtype=np.int64)
    if given and isinstance(given[0], (datetime.timedelta, np.timedelta64)):
        return np.array(given, dtype="timedelta64[us]").astype(np.int64)
    return np.array([_without_zone(value) for value in given], dtype="datetime64[us]").astype(np.int64)


def _since_midnight(value: datetime.time) -> int:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * MICROSECONDS + value.microsecond


def _without_zone(value: Any) -> Any:  # noqa: ANN401
    if getattr(value, "tzinfo", None) is None:
        return value
    return value.astimezone(UTC).replace(tzinfo=None)


def to_numbers(microseconds: NDArray[np.int64], kind: TimestampKind) -> FloatArray:
    """Return the days of dates, the time of day dropped, and the seconds of other kinds."""
    if kind == "date":
        return (microseconds // DAY).astype(np.float64)
    return np.asarray(microseconds / MICROSECONDS)


def parse_iso(texts: Sequence[str]) -> tuple[NDArray[Any], bool] | None:
    """Return dates or times written as in ISO 8601, and True if they have a time zone and are in UTC.

    They are datetime64[D] if none has a time of day, else datetime64[us]. None if one of the texts is no
    date, or if only some have a time zone.
    """
    matches = []
    for text in texts:
        match = ISO.fullmatch(text)
        if match is None:
            return None
        matches.append(match.groups())
    has_zone = {zone is not None for *_, zone in matches}
    if len(has_zone) != 1:
        return None
    try:
        if all(clock is None for _, clock, *_ in matches):
            return np.array([day for day, *_ in matches], dtype="datetime64[D]"), False
        moments = np.array(list(map(_iso_text, matches)), dtype="datetime64[us]")
    except ValueError:  # such as February 30
        return None
    offsets = [0 if zone in (None, "Z") else _offset_minutes(zone) for *_, zone in matches]
    return moments - np.array(offsets, dtype="timedelta64[m]"), has_zone == {True}


def _iso_text(groups: tuple[str | None, ...]) -> str:
    day, clock, seconds, _ = groups
    seconds, _, fraction = (seconds or "00").replace(",", ".").partition(".")
    return f"{day}T{clock or '00:00'}:{seconds}.{fraction[:FRACTION_DIGITS] or '0'}"


def _offset_minutes(zone: str) -> int:
    digits = zone[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -minutes if zone[0] == "-" else minutes


def parse_timestamps(texts: Sequence[str], kind: TimestampKind) -> NDArray[np.int64] | None:
    """Return the microseconds of texts in a column of this kind; None if one of them cannot be read."""
    if kind == "time":
        return _parse_clock(texts)
    parsed = None if kind == "duration" else parse_iso(texts)
    if parsed is None or parsed[1] != (kind == "datetime_utc"):
        return None
    return to_microseconds(parsed[0])


def _parse_clock(texts: Sequence[str]) -> NDArray[np.int64] | None:
    found = []
    for text in texts:
        match = CLOCK.fullmatch(text)
        if match is None:
            return None
        hour, minute, second, fraction = match.groups()
        if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
            return None
        micro = int((fraction or "0")[:FRACTION_DIGITS].ljust(FRACTION_DIGITS, "0"))
        found.append(_since_midnight(datetime.time(int(hour), int(minute), int(second or 0), micro)))
    return np.array(found, dtype=np.int64)
