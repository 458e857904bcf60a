"""What a node asks: short for its box, in words for each side, and exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.splits import Split
from oddlearn.export.conditions import (
    APPROXIMATE,
    condition,
    condition_parts,
    first_terms,
    number_text,
    shown_splits,
    term_name,
    term_texts,
)
from oddlearn.export.lettering import cut, text_width, wrapped
from oddlearn.export.shown import ShownSplit, exact

# pixels: the font, a line of text in a box; and lines of a name
FONT_SIZE = 13.0
WIDEST_LINE, MOST_LINES = 210.0, 3

# terms of a sum in a box; the others are counted there, and all are listed on the page
SHOWN_TERMS = 4

# digits in a box when there are no rows to tell which can be left out
DIGITS = 4

# characters of a threshold that is shown exactly
SHORT_NUMBER = 8


@dataclass(frozen=True)
class Term:
    """A term of a sum: its weight as shown, empty if it was folded away, and its own."""

    name: str
    shown: str
    exact: str


@dataclass(frozen=True)
class Question:
    """The test of a node.

    Attributes
    ----------
    lines : tuple of str
        For its box.
    sides : (str, str)
        When a sample takes the negative and the positive side, in numbers as short as the rows allow; of a
        long sum the first terms.
    exact : (str, str)
        The same with all digits and terms.
    pieces : tuple of str
        The exact positive side, in pieces between which a line may be broken.
    terms : tuple of Term
        Those of a sum, the weightiest first, and its threshold; empty when one feature is compared.
    is_flipped : bool
        True when the sum and its threshold are shown with the opposite signs.
    """

    lines: tuple[str, ...]
    sides: tuple[str, str]
    exact: tuple[str, str]
    pieces: tuple[str, ...]
    terms: tuple[Term, ...]
    is_flipped: bool

    @property
    def width(self) -> float:
        """Pixels of the longest line."""
        return max(text_width(line, FONT_SIZE) for line in self.lines)

    @property
    def is_rounded(self) -> bool:
        """True when the box does not show all digits."""
        return bool(self.terms) or self.sides != self.exact


def questions_of(diagram: DecisionDiagram, notes: Notes, X: FloatArray | None) -> list[Question]:
    """Return the question of each node, shortened as far as keeps every row of X on its side."""
    shown = shown_splits(diagram, X, DIGITS if X is None else None)
    return [_question(split, short, notes) for split, short in zip(diagram.splits, shown, strict=True)]


def _question(split: Split, shown: ShownSplit, notes: Notes) -> Question:
    whole = exact(split)
    is_sum = len(whole.features) != 1
    if not is_sum and len(number_text(whole.threshold)) <= SHORT_NUMBER:
        shown = whole  # then no typed sample can contradict the box
    full = _in_order(split, shown) if is_sum else whole
    subject, test = condition_parts(full, notes)
    return Question(
        lines=tuple(_sum_lines(shown, notes) if is_sum else _lines(shown, notes)),
        sides=_both_sides(shown, notes, SHOWN_TERMS),
        exact=_both_sides(full, notes, None),
        pieces=(*term_texts(full, notes), test) if is_sum else (subject, test),
        terms=_terms(full, shown, notes) if is_sum else (),
        is_flipped=shown.is_flipped,
    )


def _both_sides(shown: ShownSplit, notes: Notes, most_terms: int | None) -> tuple[str, str]:
    negative, positive = (condition(shown, notes, side, most_terms=most_terms) for side in (0, 1))
    return negative, positive


def _in_order(split: Split, shown: ShownSplit) -> ShownSplit:
    """Return the split's own numbers in the order and with the signs of those shown, folded terms last."""
    sign = -1.0 if shown.is_flipped else 1.0
    others = [feature for feature in exact(split).features if feature not in shown.features]
    order = (*shown.features, *others)
    weights = split.dense_weights(1 + max(order, default=0))
    scaled = tuple(sign * float(weights[feature]) for feature in order)
    return ShownSplit(order, scaled, sign * split.threshold, shown.is_flipped, True)


def _lines(shown: ShownSplit, notes: Notes) -> list[str]:
    """Return the condition in few lines, in which a long name is cut rather than the number."""
    name, test = condition_parts(shown, notes)
    if text_width(f"{name} {test}", FONT_SIZE) <= WIDEST_LINE:
        return [f"{name} {test}"]
    return [*wrapped(name, FONT_SIZE, WIDEST_LINE, MOST_LINES - 1), cut(test, FONT_SIZE, WIDEST_LINE)]


def _sum_lines(shown: ShownSplit, notes: Notes) -> list[str]:
    """Return the terms that count most, line by line, and the comparison."""
    terms = first_terms(term_texts(shown, notes), SHOWN_TERMS) or ["0"]
    mark = "" if shown.is_exact else APPROXIMATE
    test = f"{mark}{condition_parts(shown, notes)[1]}"
    return [cut(line, FONT_SIZE, WIDEST_LINE) for line in (*terms, test)]


def _terms(full: ShownSplit, shown: ShownSplit, notes: Notes) -> tuple[Term, ...]:
    """Return all terms with the weights shown and their own, then the thresholds."""
    short = [number_text(weight) for weight in shown.weights]
    short += [""] * (len(full.features) - len(short))
    terms = [
        Term(term_name(notes, feature), brief, number_text(weight))
        for feature, brief, weight in zip(full.features, short, full.weights, strict=True)
    ]
    return (*terms, Term("", condition_parts(shown, notes)[1], condition_parts(full, notes)[1]))


def used_features(diagram: DecisionDiagram) -> list[int]:
    """Return the features that some split looks at, in the order of the table."""
    used = np.zeros(diagram.n_features, dtype=bool)
    for split in diagram.splits:
        used |= split.dense_weights(diagram.n_features) != 0
    return [int(feature) for feature in np.flatnonzero(used)]
