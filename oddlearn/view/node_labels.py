"""Labels of nodes and ends: the lines of a box, the conditions of both sides, counts and class shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import Split
from oddlearn.view.arc_flows import ArcFlows
from oddlearn.view.conditions import (
    APPROXIMATE,
    OR_MISSING,
    class_name,
    condition_parts,
    condition_text,
    first_terms,
    term_name,
    term_texts,
)
from oddlearn.view.inputs import ModelView
from oddlearn.view.number_text import count_text, number_text, share_text
from oddlearn.view.rounding import RoundedSplit, exact_split, is_short, round_splits
from oddlearn.view.text_metrics import shorten_text, text_width, wrap_text

# pixels: the font of a box and its widest line
FONT_SIZE = 13.0
MAX_LINE_WIDTH = 215.0

MAX_NAME_LINES = 3  # lines of a long feature name
MAX_LABEL_LINES = 2  # lines of a class label
MAX_TERMS = 3  # terms of a longer sum in a box; export_text and the page list all of them

# digits where no rows show which can be left out; a number that loses something by it is marked
DIGITS = 4


@dataclass(frozen=True)
class Term:
    """A term of a sum: the displayed weight, empty if it was folded away, and the exact one."""

    name: str
    displayed: str
    exact: str


@dataclass(frozen=True)
class NodeLabel:
    """The test of a node in words."""

    lines: tuple[str, ...]  # lines of the box
    text: str  # condition of the positive side with all terms
    sides: tuple[str, str]  # conditions of the negative and the positive side; of a long sum the first terms
    exact: tuple[str, str]  # the same with all digits and terms
    pieces: tuple[str, ...]  # the exact positive side in pieces between which a line may be broken
    terms: tuple[Term, ...]  # of a sum, the one with the largest influence first, then its threshold
    is_flipped: bool  # True when the sum and its threshold are displayed with the opposite signs

    @property
    def is_rounded(self) -> bool:
        """True when the box does not show all digits."""
        return bool(self.terms) or self.sides != self.exact


def label_nodes(
    diagram: DecisionDiagram, metadata: ModelMetadata, X: NDArray[np.floating] | None
) -> list[NodeLabel]:
    """Return the label of each node, with numbers as short as keeps every row of X on its side."""
    pairs = zip(diagram.splits, round_splits(diagram, X, DIGITS, metadata), strict=True)
    return [_build_label(split, _keep_short(split, rounded), metadata) for split, rounded in pairs]


def _keep_short(split: Split, rounded: RoundedSplit) -> RoundedSplit:
    is_changed = not rounded.is_timestamp and is_short(split) and not _is_same(split, rounded)
    return exact_split(split) if is_changed else rounded


def _is_same(split: Split, rounded: RoundedSplit) -> bool:
    """Return True if the displayed numbers are those of the split, in any order."""
    exact = exact_split(split)
    sign = -1.0 if exact.is_flipped != rounded.is_flipped else 1.0
    ours = {feature: sign * weight for feature, weight in zip(exact.features, exact.weights, strict=True)}
    theirs = dict(zip(rounded.features, rounded.weights, strict=True))
    return ours == theirs and sign * exact.threshold == rounded.threshold


def _build_label(split: Split, rounded: RoundedSplit, metadata: ModelMetadata) -> NodeLabel:
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


def _both_sides(rounded: RoundedSplit, metadata: ModelMetadata, max_terms: int | None) -> tuple[str, str]:
    negative, positive = (condition_text(rounded, metadata, side, max_terms=max_terms) for side in (0, 1))
    return negative, positive


def _condition_lines(rounded: RoundedSplit, metadata: ModelMetadata) -> tuple[str, ...]:
    """Return the lines of a condition on one feature; a long name is shortened rather than the number."""
    name, comparison = condition_parts(rounded, metadata)
    *lines, last = wrap_text(name, FONT_SIZE, MAX_LINE_WIDTH, MAX_NAME_LINES)
    if text_width(f"{last} {comparison}", FONT_SIZE) <= MAX_LINE_WIDTH:
        return (*lines, f"{last} {comparison}")
    n_lines = 1 + comparison.endswith(OR_MISSING)
    return (*lines, last, *wrap_text(comparison, FONT_SIZE, MAX_LINE_WIDTH, n_lines))


def _sum_lines(rounded: RoundedSplit, metadata: ModelMetadata) -> tuple[str, ...]:
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


def _terms(exact: RoundedSplit, rounded: RoundedSplit, metadata: ModelMetadata) -> tuple[Term, ...]:
    """Return all terms with the displayed and the exact weight, then the thresholds."""
    displayed = [number_text(weight) for weight in rounded.weights]
    displayed += [""] * (len(exact.features) - len(displayed))
    terms = [
        Term(term_name(metadata, feature), short, number_text(weight))
        for feature, short, weight in zip(exact.features, displayed, exact.weights, strict=True)
    ]
    return (*terms, Term("", condition_parts(rounded, metadata)[1], condition_parts(exact, metadata)[1]))


@dataclass(frozen=True)
class BoxContent:
    """A node or the end of a final arc, before it has a place."""

    lines: tuple[str, ...]
    caption: str  # a line in small letters below them
    description: str  # the full text, for tooltips and screen readers
    node: int | None = None
    arc: int | None = None  # the final arc of an end
    class_code: int | None = None  # the class of an end
    class_shares: tuple[float, ...] = ()  # share of each class at a node; empty where it is not known
    arc_labels: tuple[str, str] = ("", "")  # texts beside the negative and the positive arc of a node
    number: str = ""  # number of a node, written above its box; empty where the caption has it


def picture_contents(
    view: ModelView, labels: Sequence[NodeLabel], flows: ArcFlows, *, is_page: bool = False
) -> list[BoxContent]:
    """Return the boxes of a picture, nodes, then ends; on the page, numbers stand above the nodes."""
    nodes = []
    for node, label in enumerate(labels):
        sizes = _weight_and_share(flows, flows.node_weight(node))
        if is_page:
            weight = f" {count_text(flows.node_weight(node))} {flows.unit}" if sizes else ""
            texts = " · ".join(sizes), f"Node {node}: {label.sides[1]}?{weight}"
        else:
            texts = " · ".join([f"node {node}", *sizes]), f"node {node}: {label.text}"
        shares, arc_labels = flows.class_shares(node), _arc_labels(flows, node)
        number = str(node) if is_page else ""
        nodes.append(
            BoxContent(label.lines, *texts, node, class_shares=shares, arc_labels=arc_labels, number=number)
        )
    return [*nodes, *_end_contents(view, flows, "Class " if is_page else "")]


def share_contents(view: ModelView, flows: ArcFlows) -> list[BoxContent]:
    """Return boxes that show only the share of the samples: nodes, then ends."""
    contents = []
    for node in range(view.diagram.n_nodes):
        text = share_text(flows.node_weight(node), flows.total) or "?"
        shares = flows.class_shares(node)
        contents.append(BoxContent((text,), "", f"node {node}: {text}", node, class_shares=shares))
    for arc in view.diagram.final_arcs:
        code = int(view.diagram.arc_class[arc])
        text = share_text(flows.arc_weight(arc), flows.total) or "?"
        name = class_name(view.metadata, code)
        contents.append(BoxContent((text,), "", f"{name}: {text}", arc=arc, class_code=code))
    return contents


def _end_contents(view: ModelView, flows: ArcFlows, prefix: str) -> list[BoxContent]:
    contents = []
    for arc in view.diagram.final_arcs:
        code = int(view.diagram.arc_class[arc])
        name, caption = class_name(view.metadata, code), _correct_text(flows, arc, code)
        lines = tuple(wrap_text(name, FONT_SIZE, MAX_LINE_WIDTH, MAX_LABEL_LINES))
        description = f"{prefix}{name}: {caption}" if caption else f"{prefix}{name}"
        contents.append(BoxContent(lines, caption, description, arc=arc, class_code=code))
    return contents


def _correct_text(flows: ArcFlows, arc: int, code: int) -> str:
    """Return how many of the samples on a final arc have its class, if that is known."""
    if not flows.has_classes or not flows.total > 0:
        return ""
    correct = flows.prefix + count_text(float(flows.arcs[arc][code]))
    return f"{correct} of {count_text(flows.arc_weight(arc))} right"


def _weight_and_share(flows: ArcFlows, weight: float) -> list[str]:
    return [flows.prefix + count_text(weight), share_text(weight, flows.total)] if flows.total > 0 else []


def _arc_labels(flows: ArcFlows, node: int) -> tuple[str, str]:
    """Return the label beside each arc of a node: its side and, if known, its weight."""
    if not flows.total > 0:
        return "no", "yes"
    counts = [count_text(flows.arc_weight(2 * node + side)) for side in (0, 1)]
    return f"no {counts[0]}", f"yes {counts[1]}"
