"""One column of the training table and its features."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.features import Feature, FeatureKind, Label
from oddlearn.diagram.timestamps import TIMESTAMP_KINDS, TimestampKind
from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import RawColumn
from oddlearn.table.timestamp_columns import parse_timestamps, to_microseconds, to_numbers
from oddlearn.table.value_kinds import find_missing, is_number_text, value_types

# "empty": all values were missing in training, and no value is ever looked at
ColumnKind = Literal["number", "boolean", "category", "empty"] | TimestampKind


# kinds of values in words
KIND_TEXTS = {
    "number": "numbers",
    "boolean": "booleans",
    "category": "categories",
    "text": "text",
    "date": "dates",
    "datetime": "times",
    "datetime_utc": "times with a time zone",
    "time": "times of day",
    "duration": "durations",
}


@dataclass(frozen=True)
class EncodedColumn:
    """One column of the training table."""

    name: str
    kind: ColumnKind  # "number", "boolean", "category", "empty", or a kind of date, time or duration
    categories: tuple[Label, ...] = ()  # those with an indicator of their own, sorted; empty for other kinds
    n_pooled: int = 0  # rare categories that share one indicator, which unknown ones share, too
    has_missing: bool = False  # True if values were missing in training
    fill: float | None = None  # number in place of a missing one, where all are needed; None leaves NaN

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Features of the column.

        A number is one feature, and with ``fill`` a second, "is missing", if values were missing in training.
        A boolean is one, with "is missing" if there were any. A category column has one per category, then
        "is other" and "is missing" if there are such rows; of two levels without a pool only the second.
        """
        absent = (Feature(self.name, kind="missing"),) if self.has_missing else ()
        if self.kind == "category":
            levels = tuple(Feature(self.name, category, "category") for category in self.categories)
            pool = (Feature(self.name, kind="other"),) if self.n_pooled else ()
            shown = (*levels, *pool, *absent)
            return shown[1:] if len(shown) == 2 and not pool else shown
        if self.kind == "empty":
            return (Feature(self.name, has_missing=self.fill is None, fill=self.fill),)
        if self.kind == "boolean":
            return (Feature(self.name, kind="boolean"), *absent)
        kind = cast(FeatureKind, self.kind)
        if self.fill is None:
            return (Feature(self.name, kind=kind, has_missing=self.has_missing),)
        return (Feature(self.name, kind=kind, fill=self.fill), *absent)

    def encode(self, raw: RawColumn) -> FloatArray:
        """Return the features of a column, shape (n, n_features)."""
        missing = find_missing(raw.values)
        if self.kind == "category":
            return self._encode_categories(raw.values, missing)
        numbers = np.full(missing.shape, np.nan)
        if self.kind != "empty":
            numbers[~missing] = self._to_numbers(raw, raw.values[~missing])
        if self.kind == "boolean":
            return self._add_indicator(np.where(missing, 0.0, numbers), missing)
        return self.fill_missing(numbers)

    def fill_missing(self, numbers: FloatArray) -> FloatArray:
        """Return the features of a column of numbers, of which NaN is a missing one."""
        if self.fill is None:
            return numbers[:, None]
        missing = np.isnan(numbers)
        return self._add_indicator(np.where(missing, self.fill, numbers), missing)

    def unknown(self, raw: RawColumn) -> list[str]:
        """Return the values of a column of categories or booleans that no training row had, for a message."""
        if self.kind not in ("category", "boolean") or self.n_pooled:
            return []
        missing = find_missing(raw.values)
        absent = ["missing"] if missing.any() and not self.has_missing else []
        if self.kind == "boolean":
            return absent
        try:
            strange = set(raw.values[~missing].tolist()) - set(self.categories)
        except TypeError:
            raise self._change_error("lists or other containers") from None
        return [repr(value) for value in sorted(strange, key=str)] + absent

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {**asdict(self), "categories": list(self.categories)}

    def _add_indicator(self, numbers: FloatArray, missing: BoolArray) -> FloatArray:
        has_indicator = self.has_missing and self.kind != "empty"
        return np.column_stack([numbers, missing.astype(np.float64)] if has_indicator else [numbers])

    def _encode_categories(self, values: NDArray[Any], missing: BoolArray) -> FloatArray:
        """Return the indicators; a missing value that training did not have is an unknown category."""
        # a dictionary takes any mixture of values; numpy would have to sort them
        place = {category: code for code, category in enumerate(self.categories)}
        n_known = len(place)
        pool = n_known if self.n_pooled else -1
        absent = n_known + bool(self.n_pooled) if self.has_missing else pool
        pairs = zip(values.tolist(), missing.tolist(), strict=True)
        try:
            codes = [absent if is_missing else place.get(value, pool) for value, is_missing in pairs]
        except TypeError:
            raise self._change_error("lists or other containers") from None
        n_levels = n_known + bool(self.n_pooled) + self.has_missing
        first = n_levels - len(self.features)  # 1 where only the second of two levels is a feature
        return np.asarray(
            np.array(codes, dtype=np.intp)[:, None] == np.arange(first, n_levels), dtype=np.float64
        )

    def _to_numbers(self, raw: RawColumn, present: NDArray[Any]) -> FloatArray:
        """Return the numbers of values that are not missing."""
        if self.kind in TIMESTAMP_KINDS:
            return self._to_timestamps(raw, present)
        kind = raw.kind(present)
        if present.size and kind not in ("number", "boolean"):
            raise self._change_error(_describe_values(kind, present))
        try:
            numbers = present.astype(np.float64)
        except OverflowError:
            raise InvalidInputError(f"The column {self.name} holds numbers beyond 1e308.") from None
        if not np.isfinite(numbers).all():
            raise InvalidInputError(
                f"X contains infinity in the column {self.name}. Give finite numbers: replace infinity by a "
                "number beyond all others, or leave the rows out."
            )
        if self.kind == "boolean" and not np.isin(numbers, (0.0, 1.0)).all():
            raise self._change_error("numbers other than 0 and 1")
        return numbers

    def _to_timestamps(self, raw: RawColumn, present: NDArray[Any]) -> FloatArray:
        own = cast(TimestampKind, self.kind)
        kind = raw.kind(present)
        if not present.size:
            return np.empty(0)
        if kind == "text":
            parsed = parse_timestamps([str(text).strip() for text in present.tolist()], own)
            if parsed is None:
                raise self._unreadable(present, own)
            return to_numbers(parsed, own)
        days = ("date", "datetime")
        if kind != own and not (kind in days and own in days):
            raise self._change_error(_describe_values(kind, present))
        return to_numbers(to_microseconds(present), own)

    def _unreadable(self, present: NDArray[Any], kind: TimestampKind) -> InvalidInputError:
        texts = [str(text) for text in present.tolist()]
        odd = next((text for text in texts if parse_timestamps([text.strip()], kind) is None), texts[0])
        form = {
            "time": "text such as 05:06:07",
            "datetime_utc": "text such as 2021-03-04T05:06:07Z",
            "duration": "no text",
        }.get(kind, "text such as 2021-03-04 or 2021-03-04T05:06:07")
        return InvalidInputError(
            f"The column {self.name} held {KIND_TEXTS[kind]} in the training data and holds text now that "
            f"cannot be read as such, {odd!r}: give {KIND_TEXTS[kind]}, or {form}."
        )

    def _change_error(self, found: str) -> InvalidInputError:
        return InvalidInputError(
            f"The column {self.name} held {KIND_TEXTS[self.kind]} in the training data and holds {found} "
            f"now: give {KIND_TEXTS[self.kind]}."
        )


def _describe_values(kind: str, present: NDArray[Any]) -> str:
    """Return the kind of values in words: text with an example, a mixture with its types."""
    if kind == "text":
        return f"text, such as {_find_odd_text(present)!r},"
    types = ", ".join(sorted(type_.__name__ for type_ in value_types(present)))
    return KIND_TEXTS.get(kind, f"values of type {types}")


def _find_odd_text(present: NDArray[Any]) -> str:
    """Return the first text that is no number, or the first one."""
    texts = [str(text) for text in present.tolist()]
    return next((text for text in texts if not is_number_text(text)), texts[0])
