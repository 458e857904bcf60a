"""The form in which a reader describes a sample: a field for each column that the diagram uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.features import Label
from oddlearn.diagram.metadata import Notes

# last option of a list of categories: a sample of another category has 0 in all of them
OTHER = "(another)"


@dataclass(frozen=True)
class FormOption:
    """An option of a list: its text, and the values of the features of its field."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class FormField:
    """A column of the table.

    Attributes
    ----------
    label : str
    features : tuple of int
        Features that it sets.
    options : tuple of FormOption
        Empty for a number, which is typed.
    start : tuple of float or None
        First values of its features, those of a typical sample; None without rows.
    """

    label: str
    features: tuple[int, ...]
    options: tuple[FormOption, ...]
    start: tuple[float, ...] | None


def form_features(used: Sequence[int], metadata: Notes) -> list[int]:
    """Return the used features and all other categories of their columns, which tell a sample's category."""
    columns = {metadata.feature(place).column for place in used if metadata.feature(place).kind == "category"}
    others = [
        place
        for place, feature in enumerate(metadata.features)
        if feature.kind == "category" and feature.column in columns
    ]
    return sorted({*used, *others})


def build_form(
    features: Sequence[int],
    metadata: Notes,
    categories: Mapping[str, Sequence[Label]],
    X: FloatArray | None,
) -> list[FormField]:
    """Return the fields of the form, in the order of the table.

    Parameters
    ----------
    features : sequence of int
        From ``form_features``.
    metadata : Notes
    categories : mapping from column to categories
        As far as they are known, including those without a feature of their own.
    X : (n, n_features) float or None
        Rows from which a typical sample is taken.
    """
    columns: dict[tuple[str, str], list[int]] = {}
    for place in features:
        feature = metadata.feature(place)
        # two columns may share a name; only the categories of one column belong together
        key = (feature.column, "category" if feature.kind == "category" else str(place))
        columns.setdefault(key, []).append(place)
    return [
        _build_field(name, tuple(places), metadata, categories.get(name, ()), X)
        for (name, _), places in columns.items()
    ]


def _build_field(
    name: str,
    features: tuple[int, ...],
    metadata: Notes,
    categories: Sequence[Label],
    X: FloatArray | None,
) -> FormField:
    kind = metadata.feature(features[0]).kind
    if kind == "number":
        return FormField(name, features, (), None if X is None else (_typical_value(X[:, features[0]]),))
    if kind == "boolean":
        options = [FormOption("true", (1.0,)), FormOption("false", (0.0,))]
    else:
        own = [metadata.feature(feature).category for feature in features]
        options = _category_options(own, categories)
    start = options[0].values if X is None else _most_common(options, X[:, list(features)])
    return FormField(name, features, tuple(options), start)


def _category_options(own: Sequence[Label | None], categories: Sequence[Label]) -> list[FormOption]:
    """Return all categories of a column; one without a feature of its own has 0 in all features."""
    known = categories or [category for category in own if category is not None]
    options = [
        FormOption(str(category), tuple(float(category == one) for one in own)) for category in known
    ]
    zeros = (0.0,) * len(own)
    if all(option.values != zeros for option in options):
        options.append(FormOption(OTHER, zeros))
    return options


def _typical_value(values: FloatArray) -> float:
    """Return the median, or the value just below it: a number that occurs."""
    return float(np.sort(values)[(len(values) - 1) // 2])


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
            entry = f'<input id="field-{place}" type="number" step="any" required autocomplete="off">'
        parts.append(f'<div class="field">{label}{entry}</div>')
    return "\n".join(parts)
