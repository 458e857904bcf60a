"""The form in which a reader of the page describes a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.features import Feature, FeatureKind, Label
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.timestamps import UNIT_TEXTS

# options of a list of categories: a category that has no feature of its own, and none at all
OTHER = "(another)"
MISSING = "missing"

# values of features; None is a missing one
FeatureValues = tuple[float | None, ...]

# kinds of features that tell the category of a column
CATEGORY_KINDS = ("category", "other", "missing")

# how dates and times are typed; other numbers are digits
ENTRY_FORMS: Mapping[FeatureKind, str] = {
    "date": "such as 2021-03-04",
    "datetime": "such as 2021-03-04 05:06:07",
    "datetime_utc": "such as 2021-03-04 05:06:07, in UTC",
    "time": "such as 05:06:07",
}


@dataclass(frozen=True)
class FormOption:
    """An option of a list: its text, and the values of the features of its field."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class FormField:
    """A column of the table."""

    label: str
    features: tuple[int, ...]  # features that it sets
    options: tuple[FormOption, ...]  # empty for a number, which is typed
    start: FeatureValues | None  # first values of its features, those of a typical sample; None without rows
    missing: FeatureValues | None = None  # values of its features when a number is missing; None: type it
    kind: FeatureKind = "number"  # kind of the number, which may be a date or time


def form_features(used: Sequence[int], metadata: ModelMetadata) -> list[int]:
    """Return the used features and all others of their columns, which tell a sample's category."""
    columns = set(_column_keys(used, metadata))
    places = range(len(metadata.features))
    keys = _column_keys(places, metadata)
    return sorted({*used, *(place for place, key in zip(places, keys, strict=True) if key in columns)})


def _column_keys(places: Sequence[int], metadata: ModelMetadata) -> list[tuple[str, int | None]]:
    """Return for each feature what it has in common with the others of its column.

    Two columns may share a name: only categories belong together, and what says where a column is missing.
    """
    marked = {feature.column for feature in metadata.features if feature.kind == "missing"}
    found = [(place, metadata.feature(place)) for place in places]
    return [
        (one.column, None if one.column in marked or one.kind in CATEGORY_KINDS else place)
        for place, one in found
    ]


def build_form(
    features: Sequence[int],
    metadata: ModelMetadata,
    categories: Mapping[str, Sequence[Label]],
    X: FloatArray | None,
) -> list[FormField]:
    """Return the fields of the form, in the order of the table.

    ``features``: from ``form_features``.
    ``categories``: as far as they are known, including those without a feature of their own.
    ``X`` (n, n_features) float or None: rows from which a typical sample is taken.
    """
    columns: dict[tuple[str, int | None], list[int]] = {}
    for place, key in zip(features, _column_keys(features, metadata), strict=True):
        columns.setdefault(key, []).append(place)
    return [
        _build_field(name, tuple(places), metadata, categories.get(name, ()), X)
        for (name, _), places in columns.items()
    ]


def _build_field(
    name: str,
    features: tuple[int, ...],
    metadata: ModelMetadata,
    categories: Sequence[Label],
    X: FloatArray | None,
) -> FormField:
    own = [metadata.feature(feature) for feature in features]
    if not own[0].is_binary:
        return _number_field(name, features, own, None if X is None else X[:, features[0]])
    options = _boolean_options(len(own)) if own[0].kind == "boolean" else _category_options(own, categories)
    start = options[0].values if X is None else _most_common(options, X[:, list(features)])
    return FormField(name, features, tuple(options), start)


def _number_field(
    name: str, features: tuple[int, ...], own: Sequence[Feature], values: FloatArray | None
) -> FormField:
    """Return the field of a number, which may be missing if it was in training or is in a row."""
    number, *indicator = own
    zeros, ones = (0.0,) * len(indicator), (1.0,) * len(indicator)
    is_lacking = values is not None and bool(np.isnan(values).any())
    missing = (number.fill, *ones) if number.has_missing or indicator or is_lacking else None
    start = None if values is None else (_typical_value(values), *zeros)
    unit = f" ({UNIT_TEXTS['duration']})" if number.kind == "duration" else ""
    first = missing if start == (None, *zeros) else start
    return FormField(name + unit, features, (), first, missing, number.kind)


def _boolean_options(n_features: int) -> list[FormOption]:
    """Return true and false, and missing if the second feature says so."""
    options = {"true": (1.0, 0.0), "false": (0.0, 0.0), MISSING: (0.0, 1.0)}
    return [FormOption(label, options[label][:n_features]) for label in list(options)[: n_features + 1]]


def _category_options(own: Sequence[Feature], categories: Sequence[Label]) -> list[FormOption]:
    """Return all categories of a column; one without a feature of its own has 0 in all features."""
    named = categories or [feature.category for feature in own if feature.category is not None]
    options = [
        FormOption(str(category), tuple(float(category == one.category) for one in own)) for category in named
    ]
    zeros = (0.0,) * len(own)
    if any(feature.kind == "other" for feature in own):
        options.append(FormOption(OTHER, tuple(float(one.kind == "other") for one in own)))
    elif all(option.values != zeros for option in options):
        options.append(FormOption(OTHER, zeros))
    if any(feature.kind == "missing" for feature in own):
        options.append(FormOption(MISSING, tuple(float(one.kind == "missing") for one in own)))
    return options


def _typical_value(values: FloatArray) -> float | None:
    """Return the median, or the value just below it: a number that occurs; None if all are missing."""
    present = np.sort(values[~np.isnan(values)])
    return float(present[(len(present) - 1) // 2]) if len(present) else None


def _most_common(options: list[FormOption], values: FloatArray) -> tuple[float, ...]:
    counts = [(values == option.values).all(axis=1).sum() for option in options]
    return options[int(np.argmax(counts))].values


def form_html(fields: Sequence[FormField]) -> str:
    """Return one labelled entry per field; the script of the page fills in a typical sample."""
    parts = []
    for place, field in enumerate(fields):
        label = f'<label for="field-{place}">{escape(field.label)}</label>'
        if field.options:
            options = "".join(
                f'<option value="{number}">{escape(option.label)}</option>'
                for number, option in enumerate(field.options)
            )
            entry = f'<select id="field-{place}">{options}</select>'
        else:
            empty = "required" if field.missing is None else f'placeholder="{MISSING}"'
            form = ENTRY_FORMS.get(field.kind)
            kind = 'type="number" step="any"' if form is None else f'type="text" title="{form}"'
            entry = f'<input id="field-{place}" {kind} {empty} autocomplete="off">'
        parts.append(f'<div class="field">{label}{entry}</div>')
    return "\n".join(parts)


def form_data(fields: Sequence[FormField], form: Sequence[int]) -> list[dict[str, object]]:
    """Return the fields of the form; features are places in ``form``."""
    return [
        {
            "features": [form.index(feature) for feature in field.features],
            "options": [option.values for option in field.options],
            "start": field.start,
            "missing": field.missing,
            "kind": field.kind,
        }
        for field in fields
    ]
