"""The form in which a reader describes a sample: one field per column that the diagram asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.labels import Label
from oddlearn.diagram.notes import Notes

# what a list of categories ends with: a sample of another category has 0 in all of them
ANOTHER = "(another)"


@dataclass(frozen=True)
class Choice:
    """An entry of a list: its text, and what it puts into the features of its field."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Field:
    """A column of the table.

    Attributes
    ----------
    label : str
    features : tuple of int
        The used features it sets.
    choices : tuple of Choice
        Empty for a number, which is typed.
    start : tuple of float or None
        What its features hold at first: a typical sample. None when no rows are known.
    """

    label: str
    features: tuple[int, ...]
    choices: tuple[Choice, ...]
    start: tuple[float, ...] | None


def asked_features(used: Sequence[int], notes: Notes) -> list[int]:
    """Return the used features and, of a column of categories, all its others: they tell which one it is."""
    columns = {notes.feature(place).column for place in used if notes.feature(place).kind == "category"}
    others = [
        place
        for place, about in enumerate(notes.features)
        if about.kind == "category" and about.column in columns
    ]
    return sorted({*used, *others})


def fields_of(
    asked: Sequence[int], notes: Notes, categories: Mapping[str, Sequence[Label]], X: FloatArray | None
) -> list[Field]:
    """Return the fields for the asked features, in the order of the table.

    Parameters
    ----------
    asked : sequence of int
        From ``asked_features``.
    notes : Notes
    categories : mapping from column to categories
        As far as they are known, with those that have no feature of their own.
    X : (n, n_features) float or None
        Rows, from which a typical sample is taken.
    """
    columns: dict[tuple[str, str], list[int]] = {}
    for feature in asked:
        about = notes.feature(feature)
        # two columns may share a name; only the categories of one column belong together
        key = (about.column, "category" if about.kind == "category" else str(feature))
        columns.setdefault(key, []).append(feature)
    return [
        _field(name, tuple(features), notes, categories.get(name, ()), X)
        for (name, _), features in columns.items()
    ]


def _field(
    name: str,
    features: tuple[int, ...],
    notes: Notes,
    categories: Sequence[Label],
    X: FloatArray | None,
) -> Field:
    kind = notes.feature(features[0]).kind
    if kind == "number":
        return Field(name, features, (), None if X is None else (_middle(X[:, features[0]]),))
    if kind == "boolean":
        choices = [Choice("true", (1.0,)), Choice("false", (0.0,))]
    else:
        choices = _choices([notes.feature(feature).category for feature in features], categories)
    start = choices[0].values if X is None else _most_common(choices, X[:, list(features)])
    return Field(name, features, tuple(choices), start)


def _choices(featured: Sequence[Label | None], categories: Sequence[Label]) -> list[Choice]:
    """Return all categories of a column; one without a feature, or none of them, has 0 in all features."""
    known = categories or [category for category in featured if category is not None]
    choices = [
        Choice(str(category), tuple(float(category == own) for own in featured)) for category in known
    ]
    nothing = (0.0,) * len(featured)
    if all(choice.values != nothing for choice in choices):
        choices.append(Choice(ANOTHER, nothing))
    return choices


def _middle(values: FloatArray) -> float:
    """Return the median, or the value just below it: a number that occurs."""
    return float(np.sort(values)[(len(values) - 1) // 2])


def _most_common(choices: list[Choice], values: FloatArray) -> tuple[float, ...]:
    counts = [(values == choice.values).all(axis=1).sum() for choice in choices]
    return choices[int(np.argmax(counts))].values
