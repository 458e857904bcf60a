"""A drawing before it is drawn: every box, arc and line of text in pixels, in one of two styles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.view.arc_flows import ArcFlows
from oddlearn.view.flow_band import FlowBand
from oddlearn.view.layout import Link, place_boxes, rows_and_links
from oddlearn.view.node_labels import FONT_SIZE, BoxContent
from oddlearn.view.text_metrics import text_width

LINE_HEIGHT = 18.0

BASELINE = 0.75  # height of the baseline of a line of text, as a share of the line

# pixels between bands that arrive at one box, and between the caption of a box and its bar
BAND_GAP = 2.0
BAR_GAP = 2.0


@dataclass(frozen=True)
class SceneStyle:
    """Sizes of a drawing in pixels."""

    small_font: float  # of captions and arc labels
    caption_height: float  # what a caption takes in a box
    padding: float  # distance of text from the edge of its box
    bar_height: float  # of the bar of a node's classes
    min_node_width: float  # of boxes
    min_end_width: float
    min_width: float  # of the whole drawing
    box_gap: float  # between boxes
    row_gap: float  # between rows
    straight: float  # of arcs before they turn
    margin: float  # around the drawing
    label_shift: float  # distance of an arc's label from the arc
    label_drop: float  # distance of its baseline from the box above
    min_band: float  # width of an arc that few samples take
    max_band: float  # that all take
    empty_band: float  # that none take
    caption_below_end: bool  # the caption of an end stands below its box instead of inside


# a file of its own or matplotlib axes: compact, arcs as lines, room for a legend
PICTURE = SceneStyle(
    small_font=11.0, caption_height=15.0, padding=11.0, bar_height=5.0,
    min_node_width=120.0, min_end_width=56.0, min_width=420.0,
    box_gap=26.0, row_gap=84.0, straight=22.0, margin=24.0, label_shift=5.0, label_drop=15.0,
    min_band=1.0, max_band=13.0, empty_band=1.0, caption_below_end=False,
)  # fmt: skip

# the interactive page: wide bands with a strand per class
PAGE = SceneStyle(
    small_font=11.5, caption_height=22.0, padding=12.0, bar_height=6.0,
    min_node_width=150.0, min_end_width=72.0, min_width=0.0,
    box_gap=22.0, row_gap=112.0, straight=24.0, margin=24.0, label_shift=6.0, label_drop=16.0,
    min_band=1.5, max_band=46.0, empty_band=0.0, caption_below_end=True,
)  # fmt: skip


@dataclass(frozen=True)
class TextLine:
    """A line of text on the baseline y; ``role`` is "", "label", "small", "below" or "number"."""

    text: str
    x: float
    y: float
    role: str = ""
    anchor: str = "middle"


@dataclass(frozen=True)
class ColourBar:
    """A rectangle in the colour of a class."""

    class_code: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class SceneBox:
    """A node or an end: the middle of its upper edge, its size, and the lower edge of its row."""

    content: BoxContent
    style: SceneStyle
    x: float
    y: float
    width: float
    height: float
    row_floor: float

    @property
    def left(self) -> float:
        """Left edge."""
        return self.x - self.width / 2

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.y + self.height

    @property
    def is_end(self) -> bool:
        """True for the end of a final arc."""
        return self.content.class_code is not None

    @property
    def corner(self) -> float:
        """Radius of the corners."""
        return min(self.height / 2, 16.0) if self.is_end else 7.0

    def texts(self) -> list[TextLine]:
        """Return the lines of the box, its caption and its number."""
        top, role = self.y + self.style.padding / 2, "label" if self.is_end else ""
        texts = [
            TextLine(line, self.x, top + (number + BASELINE) * LINE_HEIGHT, role)
            for number, line in enumerate(self.content.lines)
        ]
        if self.content.caption:
            is_below = self.is_end and self.style.caption_below_end
            edge = self.bottom if is_below else top + len(self.content.lines) * LINE_HEIGHT
            y = edge + BASELINE * self.style.caption_height
            texts.append(TextLine(self.content.caption, self.x, y, "below" if is_below else "small"))
        if self.content.number:
            texts.append(TextLine(self.content.number, self.left + 7, self.y - 5, "number", "start"))
        return texts

    def bars(self) -> list[ColourBar]:
        """Return the bar of the classes that reach a node, a part for each."""
        full, bars = self.width - 2 * self.style.padding, []
        x, y = self.x - full / 2, self.bottom - self.style.padding / 2 - self.style.bar_height
        for code, share in enumerate(self.content.class_shares):
            if share > 0:
                bars.append(ColourBar(code, x, y, full * share, self.style.bar_height))
            x += full * share
        return bars


@dataclass(frozen=True)
class Scene:
    """Everything there is to draw; ``swatches`` and ``words`` are the legend at the bottom."""

    style: SceneStyle
    boxes: tuple[SceneBox, ...]
    bands: tuple[FlowBand, ...]
    width: float
    height: float
    swatches: tuple[ColourBar, ...] = ()
    words: tuple[TextLine, ...] = ()


def build_scene(
    diagram: DecisionDiagram, contents: Sequence[BoxContent], flows: ArcFlows, style: SceneStyle
) -> Scene:
    """Lay out the boxes of nodes and ends, and the arcs between them."""
    rows, links = rows_and_links(diagram)
    sizes = [_box_size(content, style) for content in contents]
    strands = [_strand_widths(flows, arc, style) for arc in range(diagram.n_arcs)]
    widths = [sum(parts) or style.empty_band for parts in strands]
    pairs = zip(contents, sizes, strict=True)
    full = [_full_width(content, width, widths, style) for content, (width, _) in pairs]
    centres = place_boxes(rows, full, links, style.box_gap)
    inner = max(x + width / 2 for x, width in zip(centres, full, strict=True))
    width = max(style.min_width, inner + 2 * style.margin)
    shift = (width - inner) / 2
    boxes = _place_vertically(rows, contents, sizes, [shift + x for x in centres], style)
    below = style.caption_height if style.caption_below_end else 0.0
    height = max(box.bottom for box in boxes) + below + style.margin
    return Scene(style, boxes, _build_bands(boxes, links, strands, widths, style), width, height)


def _box_size(content: BoxContent, style: SceneStyle) -> tuple[float, float]:
    longest = max(text_width(line, FONT_SIZE) for line in content.lines)
    caption = text_width(content.caption, style.small_font)
    minimum = style.min_node_width if any(content.arc_labels) else style.min_end_width
    width = max(minimum, longest + 2 * style.padding, caption + 2 * style.padding)
    height = style.padding + len(content.lines) * LINE_HEIGHT
    if content.caption and not (content.class_code is not None and style.caption_below_end):
        height += style.caption_height
    return width, height + (style.bar_height + BAR_GAP if content.class_shares else 0.0)


def _full_width(content: BoxContent, width: float, band_widths: Sequence[float], style: SceneStyle) -> float:
    """Return the width of a box with the labels of its arcs, which stand beside the bands below it."""
    if content.node is None:
        return width
    reach = max(
        band_widths[2 * content.node + side] / 2 + style.label_shift + text_width(label, style.small_font)
        for side, label in enumerate(content.arc_labels)
    )
    return max(width, width / 2 + 2 * reach) if any(content.arc_labels) else width


def _place_vertically(
    rows: Sequence[Sequence[int]],
    contents: Sequence[BoxContent],
    sizes: Sequence[tuple[float, float]],
    centres: Sequence[float],
    style: SceneStyle,
) -> tuple[SceneBox, ...]:
    boxes: dict[int, SceneBox] = {}
    y = style.margin
    for row in rows:
        floor = y + max(sizes[box][1] for box in row)
        for box in row:
            boxes[box] = SceneBox(contents[box], style, centres[box], y, *sizes[box], floor)
        y = floor + style.row_gap
    return tuple(boxes[box] for box in range(len(contents)))


def _build_bands(
    boxes: Sequence[SceneBox],
    links: Sequence[Link],
    strands: Sequence[tuple[float, ...]],
    widths: Sequence[float],
    style: SceneStyle,
) -> tuple[FlowBand, ...]:
    starts = [boxes[link.start].x + (link.side - 0.5) * boxes[link.start].width / 2 for link in links]
    ends = _arrival_points(boxes, links, starts, widths)
    return tuple(
        FlowBand(
            arc=arc,
            start=link.start,
            end=link.end,
            x=starts[arc],
            y=boxes[link.start].bottom,
            turn=boxes[link.start].row_floor + style.straight,
            end_x=ends[arc],
            end_y=boxes[link.end].y,
            strands=strands[arc],
            width=widths[arc],
            label=boxes[link.start].content.arc_labels[link.side],
            label_x=starts[arc] + (2 * link.side - 1) * (widths[arc] / 2 + style.label_shift),
            label_y=boxes[link.start].bottom + style.label_drop,
        )
        for arc, link in enumerate(links)
    )


def _arrival_points(
    boxes: Sequence[SceneBox], links: Sequence[Link], starts: Sequence[float], widths: Sequence[float]
) -> list[float]:
    """Return the end of each band: side by side on its box, in the order of their starts."""
    ends = [0.0] * len(links)
    for box in {link.end for link in links}:
        incoming = [arc for arc, link in enumerate(links) if link.end == box]
        x = boxes[box].x - sum(widths[arc] + BAND_GAP for arc in incoming) / 2
        for arc in sorted(incoming, key=starts.__getitem__):
            ends[arc] = x + (widths[arc] + BAND_GAP) / 2
            x += widths[arc] + BAND_GAP
    return ends


def _strand_widths(flows: ArcFlows, arc: int, style: SceneStyle) -> tuple[float, ...]:
    """Return the width of each class's strand in proportion to its flow; empty without a flow."""
    weight = flows.arc_weight(arc)
    if not weight > 0 or not flows.total > 0:
        return ()
    width = max(style.min_band, style.max_band * min(1.0, weight / flows.total))
    return tuple(float(width * part / weight) for part in flows.arcs[arc])
