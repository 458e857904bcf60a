"""Conditions in words: when a sample takes a side of a node."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import Split
from oddlearn.diagram.timestamps import timestamp_text
from oddlearn.view.number_text import number_text, one_line
from oddlearn.view.rounding import RoundedSplit, round_split

# marks a condition whose numbers are rounded further than is known to be safe
APPROXIMATE = "about "

OR_MISSING = " or missing"  # ends a condition that missing values satisfy, too
COMPARISON = (("<", ">="), (">", "<="))  # sign between a sum and its threshold: [is flipped][side]

_ZERO_AND_ONE = np.array([[0.0], [1.0]])


def condition_text(
    split: Split | RoundedSplit,
    metadata: ModelMetadata,
    side: int = 1,
    max_terms: int | None = None,
) -> str:
    """Return a condition such as ``age >= 43.5``, ``colour is not red`` or ``income - 2 debts < 80``.

    Of a feature that was missing in training rows it is ``age >= 43.5 or missing`` on the side that missing
    values take, or ``age is missing`` if that is the question.

    ``side``: 1 for the positive side, 0 for the negative one.
    ``max_terms``: number of terms of a sum that are written; the others are counted.
    """
    rounded = split if isinstance(split, RoundedSplit) else round_split(split, metadata=metadata)
    return " ".join(condition_parts(rounded, metadata, side, max_terms))


def condition_parts(
    rounded: RoundedSplit, metadata: ModelMetadata, side: int = 1, max_terms: int | None = None
) -> tuple[str, str]:
    """Return what is compared and the comparison: ``("age", ">= 43.5")``, ``("colour", "is not red")``."""
    has_missing = rounded.missing_positive == bool(side)
    if rounded.asks_missing:
        return term_name(metadata, rounded.features[0]), "is missing" if has_missing else "is not missing"
    subject, comparison = _category_parts(rounded, metadata, side) or _number_parts(
        rounded, metadata, side, max_terms
    )
    is_named = len(rounded.features) == 1 and metadata.feature(rounded.features[0]).has_missing
    return subject, comparison + OR_MISSING * (has_missing and is_named)


def _number_parts(
    rounded: RoundedSplit, metadata: ModelMetadata, side: int, max_terms: int | None
) -> tuple[str, str]:
    """Return the parts of a condition on a number or a sum."""
    mark = "" if rounded.is_exact else APPROXIMATE
    comparison = COMPARISON[rounded.is_flipped][side]
    feature = metadata.feature(rounded.features[0]) if rounded.weights == (1.0,) else None
    threshold = threshold_text(rounded.threshold, feature)
    return mark + sum_text(rounded, metadata, max_terms), f"{comparison} {threshold}"


def threshold_text(threshold: float, feature: Feature | None) -> str:
    """Return the threshold of one feature, a date if the feature is one; None for that of a sum."""
    kind = None if feature is None else feature.timestamp_kind
    return number_text(threshold) if kind is None else timestamp_text(threshold, kind)


def _category_parts(rounded: RoundedSplit, metadata: ModelMetadata, side: int) -> tuple[str, str] | None:
    """Return the parts of a condition on a single category or boolean, None for anything else."""
    if len(rounded.features) != 1:
        return None
    feature = metadata.feature(rounded.features[0])
    if not feature.is_binary:
        return None
    at_zero, at_one = rounded.side(_ZERO_AND_ONE[:, [0] * (rounded.features[0] + 1)])
    if at_zero == at_one:
        return None
    holds = bool(at_one) == bool(side)
    column = name_text(feature.column)
    missing = " or missing" if holds and feature.fill == 1 else ""
    if feature.kind == "boolean":
        return column, f"is {'true' if holds else 'false'}{missing}"
    if feature.kind in ("other", "missing"):
        return column, f"is {'' if holds else 'not '}{feature.kind}{missing}"
    return column, f"{'=' if holds else 'is not'} {label_text(feature.category)}{missing}"


def sum_text(rounded: RoundedSplit, metadata: ModelMetadata, max_terms: int | None = None) -> str:
    """Return the sum, such as ``age - 0.2 debts + 3 smaller terms``."""
    terms = term_texts(rounded, metadata)
    return " ".join(terms if max_terms is None else first_terms(terms, max_terms)) or "0"


def first_terms(terms: list[str], max_terms: int) -> list[str]:
    """Return the first terms and the number of the others."""
    others = len(terms) - max_terms
    if others <= 0:
        return terms
    return [*terms[:max_terms], f"+ {others} smaller term{'s' * (others > 1)}"]


def term_texts(rounded: RoundedSplit, metadata: ModelMetadata) -> list[str]:
    """Return the terms with their signs, such as ``["age", "- 0.2 debts"]``."""
    terms = []
    for place, (feature, weight) in enumerate(zip(rounded.features, rounded.weights, strict=True)):
        sign = "- " if weight < 0 else "+ " if place else ""
        size = "" if abs(weight) == 1 else f"{number_text(abs(weight))} "
        terms.append(f"{sign}{size}{term_name(metadata, feature)}")
    return terms


def term_name(metadata: ModelMetadata, place: int) -> str:
    """Return the name of a feature inside a sum; a category is 1 where it holds, ``[colour = red]``."""
    feature = metadata.feature(place)
    return name_text(feature.column) if feature.name == feature.column else f"[{one_line(feature.name)}]"


def name_text(name: str) -> str:
    """Return a column's name on one line, in quotes if it could be read as a number or a sign."""
    line = one_line(name)
    return line if line[:1].isalpha() or line[:1] in ("_", "(", "[", "#", "$") else f'"{line}"'


def class_name(metadata: ModelMetadata, code: int) -> str:
    """Return the label of a class as text on one line."""
    return label_text(metadata.class_labels[code])


def label_text(label: object) -> str:
    """Return a class or a category as text on one line, an empty one in quotes."""
    return one_line(str(label)) or '""'
