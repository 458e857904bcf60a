"""The boxes of a drawing: what is written in each node and each end of a final arc, and how large that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.conditions import (
    APPROXIMATE,
    class_name,
    condition,
    condition_parts,
    first_terms,
    term_texts,
)
from oddlearn.export.flows import Flows, share_text, weight_text
from oddlearn.export.lettering import cut, text_width, wrapped
from oddlearn.export.shown import ShownSplit

# sizes in pixels
FONT, SMALL = 13.0, 11.0
LINE, SMALL_LINE = 18.0, 15.0
PADDING = 11.0
BAR = 7.0  # height of the bar of a node's classes
WIDEST_TEXT = 215.0
NARROWEST_NODE, NARROWEST_END = 120.0, 56.0

WIDEST_ARC = 13.0
LABEL_SHIFT = 5.0  # of an arc's label from its edge

# terms of a sum in a box; export_text and tooltips have all
SHOWN_TERMS = 3

# lines a long condition may take, and the label of a class
MOST_LINES, MOST_LABEL_LINES = 4, 2


@dataclass(frozen=True)
class Box:
    """A node or the end of a final arc.

    Attributes
    ----------
    lines : tuple of str
    foot : str
        A line in small letters below them.
    tooltip : str
        The whole text where ``lines`` are shortened.
    class_code : int or None
        Of an end.
    mix : tuple of float
        Shares of the classes among the samples at a node; empty where they are not known.
    labels : tuple of str
        Beside the negative and the positive arc of a node.
    """

    lines: tuple[str, ...]
    foot: str
    tooltip: str
    class_code: int | None = None
    mix: tuple[float, ...] = ()
    labels: tuple[str, str] = ("", "")

    @property
    def width(self) -> float:
        """Width in pixels."""
        longest = max(text_width(line, FONT) for line in self.lines)
        narrowest = NARROWEST_NODE if self.foot and self.class_code is None else NARROWEST_END
        return max(narrowest, longest + 2 * PADDING, text_width(self.foot, SMALL) + 2 * PADDING)

    @property
    def height(self) -> float:
        """Height in pixels."""
        foot = SMALL_LINE if self.foot else 0.0
        return len(self.lines) * LINE + PADDING + foot + (BAR if self.mix else 0.0)

    @property
    def arc_shift(self) -> float:
        """How far from the middle the two arcs leave."""
        return min(0.25 * self.width, 45.0)

    @property
    def room(self) -> float:
        """Width of the box with the labels of its arcs, which may be wider."""
        label = max(text_width(label, SMALL) for label in self.labels)
        return max(self.width, 2 * (self.arc_shift + WIDEST_ARC / 2 + LABEL_SHIFT + label))


def full_boxes(
    diagram: DecisionDiagram, notes: Notes, shown: Sequence[ShownSplit], flows: Flows
) -> tuple[Box, ...]:
    """Return a box per node, then one per final arc, with all there is to say."""
    nodes = [_node(node, shown[node], notes, flows) for node in range(diagram.n_nodes)]
    return (*nodes, *(_end(diagram, notes, arc) for arc in final_arcs(diagram)))


def share_boxes(diagram: DecisionDiagram, notes: Notes, flows: Flows) -> tuple[Box, ...]:
    """Return a box per node, then one per final arc, with their shares of the samples only."""
    nodes = []
    for node, weight in enumerate(flows.at_node):
        text = _share(flows, float(weight))
        nodes.append(Box((text,), "", f"node {node}: {text}", mix=_mix(flows, node)))
    ends = []
    for arc in final_arcs(diagram):
        code, text = int(diagram.arc_class[arc]), _share(flows, float(flows.on_arc[arc]))
        ends.append(Box((text,), "", f"{class_name(notes, code)}: {text}", code))
    return (*nodes, *ends)


def final_arcs(diagram: DecisionDiagram) -> list[int]:
    """Return the arcs that lead to terminals, in order."""
    return [arc for arc, code in enumerate(diagram.arc_class) if code >= 0]


def _share(flows: Flows, weight: float) -> str:
    share = flows.share(weight)
    return "?" if math.isnan(share) else share_text(share)


def _node(node: int, shown: ShownSplit, notes: Notes, flows: Flows) -> Box:
    weight = float(flows.at_node[node])
    foot = f"node {node}"
    if not math.isnan(flows.share(weight)):
        foot += f" · {weight_text(weight)} · {share_text(flows.share(weight))}"
    labels = (_label("no", flows, 2 * node), _label("yes", flows, 2 * node + 1))
    text = condition(shown, notes)
    return Box(_question(shown, notes), foot, f"node {node}: {text}", None, _mix(flows, node), labels)


def _question(shown: ShownSplit, notes: Notes) -> tuple[str, ...]:
    """Return the lines of a condition: a sum term by term, anything else wrapped."""
    asked, answer = condition_parts(shown, notes)
    if len(shown.features) > 1:
        terms = first_terms(term_texts(shown, notes), SHOWN_TERMS)
        mark = "" if shown.is_exact else APPROXIMATE
        return (*(cut(term, FONT, WIDEST_TEXT) for term in terms), mark + answer)
    *lines, last = wrapped(asked, FONT, WIDEST_TEXT, MOST_LINES - 1)
    # what is asked stays together: on the last line of the name, or below it
    if text_width(f"{last} {answer}", FONT) <= WIDEST_TEXT:
        return (*lines, f"{last} {answer}")
    return (*lines, last, cut(answer, FONT, WIDEST_TEXT))


def _label(word: str, flows: Flows, arc: int) -> str:
    weight = float(flows.on_arc[arc])
    return word if math.isnan(weight) or flows.total <= 0 else f"{word} {weight_text(weight)}"


def _mix(flows: Flows, node: int) -> tuple[float, ...]:
    weights = flows.mix[node]
    total = float(weights.sum())
    return tuple(float(weight) / total for weight in weights) if total > 0 else ()


def _end(diagram: DecisionDiagram, notes: Notes, arc: int) -> Box:
    code = int(diagram.arc_class[arc])
    weights = notes.arc_weights[arc]
    label = class_name(notes, code)
    foot = ""
    if notes.arc_weights.any():
        foot = f"{weight_text(weights[code])} of {weight_text(weights.sum())} right"
    tooltip = f"{label}: {foot}" if foot else label
    return Box(tuple(wrapped(label, FONT, WIDEST_TEXT, MOST_LABEL_LINES)), foot, tooltip, code)
