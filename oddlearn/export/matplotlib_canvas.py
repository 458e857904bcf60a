"""matplotlib, loaded here and nowhere else, and a scene drawn on its axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddlearn.errors import UnsupportedError
from oddlearn.view.flow_band import FlowBand
from oddlearn.view.node_labels import FONT_SIZE
from oddlearn.view.palette import ARC_GREY, NODE_FILL, SOFT_TEXT, TEXT, text_colour
from oddlearn.view.scene import ColourBar, Scene, SceneBox, TextLine

PIXELS_PER_INCH = 96.0  # of a picture that gets a figure of its own

POINTS_PER_INCH = 72.0

PLOT_WIDTH, PLOT_HEIGHT = 640.0, 400.0  # of a plot of numbers, in pixels

# shift of a line of text to the left of its anchor, in widths of the line
ANCHOR_SHIFT = {"start": 0.0, "middle": 0.5, "end": 1.0}


def import_pyplot() -> Any:  # noqa: ANN401
    """Return ``matplotlib.pyplot``; without matplotlib, raise UnsupportedError with how to install it."""
    try:
        import matplotlib  # noqa: F401
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise UnsupportedError(
            'Plots need matplotlib, which is not installed: pip install "oddlearn[plot]". export_svg draws '
            "without it."
        ) from None
    return pyplot


def new_axes(widths: Sequence[float], height: float) -> Any:  # noqa: ANN401
    """Return the axes of a new figure, side by side, of these sizes in pixels: an array of one or more."""
    size = (sum(widths) / PIXELS_PER_INCH, height / PIXELS_PER_INCH)
    shape = {"width_ratios": list(widths), "squeeze": False}
    return import_pyplot().subplots(1, len(widths), figsize=size, layout="constrained", **shape)[1][0]


def plot_axes(ax: Any) -> Any:  # noqa: ANN401
    """Return the axes that were given for a plot of numbers, or those of a new figure."""
    return new_axes([PLOT_WIDTH], PLOT_HEIGHT)[0] if ax is None else ax


def new_figure(width: float, height: float) -> Any:  # noqa: ANN401
    """Return an empty figure, sizes in inches, that is not registered with pyplot: no window opens."""
    import_pyplot()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


class Canvas:
    """Axes whose unit is a pixel of the scene, with the origin at the upper left.

    Artists are added without updating the limits of the axes, which are known: that takes half the time.
    """

    def __init__(self, ax: Any, scene: Scene, colours: Sequence[str]) -> None:  # noqa: ANN401
        self.ax = ax
        self.scene = scene
        self.colours = colours
        ax.set(xlim=(0, scene.width), ylim=(scene.height, 0), aspect="equal")
        ax.set_anchor("N")
        ax.set_axis_off()
        extent = ax.get_window_extent()
        scale = min(extent.width / scene.width, extent.height / scene.height)
        self.points = scale * POINTS_PER_INCH / ax.figure.dpi

    def draw(self) -> None:
        """Draw the scene: arcs first, so that boxes lie on them."""
        for band in self.scene.bands:
            self._arc(band)
        for box in self.scene.boxes:
            self._box(box)
        for swatch in self.scene.swatches:
            self._bar(swatch)
        for line in self.scene.words:
            self._text(line, SOFT_TEXT)

    def _arc(self, band: FlowBand) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points = [(band.x, band.y), *band.control_points()]
        path = Path(points, [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        dashes = (0, tuple(length / band.width for length in band.dash))
        style = "solid" if band.is_positive else dashes
        look = {"linewidth": self.points * band.width, "linestyle": style, "capstyle": "butt"}
        self.ax.add_artist(
            PathPatch(path, fill=False, edgecolor=ARC_GREY, zorder=1, gid=f"arc {band.arc}", **look)
        )
        anchor = "start" if band.is_positive else "end"
        self._text(TextLine(band.label, band.label_x, band.label_y, "side", anchor), SOFT_TEXT)

    def _box(self, box: SceneBox) -> None:
        code = box.content.class_code
        fill = NODE_FILL if code is None else self.colours[code]
        edge = SOFT_TEXT if code is None else fill
        self._rectangle((box.left, box.y, box.width, box.height), fill, box.corner, edge)
        for line in box.texts():
            self._text(line, TEXT if code is None else text_colour(fill))
        for bar in box.bars():
            self._bar(bar)

    def _bar(self, bar: ColourBar) -> None:
        self._rectangle((bar.x, bar.y, bar.width, bar.height), self.colours[bar.class_code])

    def _rectangle(
        self, place: tuple[float, float, float, float], fill: str, corner: float = 0.0, edge: str = "none"
    ) -> None:
        from matplotlib.patches import FancyBboxPatch

        x, y, width, height = place
        style = f"round,pad=0,rounding_size={corner}" if corner else "square,pad=0"
        look = {"facecolor": fill, "edgecolor": edge, "linewidth": self.points, "zorder": 2}
        self.ax.add_artist(FancyBboxPatch((x, y), width, height, boxstyle=style, **look))

    def _text(self, line: TextLine, colour: str) -> None:
        """Draw a line of text as shapes in the units of the axes.

        Text of a fixed size in points would run out of its box as soon as the axes are made smaller.
        """
        from matplotlib.patches import PathPatch
        from matplotlib.textpath import TextPath
        from matplotlib.transforms import Affine2D

        if not line.text:
            return
        size = FONT_SIZE if line.role in ("", "label") else self.scene.style.small_font
        # an escaped dollar does not begin a formula
        letters = TextPath((0, 0), line.text.replace("$", r"\$"), size=size)
        left = line.x - ANCHOR_SHIFT[line.anchor] * float(np.ptp(letters.vertices[:, 0]))
        path = Affine2D().scale(1, -1).translate(left, line.y).transform_path(letters)
        patch = PathPatch(path, facecolor=colour, edgecolor="none", zorder=3)
        patch.set_gid(line.text)
        self.ax.add_artist(patch)
