"""Labels of nodes: the lines of the box, the conditions of both sides, and the exact terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import Notes
from oddlearn.diagram.splits import Split
from oddlearn.view.conditions import (
    APPROXIMATE,
    condition_parts,
    condition_text,
    first_terms,
    term_name,
    term_texts,
)
from oddlearn.view.number_text import number_text
from oddlearn.view.rounding import RoundedSplit, exact_split, round_splits
from oddlearn.view.text_metrics import shorten_text, text_width, wrap_text

# pixels: the font of a box and its widest line
FONT_SIZE = 13.0
MAX_LINE_WIDTH = 215.0

# lines of a long feature name
MAX_NAME_LINES = 3

# terms of a longer sum in a box; export_text and the page list all of them
MAX_TERMS = 3

# digits where no rows show which can be left out; a number that loses something by it is marked
DIGITS = 4

# characters of a threshold that the page shows exactly
MAX_EXACT_LENGTH = 8


@dataclass(frozen=True)
class Term:
    """A term of a sum: the displayed weight, empty if it was folded away, and the exact one."""

    name: str
    displayed: str
    exact: str


@dataclass(frozen=True)
class NodeLabel:
    """The test of a node in words.

    Attributes
    ----------
    lines : tuple of str
        Lines of the box.
    text : str
        Condition of the positive side with all terms.
    sides : (str, str)
        Conditions of the negative and the positive side; of a long sum the first terms.
    exact : (str, str)
        The same with all digits and terms.
    pieces : tuple of str
        The exact positive side in pieces between which a line may be broken.
    terms : tuple of Term
        Terms of a sum, the one with the largest influence first, then its threshold; empty when a single
        feature is compared.
    is_flipped : bool
        True when the sum and its threshold are displayed with the opposite signs.
    """

    lines: tuple[str, ...]
    text: str
    sides: tuple[str, str]
    exact: tuple[str, str]
    pieces: tuple[str, ...]
    terms: tuple[Term, ...]
    is_flipped: bool

    @property
    def is_rounded(self) -> bool:
        """True when the box does not show all digits."""
        return bool(self.terms) or self.sides != self.exact


def picture_labels(
    diagram: DecisionDiagram, metadata: Notes, X: NDArray[np.floating] | None
) -> list[NodeLabel]:
    """Return the label of each node, with numbers as short as keeps every row of X on its side."""
    return _build_labels(diagram, metadata, round_splits(diagram, X, DIGITS))


def page_labels(
    diagram: DecisionDiagram, metadata: Notes, X: NDArray[np.floating] | None
) -> list[NodeLabel]:
    """Return the same labels, with short thresholds left exact: no typed sample can contradict them."""
    pairs = zip(diagram.splits, round_splits(diagram, X, DIGITS), strict=True)
    return _build_labels(diagram, metadata, [_keep_short(split, rounded) for split, rounded in pairs])


def _keep_short(split: Split, rounded: RoundedSplit) -> RoundedSplit:
    exact = exact_split(split)
    is_short = len(number_text(exact.threshold)) <= MAX_EXACT_LENGTH
    return exact if len(exact.features) == 1 and is_short else rounded


def _build_labels(
    diagram: DecisionDiagram, metadata: Notes, splits: Sequence[RoundedSplit]
) -> list[NodeLabel]:
    pairs = zip(diagram.splits, splits, strict=True)
    return [_build_label(split, rounded, metadata) for split, rounded in pairs]


def _build_label(split: Split, rounded: RoundedSplit, metadata: Notes) -> NodeLabel:
    is_sum = len(exact_split(split).features) != 1
    exact = _exact_in_order(split, rounded) if is_sum else exact_split(split)
    subject, comparison = condition_parts(exact, metadata)
    return NodeLabel(
        lines=_sum_lines(rounded, metadata) if is_sum else _condition_lines(rounded, metadata),
        text=condition_text(rounded, metadata),
        sides=_both_sides(rounded, metadata, _n_terms(rounded)),
        exact=_both_sides(exact, metadata, None),
        pieces=(*term_texts(exact, metadata), comparison) if is_sum else (subject, comparison),
        terms=_terms(exact, rounded, metadata) if is_sum else (),
        is_flipped=rounded.is_flipped,
    )


def _n_terms(rounded: RoundedSplit) -> int:
    """Return the number of terms that are written out: counting a single one would save no line."""
    count = len(rounded.features)
    return count if count <= MAX_TERMS + 1 else MAX_TERMS


def _both_sides(rounded: RoundedSplit, metadata: Notes, max_terms: int | None) -> tuple[str, str]:
    negative, positive = (condition_text(rounded, metadata, side, max_terms=max_terms) for side in (0, 1))
    return negative, positive


def _condition_lines(rounded: RoundedSplit, metadata: Notes) -> tuple[str, ...]:
    """Return the lines of a condition on one feature; a long name is shortened rather than the number."""
    name, comparison = condition_parts(rounded, metadata)
    *lines, last = wrap_text(name, FONT_SIZE, MAX_LINE_WIDTH, MAX_NAME_LINES)
    if text_width(f"{last} {comparison}", FONT_SIZE) <= MAX_LINE_WIDTH:
        return (*lines, f"{last} {comparison}")
    return (*lines, last, shorten_text(comparison, FONT_SIZE, MAX_LINE_WIDTH))


def _sum_lines(rounded: RoundedSplit, metadata: Notes) -> tuple[str, ...]:
    """Return a line for each of the first terms, and the comparison."""
    terms = first_terms(term_texts(rounded, metadata), _n_terms(rounded)) or ["0"]
    mark = "" if rounded.is_exact else APPROXIMATE
    comparison = mark + condition_parts(rounded, metadata)[1]
    return tuple(shorten_text(line, FONT_SIZE, MAX_LINE_WIDTH) for line in (*terms, comparison))


def _exact_in_order(split: Split, rounded: RoundedSplit) -> RoundedSplit:
    """Return the split's own numbers in the order and with the signs displayed, folded terms last."""
    sign = -1.0 if rounded.is_flipped else 1.0
    others = [feature for feature in exact_split(split).features if feature not in rounded.features]
    order = (*rounded.features, *others)
    weights = split.dense_weights(1 + max(order, default=0))
    signed = tuple(sign * float(weights[feature]) for feature in order)
    return RoundedSplit(order, signed, sign * split.threshold, rounded.is_flipped, True)


def _terms(exact: RoundedSplit, rounded: RoundedSplit, metadata: Notes) -> tuple[Term, ...]:
    """Return all terms with the displayed and the exact weight, then the thresholds."""
    displayed = [number_text(weight) for weight in rounded.weights]
    displayed += [""] * (len(exact.features) - len(displayed))
    terms = [
        Term(term_name(metadata, feature), short, number_text(weight))
        for feature, short, weight in zip(exact.features, displayed, exact.weights, strict=True)
    ]
    return (*terms, Term("", condition_parts(rounded, metadata)[1], condition_parts(exact, metadata)[1]))
