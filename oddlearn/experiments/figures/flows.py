"""A drawing of the flows of a diagram: boxes in layers, shaded by their share of the samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oddlearn.experiments.figures.canvas import Axes
from oddlearn.experiments.flows import Flow
from oddlearn.view.layout import Link, place_boxes
from oddlearn.view.number_text import share_text
from oddlearn.view.palette import class_colours, text_colour

# in inches
NODE_WIDTH, NODE_HEIGHT = 0.62, 0.34
TERMINAL = 0.2
GAP = 0.12
DROP = 0.85

# of 255: the grey of the root, which sees all samples
DARKEST = 96

ARC_COLOUR, EDGE = "#777777", "#333333"


@dataclass(frozen=True)
class Scene:
    """Where the nodes and the ends of final arcs stand.

    Attributes
    ----------
    flows : tuple of Flow
    links : tuple of Link
        Two per node, negative first; ends beyond the nodes are terminals.
    x : tuple of float
        Centres of the nodes, then of the terminals.
    row : tuple of int
    codes : tuple of int
        Classes of the terminals.
    """

    flows: tuple[Flow, ...]
    links: tuple[Link, ...]
    x: tuple[float, ...]
    row: tuple[int, ...]
    codes: tuple[int, ...]

    @property
    def width(self) -> float:
        """Of the drawing, in inches."""
        return max(self.x, default=0.0) + NODE_WIDTH / 2 + 2 * GAP

    @property
    def height(self) -> float:
        """Of the drawing, in inches."""
        return DROP * (max(self.row, default=0) + 1)


def scene_of(flows: Sequence[Flow]) -> Scene:
    """Lay out nodes in their layers, and a terminal below every final arc."""
    if not flows:
        return Scene((), (), (), (), ())
    links, codes = [], []
    row = [flow.layer for flow in flows]
    for node, flow in enumerate(flows):
        for side, child in enumerate((flow.negative, flow.positive)):
            if child.startswith("c"):
                links.append(Link(node, len(row), side))
                codes.append(int(child[1:]))
                row.append(flow.layer + 1)
            else:
                links.append(Link(node, int(child), side))
    rows = [[box for box, own in enumerate(row) if own == layer] for layer in range(max(row) + 1)]
    widths = [NODE_WIDTH] * len(flows) + [TERMINAL] * len(codes)
    centres = place_boxes(rows, widths, links, GAP)
    return Scene(tuple(flows), tuple(links), tuple(centres), tuple(row), tuple(codes))


def draw_flows(ax: Axes, scene: Scene, n_classes: int, room: tuple[float, float]) -> None:
    """Draw arcs (negative dashed), nodes with their share of the samples, and terminals in class colours.

    ``room`` is the width and height of the axes in inches, at least those of the scene: drawings side by side
    then have one scale.
    """
    ax.set_axis_off()
    left = (scene.width - room[0]) / 2 - GAP
    ax.set(xlim=(left, left + room[0]), ylim=(DROP / 2 - room[1], DROP / 2), aspect="equal")
    if not scene.flows:
        return
    for link in scene.links:
        _arc(ax, scene, link)
    for node, flow in enumerate(scene.flows):
        _node(ax, scene, node, flow.samples / scene.flows[0].samples)
    colours = class_colours(n_classes)
    for number, code in enumerate(scene.codes):
        _terminal(ax, scene, len(scene.flows) + number, colours[code])


def shade(share: float) -> str:
    """Return white for nothing, dark grey for all, and what is between: no class has such a colour."""
    return "#" + 3 * f"{round(255 + share * (DARKEST - 255)):02x}"


def _arc(ax: Axes, scene: Scene, link: Link) -> None:
    shift = (2 * link.side - 1) * NODE_WIDTH / 4
    top, bottom = -DROP * scene.row[link.start], -DROP * scene.row[link.end]
    reach = NODE_HEIGHT / 2 if link.end < len(scene.flows) else TERMINAL / 2
    points = (scene.x[link.start] + shift, scene.x[link.end]), (top - NODE_HEIGHT / 2, bottom + reach)
    ax.plot(*points, color=ARC_COLOUR, linewidth=1.2, linestyle="-" if link.side else "--", zorder=1)


def _node(ax: Axes, scene: Scene, node: int, share: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y, fill = scene.x[node], -DROP * scene.row[node], shade(share)
    corner = (x - NODE_WIDTH / 2, y - NODE_HEIGHT / 2)
    shape = "round,pad=0,rounding_size=0.12"
    box = FancyBboxPatch(corner, NODE_WIDTH, NODE_HEIGHT, shape, facecolor=fill, edgecolor=EDGE, zorder=2)
    ax.add_patch(box)
    ax.text(x, y, share_text(share), ha="center", va="center", fontsize=8, color=text_colour(fill), zorder=3)


def _terminal(ax: Axes, scene: Scene, box: int, colour: str) -> None:
    from matplotlib.patches import Rectangle

    corner = (scene.x[box] - TERMINAL / 2, -DROP * scene.row[box] - TERMINAL / 2)
    ax.add_patch(Rectangle(corner, TERMINAL, TERMINAL, facecolor=colour, edgecolor=EDGE, zorder=2))


def legend_marks(n_classes: int) -> list[Any]:
    """Return what tells the sides of a split and the classes apart, for the legend of a figure."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colours = class_colours(n_classes)
    return [
        Line2D([], [], color=ARC_COLOUR, linestyle="--", label="negative side"),
        Line2D([], [], color=ARC_COLOUR, linestyle="-", label="positive side"),
        *(Patch(facecolor=colour, label=f"class {code}") for code, colour in enumerate(colours)),
    ]
