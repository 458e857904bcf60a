"""A diagram as one self-contained SVG picture, drawn layer by layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.export.boxes import LINE, PADDING, Box, boxes_of
from oddlearn.export.layout import Link, place
from oddlearn.export.totals import arc_totals, are_counts, weight_text

# fill and text colour of each class: Okabe and Ito's palette, which colour-blind readers can tell apart
COLOURS = (
    ("#0072B2", "#ffffff"),
    ("#E69F00", "#1a1a1a"),
    ("#009E73", "#ffffff"),
    ("#CC79A7", "#1a1a1a"),
    ("#56B4E9", "#1a1a1a"),
    ("#D55E00", "#ffffff"),
    ("#F0E442", "#1a1a1a"),
    ("#666666", "#ffffff"),
)

# sizes in pixels
FONT_SIZE = 13
GAP = 34.0
DROP = 88.0  # between two rows
STRAIGHT = 22.0  # arcs leave straight down, past their label
MARGIN = 28.0
WIDEST_ARC, THINNEST_ARC = 7.0, 1.2
NARROWEST = 540.0  # room for the legend

STYLE = (
    f"text{{font:{FONT_SIZE}px 'Helvetica Neue',Helvetica,Arial,sans-serif;fill:#1a1a1a}}"
    ".node{fill:#f7f7f5;stroke:#4d4d4d;stroke-width:1.2}"
    ".arc{fill:none;stroke:#8c8c8c;stroke-linecap:round}"
    ".no{stroke-dasharray:7 6}"
    ".side{font-size:12px;fill:#4d4d4d}"
    ".small{font-size:11px;fill:#4d4d4d}"
)


def to_svg(diagram: DecisionDiagram, notes: Notes, X: FloatArray | None = None) -> str:
    """Return the picture as SVG text.

    Parameters
    ----------
    diagram : DecisionDiagram
    notes : Notes
        Names, labels and the training weight at the final arcs.
    X : (n, n_features) float, optional
        The training rows; with them every arc shows its count, without them arcs to shared nodes do not.
        When samples were weighted all numbers are weights, and rows do not help.
    """
    boxes, rows, links = boxes_of(diagram, notes)
    total = arc_totals(diagram, notes, X)
    centre = [MARGIN + x for x in place(rows, [box.width for box in boxes], links, GAP)]
    top, floor = _edges(rows, boxes)
    parts = [_arc(boxes, centre, top, floor, link, total) for link in links]
    parts += [_drawn(box, x, y) for box, x, y in zip(boxes, centre, top, strict=True)]
    width = max(x + box.width / 2 for box, x in zip(boxes, centre, strict=True)) + MARGIN
    height = max(y + box.height for box, y in zip(boxes, top, strict=True)) + LINE + MARGIN
    counted = X is not None and are_counts(diagram, notes, X)
    legend = "" if diagram.n_nodes == 0 else _legend(diagram, counted, height)
    return _document(max(width, NARROWEST), height + (LINE if legend else 0.0), [*parts, legend])


def _edges(rows: Sequence[Sequence[int]], boxes: Sequence[Box]) -> tuple[list[float], list[float]]:
    """Return the upper edge of every box, and the lower edge of its row."""
    top, floor = [0.0] * len(boxes), [0.0] * len(boxes)
    y = MARGIN
    for row in rows:
        bottom = y + max(boxes[box].height for box in row)
        for box in row:
            top[box], floor[box] = y, bottom
        y = bottom + DROP
    return top, floor


def _arc(
    boxes: Sequence[Box],
    centre: Sequence[float],
    top: Sequence[float],
    floor: Sequence[float],
    link: Link,
    total: FloatArray,
) -> str:
    """Return the curve of an arc, with its side and count beside the place it leaves from."""
    box = boxes[link.start]
    x = centre[link.start] + (link.side - 0.5) * min(0.5 * box.width, 90.0)
    y = top[link.start] + box.height
    end_x, end_y = centre[link.end], top[link.end]
    turn = floor[link.start] + STRAIGHT
    bend = 0.55 * (end_y - turn)
    weight = float(total[2 * link.start + link.side])
    kind, word, anchor, shift = (("no", "no", "end", -7), ("yes", "yes", "start", 7))[link.side]
    count = "" if math.isnan(weight) else f" {weight_text(weight)}"
    ends = f"{end_x:.1f} {end_y - bend:.1f} {end_x:.1f} {end_y:.1f}"
    curve = f"M{x:.1f} {y:.1f}V{turn:.1f}C{x:.1f} {turn + bend:.1f} {ends}"
    return (
        f'<path class="arc {kind}" stroke-width="{_thickness(weight, total):.1f}" d="{curve}"/>'
        f'<text class="side" x="{x + shift:.1f}" y="{y + 16:.1f}" text-anchor="{anchor}">{word}{count}</text>'
    )


def _thickness(weight: float, total: FloatArray) -> float:
    everything = float(np.nansum(total[:2]))
    if math.isnan(weight) or everything <= 0:
        return THINNEST_ARC
    return THINNEST_ARC + (WIDEST_ARC - THINNEST_ARC) * min(1.0, weight / everything)


def _drawn(box: Box, x: float, y: float) -> str:
    is_end = box.class_code is not None
    fill, ink = COLOURS[(box.class_code or 0) % len(COLOURS)]
    look = f'style="fill:{fill}" rx="{box.height / 2:.1f}"' if is_end else 'class="node" rx="6"'
    colour = f' style="fill:{ink};font-weight:600"' if is_end else ""
    size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
    parts = [
        f"<g><title>{escape(box.tooltip)}</title>",
        f'<rect x="{x - box.width / 2:.1f}" y="{y:.1f}" {size} {look}/>',
    ]
    for number, line in enumerate(box.lines):
        parts.append(_words(line, x, y + PADDING / 2 + LINE * (number + 0.72), colour))
    if box.caption:
        parts.append(_words(box.caption, x, y + box.height + 15, ' class="small"'))
    return "".join([*parts, "</g>"])


def _words(line: str, x: float, y: float, look: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle"{look}>{escape(line)}</text>'


def _legend(diagram: DecisionDiagram, counted: bool, y: float) -> str:
    words = f"solid: yes, dashed: no; numbers are training {'samples' if counted else 'weight'}"
    if any(isinstance(split, MultivariateSplit) for split in diagram.splits):
        words += "; sums are rounded, tooltips are not"
    return f'<text class="small" x="{MARGIN}" y="{y:.1f}">{words}</text>'


def _document(width: float, height: float, parts: Sequence[str]) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>', *parts, "</svg>", ""])
