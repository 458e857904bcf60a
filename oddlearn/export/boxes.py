"""The boxes of a drawing: one per node and one per final arc, in rows, with the links between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.splits import MultivariateSplit, Split, feature_name
from oddlearn.export.layout import Link
from oddlearn.export.totals import weight_text

# sizes in pixels
CHARACTER = 7.3  # of an average letter of 13 pixels
LINE = 18.0
PADDING = 12.0
NARROWEST_NODE, NARROWEST_END = 150.0, 64.0

# terms of a weighted sum that are shown in the box; all of them are in its tooltip
SHOWN_TERMS = 5


@dataclass(frozen=True)
class Box:
    """A node or the end of a final arc: its lines of text, tooltip and, for an end, its class code."""

    lines: tuple[str, ...]
    tooltip: str
    class_code: int | None = None
    caption: str = ""

    @property
    def width(self) -> float:
        """Width in pixels, with the caption below it."""
        longest = max(len(line) for line in (*self.lines, self.caption))
        narrowest = NARROWEST_NODE if self.class_code is None else NARROWEST_END
        return max(narrowest, longest * CHARACTER + 2 * PADDING)

    @property
    def height(self) -> float:
        """Height in pixels, without the caption."""
        return len(self.lines) * LINE + PADDING


def boxes_of(diagram: DecisionDiagram, notes: Notes) -> tuple[list[Box], list[list[int]], list[Link]]:
    """Return one box per node, then one per final arc, the rows they stand in, and the links."""
    if diagram.n_nodes == 0:
        return [_end(diagram, notes, 0)], [[0]], []
    boxes = [_node(split, notes.feature_names) for split in diagram.splits]
    rows: list[list[int]] = [[] for _ in range(diagram.depth + 1)]
    for node, layer in enumerate(diagram.layer):
        rows[layer].append(node)
    links = []
    for arc, code in enumerate(diagram.arc_class):
        node, side = divmod(arc, 2)
        end = int((diagram.negative, diagram.positive)[side][node])
        if code >= 0:
            end = len(boxes)
            boxes.append(_end(diagram, notes, arc))
            rows[diagram.layer[node] + 1].append(end)
        links.append(Link(node, end, side))
    return boxes, [row for row in rows if row], links


def _node(split: Split, names: Sequence[str] | None) -> Box:
    text = split.describe(names)
    if not isinstance(split, MultivariateSplit):
        return Box((text,), text)
    terms = np.argsort(-np.abs(split.weights), kind="stable")[: np.count_nonzero(split.weights)]
    lines = [_term(split, int(feature), names) for feature in terms[:SHOWN_TERMS]]
    if len(terms) > SHOWN_TERMS:
        lines.append(f"+ {len(terms) - SHOWN_TERMS} smaller terms")
    return Box((*lines, f">= {split.threshold:.4g}"), text)


def _term(split: MultivariateSplit, feature: int, names: Sequence[str] | None) -> str:
    weight = float(split.weights[feature])
    return f"{'-' if weight < 0 else '+'} {abs(weight):.4g} {feature_name(feature, names)}"


def _end(diagram: DecisionDiagram, notes: Notes, arc: int) -> Box:
    code = int(diagram.arc_class[arc])
    weights = notes.arc_weights[arc]
    label = str(notes.class_labels[code])
    caption = f"{weight_text(weights[code])} of {weight_text(weights.sum())} right"
    return Box((label,), f"{label}: {caption}", code, caption)
