"""How a split reads: the condition under which a sample takes a side of a node, in plain words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.diagram.trace import walk
from oddlearn.export.shown import ShownSplit, exact, shortened

# marks a condition whose numbers are rounded further than is known to be safe
APPROXIMATE = "about "

# what stands between a sum and its threshold: [is flipped][side]
COMPARISON = (("<", ">="), (">", "<="))

# numbers between these are written without an exponent
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-5, 1e15


def condition(
    split: Split | ShownSplit,
    notes: Notes,
    side: int = 1,
    *,
    rows: NDArray[np.floating] | None = None,
    digits: int | None = None,
    most_terms: int | None = None,
) -> str:
    """Return when a sample takes a side: ``age >= 43.5``, ``colour is not red``, ``income - 2 debts < 80``.

    Parameters
    ----------
    split : Split or ShownSplit
    notes : Notes
        Names of the features.
    side : int
        1 for the positive side, 0 for the negative one.
    rows : (n, n_features) float, optional
        Training rows: numbers are then as short as keeps each of them on its side, and terms too small to
        matter to any of them are left out. Without rows all numbers are exact. ``shown_splits`` does this
        for a whole diagram, with the rows that reach each node.
    digits : int, optional
        Round to so many digits what the rows do not tell to be safe; where that changes a number the text
        begins with "about".
    most_terms : int, optional
        Show so many terms of a sum at most and count the others.
    """
    shown = split if isinstance(split, ShownSplit) else shown_split(split, rows, digits)
    return " ".join(condition_parts(shown, notes, side, most_terms))


def condition_parts(
    shown: ShownSplit, notes: Notes, side: int = 1, most_terms: int | None = None
) -> tuple[str, str]:
    """Return what is asked about and what is asked: ``("age", ">= 43.5")``, ``("colour", "is not red")``."""
    words = _words_of_one(shown, notes, side)
    if words is not None:
        return words
    mark = "" if shown.is_exact else APPROXIMATE
    comparison = COMPARISON[shown.is_flipped][side]
    return mark + sum_text(shown, notes, most_terms), f"{comparison} {number_text(shown.threshold)}"


def shown_split(
    split: Split, rows: NDArray[np.floating] | None = None, digits: int | None = None
) -> ShownSplit:
    """Return the numbers to show: as short as the rows allow, else rounded to digits, else exact."""
    short = None if rows is None else shortened(split, rows)
    if short is not None:
        return short
    return exact(split) if digits is None else exact(split).rounded(digits)


def shown_splits(
    diagram: DecisionDiagram, X: NDArray[np.floating] | None = None, digits: int | None = None
) -> tuple[ShownSplit, ...]:
    """Return the numbers to show at each node; on the rows of X the shown diagram is the same.

    Thresholds of single features keep all rows of X on their sides, so that rules may combine them freely;
    sums keep those that reach the node.
    """
    if X is None:
        return tuple(shown_split(split, None, digits) for split in diagram.splits)
    reached = walk(diagram, X).reached
    return tuple(
        shown_split(split, X if isinstance(split, UnivariateSplit) else X[reached[:, node]], digits)
        for node, split in enumerate(diagram.splits)
    )


def sum_text(shown: ShownSplit, notes: Notes, most_terms: int | None = None) -> str:
    """Return the sum, such as ``age - 0.2 debts + 3 smaller terms``."""
    parts = term_texts(shown, notes)
    return " ".join(parts if most_terms is None else first_terms(parts, most_terms)) or "0"


def first_terms(parts: list[str], most_terms: int) -> list[str]:
    """Return the first terms, and how many others there are."""
    others = len(parts) - most_terms
    if others <= 0:
        return parts
    return [*parts[:most_terms], f"+ {others} smaller term{'s' * (others > 1)}"]


def term_texts(shown: ShownSplit, notes: Notes) -> list[str]:
    """Return the terms with their signs, such as ``["age", "- 0.2 debts"]``."""
    parts = []
    for place, (feature, weight) in enumerate(zip(shown.features, shown.weights, strict=True)):
        sign = "- " if weight < 0 else "+ " if place else ""
        size = "" if abs(weight) == 1 else f"{number_text(abs(weight))} "
        parts.append(f"{sign}{size}{term_name(notes, feature)}")
    return parts


def term_name(notes: Notes, place: int) -> str:
    """Return how a feature is named inside a sum: a category counts 1 where it holds, ``[colour = red]``."""
    feature = notes.feature(place)
    return f"[{one_line(feature.name)}]" if feature.kind == "category" else name_text(feature.column)


def name_text(name: str) -> str:
    """Return a column's name on one line, in quotes if it could be taken for a number or a sign."""
    line = one_line(name)
    return line if line[:1].isalpha() or line[:1] in ("_", "(", "[", "#", "$") else f'"{line}"'


def class_name(notes: Notes, code: int) -> str:
    """Return the label of a class as text."""
    return one_line(str(notes.class_labels[code]))


def one_line(text: str) -> str:
    """Return the text without line breaks and runs of blanks, which would tear a line of text apart."""
    return " ".join(text.split())


def number_text(value: float) -> str:
    """Return a number exactly, in the fewest digits that read back as the same double."""
    size = abs(value)
    if size and not SMALLEST_PLAIN <= size < LARGEST_PLAIN:
        return repr(float(value))
    # adding 0.0 takes the sign off a negative zero
    return str(np.format_float_positional(value + 0.0, trim="-"))


def _words_of_one(shown: ShownSplit, notes: Notes, side: int) -> tuple[str, str] | None:
    """Return the parts of a condition on a single category or boolean, None for anything else."""
    if len(shown.features) != 1:
        return None
    feature = notes.feature(shown.features[0])
    if feature.kind == "number":
        return None
    at_zero, at_one = shown.side(_ZERO_AND_ONE[:, [0] * (shown.features[0] + 1)])
    if at_zero == at_one:
        return None
    holds = bool(at_one) == bool(side)
    column = name_text(feature.column)
    if feature.kind == "boolean":
        return column, "is true" if holds else "is false"
    return column, f"{'=' if holds else 'is not'} {one_line(str(feature.category))}"


_ZERO_AND_ONE = np.array([[0.0], [1.0]])
