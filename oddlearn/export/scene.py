"""A drawing before it is drawn: where every box, arc and word stands, in pixels from the upper left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.boxes import LABEL_SHIFT, SMALL, SMALL_LINE, WIDEST_ARC, Box, final_arcs
from oddlearn.export.conditions import class_name
from oddlearn.export.flows import Flows
from oddlearn.export.layout import Link, place
from oddlearn.export.lettering import cut, text_width, wrapped

# sizes in pixels
GAP = 26.0  # between two boxes of a row
DROP = 84.0  # between two rows
STRAIGHT = 22.0  # arcs leave straight down, past their label
MARGIN = 24.0
THINNEST_ARC = 1.0
ARC_GAP = 2.0  # between arcs that arrive at one box
NARROWEST = 420.0  # room for the legend
SWATCH = 12.0
WIDEST_NAME = 180.0  # of a class in the legend
MOST_LEGEND_LINES = 4


@dataclass(frozen=True)
class Place:
    """Where a box stands: the middle of its upper edge."""

    x: float
    y: float


@dataclass(frozen=True)
class Curve:
    """An arc: straight down from (x, y) to ``turn``, then curved to (end_x, end_y).

    Attributes
    ----------
    arc : int
        ``2 * node + side``.
    x, y, turn, end_x, end_y, thickness : float
    label : str
        Beside its beginning, on the outer side.
    """

    arc: int
    x: float
    y: float
    turn: float
    end_x: float
    end_y: float
    thickness: float
    label: str

    @property
    def bend(self) -> float:
        """Distance of the two control points of the Bezier curve from its ends, both above or below them."""
        return 0.55 * (self.end_y - self.turn)

    @property
    def dash(self) -> tuple[float, float]:
        """Length of dash and gap of a negative arc: longer where it is thick."""
        return 5 + 0.8 * self.thickness, 4 + 0.2 * self.thickness

    @property
    def label_x(self) -> float:
        """Where the label begins (positive side) or ends (negative side)."""
        shift = LABEL_SHIFT + self.thickness / 2
        return self.x + shift if self.arc % 2 else self.x - shift


@dataclass(frozen=True)
class Swatch:
    """A class in the legend: its code, its name, and the upper left corner of its square."""

    code: int
    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Scene:
    """All there is to draw; ``words`` are the lines at the bottom, from ``words_y`` on."""

    boxes: tuple[Box, ...]
    places: tuple[Place, ...]
    curves: tuple[Curve, ...]
    swatches: tuple[Swatch, ...]
    words: tuple[str, ...]
    words_y: float
    width: float
    height: float


def scene_of(
    diagram: DecisionDiagram, notes: Notes, boxes: Sequence[Box], flows: Flows, words: str
) -> Scene:
    """Lay out boxes (nodes, then final arcs), with the classes and some words below them."""
    rows, links = _rows_and_links(diagram)
    centres = place(rows, [box.room for box in boxes], links, GAP)
    inner = max(x + box.room / 2 for x, box in zip(centres, boxes, strict=True))
    width = max(NARROWEST, inner + 2 * MARGIN)
    shift = (width - inner) / 2
    tops, floors = _edges(rows, boxes)
    places = tuple(Place(shift + x, y) for x, y in zip(centres, tops, strict=True))
    bottom = max(floors) + 1.5 * SMALL_LINE
    swatches, words_y = _swatches(notes, bottom, width)
    lines = tuple(wrapped(words, SMALL, width - 2 * MARGIN, MOST_LEGEND_LINES)) if words else ()
    height = words_y + len(lines) * SMALL_LINE + MARGIN / 2
    curves = _curves(links, boxes, places, floors, flows)
    return Scene(tuple(boxes), places, curves, swatches, lines, words_y, width, height)


def _rows_and_links(diagram: DecisionDiagram) -> tuple[list[list[int]], list[Link]]:
    if diagram.n_nodes == 0:
        return [[0]], []
    rows: list[list[int]] = [[] for _ in range(diagram.depth + 1)]
    for node, layer in enumerate(diagram.layer):
        rows[layer].append(node)
    box_of_end = {arc: diagram.n_nodes + number for number, arc in enumerate(final_arcs(diagram))}
    links = []
    for arc in range(diagram.n_arcs):
        node, side = divmod(arc, 2)
        if arc in box_of_end:
            rows[diagram.layer[node] + 1].append(box_of_end[arc])
        target = int((diagram.negative, diagram.positive)[side][node])
        links.append(Link(node, box_of_end.get(arc, target), side))
    return rows, links


def _edges(rows: Sequence[Sequence[int]], boxes: Sequence[Box]) -> tuple[list[float], list[float]]:
    """Return the upper edge of every box, and the lower edge of its row."""
    tops, floors = [0.0] * len(boxes), [0.0] * len(boxes)
    y = MARGIN
    for row in rows:
        floor = y + max(boxes[box].height for box in row)
        for box in row:
            tops[box], floors[box] = y, floor
        y = floor + DROP
    return tops, floors


def _curves(
    links: Sequence[Link],
    boxes: Sequence[Box],
    places: Sequence[Place],
    floors: Sequence[float],
    flows: Flows,
) -> tuple[Curve, ...]:
    thickness = [_thickness(flows, 2 * link.start + link.side) for link in links]
    starts = [places[link.start].x + (2 * link.side - 1) * boxes[link.start].arc_shift for link in links]
    ends = _arrivals(links, places, starts, thickness)
    return tuple(
        Curve(
            arc=2 * link.start + link.side,
            x=starts[number],
            y=places[link.start].y + boxes[link.start].height,
            turn=floors[link.start] + STRAIGHT,
            end_x=ends[number],
            end_y=places[link.end].y,
            thickness=thickness[number],
            label=boxes[link.start].labels[link.side],
        )
        for number, link in enumerate(links)
    )


def _arrivals(
    links: Sequence[Link], places: Sequence[Place], starts: Sequence[float], thickness: Sequence[float]
) -> list[float]:
    """Return where each arc ends: side by side on its box, in the order they come from."""
    ends = [0.0] * len(links)
    for box in {link.end for link in links}:
        arriving = sorted((n for n, link in enumerate(links) if link.end == box), key=starts.__getitem__)
        x = places[box].x - (sum(thickness[n] for n in arriving) + ARC_GAP * (len(arriving) - 1)) / 2
        for number in arriving:
            ends[number] = x + thickness[number] / 2
            x += thickness[number] + ARC_GAP
    return ends


def _thickness(flows: Flows, arc: int) -> float:
    share = flows.share(float(flows.on_arc[arc]))
    return THINNEST_ARC if math.isnan(share) else max(THINNEST_ARC, WIDEST_ARC * min(1.0, share))


def _swatches(notes: Notes, y: float, width: float) -> tuple[tuple[Swatch, ...], float]:
    """Return the legend of the classes in as many lines as it needs, and where the next line begins."""
    found, x = [], MARGIN
    for code in range(len(notes.class_labels)):
        name = cut(class_name(notes, code), SMALL, WIDEST_NAME)
        needed = SWATCH + 5 + text_width(name, SMALL)
        if x > MARGIN and x + needed > width - MARGIN:
            x, y = MARGIN, y + 1.3 * SMALL_LINE
        found.append(Swatch(code, name, x, y))
        x += needed + 14
    return tuple(found), y + 2 * SMALL_LINE
