"""The profile of a large table, from one pass over its batches: columns, labels and weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.timestamps import DAY, TimestampKind
from oddlearn.errors import InvalidInputError
from oddlearn.table.categories import MAX_LEVELS, Pooling, pool_categories
from oddlearn.table.checks import list_names
from oddlearn.table.column_table import NUMBERS, ColumnTable, RawColumn
from oddlearn.table.encoded_column import KIND_TEXTS, ColumnKind, EncodedColumn
from oddlearn.table.encoding import Encoding, mixture_text, warn_of_empty
from oddlearn.table.exact_sum import ExactSum
from oddlearn.table.labels_and_weights import check_sample_weight, encode_labels
from oddlearn.table.samples import LabelledSamples
from oddlearn.table.timestamp_columns import to_microseconds
from oddlearn.table.value_kinds import ValueKind, find_missing

# kinds of values that a column may hold in different batches, and what it holds then
JOINT_KINDS: dict[frozenset[str], ValueKind] = {
    frozenset(("boolean", "number")): "number",
    frozenset(("date", "datetime")): "datetime",
}


@dataclass(frozen=True)
class ColumnProfile:
    """One column in the batches so far."""

    name: str
    kind: ValueKind | None = None  # of the values, None if all are missing
    is_category: bool = False
    is_array: bool = True  # True if all batches held numbers as arrays, which need no encoding
    has_missing: bool = False
    has_clock: bool = False  # a time other than midnight
    n_present: int = 0
    levels: Counter[Any] = field(default_factory=Counter)  # rows of each text or category

    @classmethod
    def of(cls, raw: RawColumn) -> ColumnProfile:
        """Return the profile of a column of one batch."""
        missing = find_missing(raw.values)
        present, is_array = raw.values[~missing], raw.values.dtype.kind in NUMBERS and not raw.is_category
        if not present.size:
            return cls(raw.name, None, raw.is_category, is_array, bool(missing.any()))
        kind = raw.kind(present)
        if kind == "other":
            raise InvalidInputError(mixture_text(raw.name, present))
        has_clock = kind == "datetime" and bool((to_microseconds(present) % DAY).any())
        is_category = kind == "text" or (kind == "number" and raw.is_category)
        levels = Counter(present.tolist()) if is_category else Counter()
        missed = bool(missing.any())
        return cls(raw.name, kind, raw.is_category, is_array, missed, has_clock, present.size, levels)

    def merge(self, other: ColumnProfile) -> ColumnProfile:
        """Return the profile of both batches."""
        levels = self.levels + other.levels
        if len(levels) > MAX_LEVELS:
            levels = Counter(dict(levels.most_common(MAX_LEVELS + 1)))  # refused at the end
        return ColumnProfile(
            self.name,
            self._joint_kind(other),
            self.is_category or other.is_category,
            self.is_array and other.is_array,
            self.has_missing or other.has_missing,
            self.has_clock or other.has_clock,
            self.n_present + other.n_present,
            levels,
        )

    def _joint_kind(self, other: ColumnProfile) -> ValueKind | None:
        kinds = frozenset(kind for kind in (self.kind, other.kind) if kind is not None)
        if len(kinds) > 1 and kinds not in JOINT_KINDS:
            held = [KIND_TEXTS.get(str(kind), str(kind)) for kind in (self.kind, other.kind)]
            raise InvalidInputError(
                f"The column {self.name} holds {held[0]} in one part of the table and {held[1]} in another: "
                "give it one type in all of them."
            )
        return JOINT_KINDS[kinds] if len(kinds) > 1 else next(iter(kinds), None)

    def encode(self, n_rows: int, pooling: Pooling, *, fill: bool) -> EncodedColumn:
        """Return how the column becomes features; as of a table in memory, where missing numbers are 0."""
        filled = 0.0 if fill else None
        if self.kind is None:
            return EncodedColumn(self.name, "empty", has_missing=True, fill=filled)
        if self.kind == "text" or (self.kind == "number" and self.is_category):
            levels, n_pooled = pool_categories(self.name, self.levels, self.n_present, n_rows, pooling)
            return EncodedColumn(self.name, "category", levels, n_pooled, self.has_missing)
        kind: ValueKind = "date" if self.kind == "datetime" and not self.has_clock else self.kind
        own = cast("ColumnKind | TimestampKind", kind)
        return EncodedColumn(self.name, own, (), 0, self.has_missing, None if kind == "boolean" else filled)


@dataclass(frozen=True)
class TableProfile:
    """The batches so far; rows of weight 0 count in nothing but their number."""

    columns: tuple[ColumnProfile, ...]
    has_names: bool
    n_rows: int  # of positive weight
    n_given: int
    labels: dict[Any, ExactSum]  # weight of the rows of each label
    label_type: np.dtype[Any]
    has_weights: bool  # False if all weights are 1
    largest: float
    is_integer: bool

    @classmethod
    def of(cls, batch: LabelledSamples) -> TableProfile:
        """Return the profile of one batch."""
        table = cast(ColumnTable, batch.X)
        if batch.n_rows != len(table):
            raise InvalidInputError(
                f"A part of the table has {len(table):,} rows of X and {batch.n_rows:,} of y: give as many."
            )
        weight = check_sample_weight(batch.sample_weight, batch.n_rows, is_batch=True)
        taken = np.flatnonzero(weight > 0)
        if taken.size < batch.n_rows:
            table, weight = table.rows(taken), weight[taken]
        labels = batch.y[taken]
        classes, codes = encode_labels(labels) if taken.size else (labels, np.empty(0, dtype=np.intp))
        sums = {label: ExactSum() for label in classes.tolist()}
        for code, own in enumerate(sums.values()):
            own.add(weight[codes == code])
        return cls(
            tuple(ColumnProfile.of(column) for column in table.columns),
            table.has_names,
            int(taken.size),
            batch.n_rows,
            sums,
            classes.dtype,
            bool((weight != 1).any()),
            float(weight.max(initial=0.0)),
            bool((weight == np.floor(weight)).all()),
        )

    def merge(self, other: TableProfile) -> TableProfile:
        """Return the profile of both."""
        names, others = ([column.name for column in one.columns] for one in (self, other))
        if names != others:
            _refuse_columns(names, others)
        labels = dict(self.labels)
        for label, own in other.labels.items():
            total = ExactSum(dict(labels[label].by_exponent)) if label in labels else ExactSum()
            total.merge(own)
            labels[label] = total
        columns = (one.merge(two) for one, two in zip(self.columns, other.columns, strict=True))
        return replace(
            self,
            columns=tuple(columns),
            n_rows=self.n_rows + other.n_rows,
            n_given=self.n_given + other.n_given,
            labels=labels,
            label_type=_joint_type(self, other),
            has_weights=self.has_weights or other.has_weights,
            largest=max(self.largest, other.largest),
            is_integer=self.is_integer and other.is_integer,
        )

    def classes(self) -> NDArray[Any]:
        """Return the labels, sorted."""
        return np.unique(np.array(list(self.labels), dtype=self.label_type))

    def class_totals(self) -> NDArray[np.float64]:
        """Return the weight of each class."""
        return np.array([self.labels[label].value for label in self.classes().tolist()])

    def encoding(self, pooling: Pooling, *, fill: bool = False) -> Encoding | None:
        """Return the encoding as of a frame in memory; None for numbers, none of them missing.

        ``fill``: True to put 0 in place of missing numbers, until their medians are known.
        """
        are_numbers = all(column.is_array for column in self.columns)
        if are_numbers and not fill and not any(column.has_missing for column in self.columns):
            return None
        columns = [column.encode(self.n_rows, pooling, fill=fill) for column in self.columns]
        warn_of_empty(columns)
        return Encoding(tuple(columns), self.has_names)


class ProfileBatches:
    """The work of profiling batches."""

    def add(self, part: LabelledSamples, total: TableProfile | None) -> TableProfile:
        """Return the profile of a batch, with that of others."""
        own = TableProfile.of(part)
        return own if total is None else self.merge(total, own)

    def merge(self, one: TableProfile, other: TableProfile) -> TableProfile:
        """Return the profile of both; parts without rows count for nothing."""
        if one.n_given == 0 or other.n_given == 0:
            return other if one.n_given == 0 else one
        return one.merge(other)


def _joint_type(one: TableProfile, other: TableProfile) -> np.dtype[Any]:
    if not one.labels or not other.labels:
        return one.label_type if one.labels else other.label_type
    kinds = {one.label_type.kind in "OUS", other.label_type.kind in "OUS"}
    if len(kinds) > 1:
        texts = [f"{next(iter(profile.labels))!r}" for profile in (one, other)]
        raise InvalidInputError(
            f"y holds the label {texts[0]} in one part of the table and {texts[1]} in another: give labels "
            "that are all text, all numbers or all booleans."
        )
    return np.dtype(object) if kinds == {True} else np.result_type(one.label_type, other.label_type)


def _refuse_columns(names: Sequence[str], others: Sequence[str]) -> None:
    lacking, further = [n for n in names if n not in others], [n for n in others if n not in names]
    parts = [f"lacks {list_names(lacking)}"] if lacking else []
    parts += [f"has {list_names(further)} beside"] if further else []
    what = " and ".join(parts) or f"has them in another order, {list_names(list(others))}"
    raise InvalidInputError(
        f"The parts of the table have different columns: the first has {list_names(list(names))}, another "
        f"{what}. Give all of them the same columns in the same order."
    )
