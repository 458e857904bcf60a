"""Where everything of the picture stands: boxes of nodes, ends of final arcs, ribbons between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.export.layout import Link, place
from oddlearn.export.lettering import text_width
from oddlearn.report.flows import Flows
from oddlearn.report.numbers import amount
from oddlearn.report.questions import FONT_SIZE, Question
from oddlearn.report.ribbon import Ribbon

# sizes in pixels
LINE = 18.0
PADDING = 12.0
FOOT = 32.0  # of a node's box: a line of numbers and the bar of its class mix
NARROWEST_NODE, NARROWEST_END = 150.0, 72.0
END_HEIGHT = 28.0
GAP = 22.0
DROP = 112.0  # between two rows
STRAIGHT = 24.0  # ribbons leave straight down, past their label
MARGIN = 24.0
LABEL_SHIFT = 6.0  # of an arc's label from its ribbon
SMALL_SIZE = 11.5
WIDEST_RIBBON, THINNEST_RIBBON = 46.0, 1.5
RIBBON_GAP = 2.0  # between those that arrive at one box


@dataclass(frozen=True)
class Box:
    """A node or the end of a final arc: the middle of its upper edge, its size, the lower edge of its row."""

    x: float
    y: float
    width: float
    height: float
    floor: float

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.y + self.height


@dataclass(frozen=True)
class Scene:
    """Boxes of the nodes, then of the final arcs ``ends``; the ribbons; the size of it all."""

    boxes: tuple[Box, ...]
    ends: tuple[int, ...]
    ribbons: tuple[Ribbon, ...]
    width: float
    height: float


def scene_of(
    diagram: DecisionDiagram, questions: Sequence[Question], end_texts: Sequence[Sequence[str]], flows: Flows
) -> Scene:
    """Lay out a diagram; ``end_texts`` holds the label and the caption of each final arc, in order."""
    ends = tuple(int(arc) for arc in np.flatnonzero(diagram.arc_class >= 0))
    sizes = [_node_size(question) for question in questions] + [_end_size(texts) for texts in end_texts]
    rows, links = _rows_and_links(diagram, ends)
    reaches = [_reach(diagram, box, width, flows) for box, (width, _) in enumerate(sizes)]
    centres = place(rows, reaches, links, GAP)
    boxes = _boxes(rows, sizes, centres)
    ribbons = _ribbons(boxes, links, flows)
    width = max(box.x + reach / 2 for box, reach in zip(boxes, reaches, strict=True)) + MARGIN
    height = max(box.bottom for box in boxes) + LINE + MARGIN
    return Scene(tuple(boxes), ends, tuple(ribbons), width, height)


def _node_size(question: Question) -> tuple[float, float]:
    width = max(NARROWEST_NODE, question.width + 2 * PADDING)
    return width, len(question.lines) * LINE + PADDING + FOOT


def _end_size(texts: Sequence[str]) -> tuple[float, float]:
    return max(NARROWEST_END, *(text_width(text, FONT_SIZE) + 2 * PADDING for text in texts)), END_HEIGHT


def _reach(diagram: DecisionDiagram, box: int, width: float, flows: Flows) -> float:
    """Return the width a box takes with the labels of its arcs, which stand beside the ribbons below it."""
    if box >= diagram.n_nodes:
        return width
    sides = (
        sum(_strands(flows, arc)) / 2 + LABEL_SHIFT + text_width(arc_label(flows, arc), SMALL_SIZE)
        for arc in (2 * box, 2 * box + 1)
    )
    return max(width, width / 2 + 2 * max(sides))


def arc_label(flows: Flows, arc: int) -> str:
    """Return the side of an arc and, if it is known, what takes it."""
    count = amount(float(flows.arcs[arc].sum())) if flows.total > 0 else ""
    return f"{('no', 'yes')[arc % 2]} {count}".strip()


def _rows_and_links(diagram: DecisionDiagram, ends: Sequence[int]) -> tuple[list[list[int]], list[Link]]:
    if diagram.n_nodes == 0:
        return [[0]], []
    rows: list[list[int]] = [[] for _ in range(diagram.depth + 1)]
    for node, layer in enumerate(diagram.layer):
        rows[layer].append(node)
    box_of_end = {arc: diagram.n_nodes + place for place, arc in enumerate(ends)}
    for arc, box in box_of_end.items():
        rows[diagram.layer[arc // 2] + 1].append(box)
    targets = np.column_stack([diagram.negative, diagram.positive]).ravel()
    links = [
        Link(arc // 2, box_of_end.get(arc, int(target)), arc % 2) for arc, target in enumerate(targets)
    ]
    return [row for row in rows if row], links


def _boxes(
    rows: Sequence[Sequence[int]], sizes: Sequence[tuple[float, float]], centres: Sequence[float]
) -> list[Box]:
    found: dict[int, Box] = {}
    y = MARGIN
    for row in rows:
        floor = y + max(sizes[box][1] for box in row)
        for box in row:
            found[box] = Box(MARGIN + centres[box], y, *sizes[box], floor)
        y = floor + DROP
    return [found[box] for box in range(len(sizes))]


def _ribbons(boxes: Sequence[Box], links: Sequence[Link], flows: Flows) -> list[Ribbon]:
    """Return the ribbons; those into one box arrive side by side, in the order they come from."""
    strands = [_strands(flows, 2 * link.start + link.side) for link in links]
    starts = [boxes[link.start].x + (link.side - 0.5) * boxes[link.start].width / 2 for link in links]
    arrivals = _arrivals(boxes, links, starts, [sum(widths) for widths in strands])
    return [
        Ribbon(
            arc=2 * link.start + link.side,
            start=link.start,
            end=link.end,
            x=start,
            y=boxes[link.start].bottom,
            turn=boxes[link.start].floor + STRAIGHT,
            end_x=arrival,
            end_y=boxes[link.end].y,
            strands=widths,
        )
        for link, start, arrival, widths in zip(links, starts, arrivals, strands, strict=True)
    ]


def _arrivals(
    boxes: Sequence[Box], links: Sequence[Link], starts: Sequence[float], widths: Sequence[float]
) -> list[float]:
    """Return where each ribbon ends: side by side on the box it leads to."""
    arrivals = [0.0] * len(links)
    for end in {link.end for link in links}:
        incoming = [arc for arc, link in enumerate(links) if link.end == end]
        x = boxes[end].x - sum(widths[arc] + RIBBON_GAP for arc in incoming) / 2
        for arc in sorted(incoming, key=starts.__getitem__):
            arrivals[arc] = x + (widths[arc] + RIBBON_GAP) / 2
            x += widths[arc] + RIBBON_GAP
    return arrivals


def _strands(flows: Flows, arc: int) -> tuple[float, ...]:
    """Return the widths of an arc's strands in proportion to its flow, none where that is 0 or not known."""
    flow: FloatArray = flows.arcs[arc]
    total = float(flow.sum())
    if not total > 0 or not flows.total > 0:
        return ()
    width = max(THINNEST_RIBBON, WIDEST_RIBBON * min(1.0, total / flows.total))
    return tuple(float(width * part / total) for part in flow)
