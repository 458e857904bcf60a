"""A scene drawn by matplotlib: in pixels of the scene, so that it fits axes of any size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddlearn.export.boxes import BAR, FONT, LINE, PADDING, SMALL, SMALL_LINE, Box
from oddlearn.export.palette import BLACK, class_colours, ink
from oddlearn.export.scene import MARGIN, SWATCH, Curve, Place, Scene

GREY, DARK_GREY, PAPER = "#9a9a9a", "#4d4d4d", "#f7f7f5"

POINTS_PER_INCH = 72.0


class Canvas:
    """Axes whose unit is a pixel of the scene, with the origin at the upper left.

    Artists are added without a look at the limits of the axes, which are known: that takes half the time.
    """

    def __init__(self, ax: Any, scene: Scene, n_classes: int) -> None:  # noqa: ANN401
        self.ax = ax
        self.colours = class_colours(n_classes)
        ax.set(xlim=(0, scene.width), ylim=(scene.height, 0), aspect="equal")
        ax.set_anchor("N")
        ax.set_axis_off()
        room = ax.get_window_extent()
        scale = min(room.width / scene.width, room.height / scene.height)
        self.points = scale * POINTS_PER_INCH / ax.figure.dpi

    def draw(self, scene: Scene) -> None:
        """Draw everything: arcs first, so that boxes lie on them."""
        for curve in scene.curves:
            self._arc(curve)
        for box, where in zip(scene.boxes, scene.places, strict=True):
            self._box(box, where)
        for swatch in scene.swatches:
            self._patch(swatch.x, swatch.y, SWATCH, SWATCH, self.colours[swatch.code])
            self._words(swatch.name, swatch.x + SWATCH + 5, swatch.y + 0.85 * SWATCH, SMALL, DARK_GREY, 0.0)
        for number, line in enumerate(scene.words):
            self._words(line, MARGIN, scene.words_y + number * SMALL_LINE, SMALL, DARK_GREY, 0.0)

    def _arc(self, curve: Curve) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points = [
            (curve.x, curve.y),
            (curve.x, curve.turn),
            (curve.x, curve.turn + curve.bend),
            (curve.end_x, curve.end_y - curve.bend),
            (curve.end_x, curve.end_y),
        ]
        path = Path(points, [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        dashes = (0, tuple(length / curve.thickness for length in curve.dash))
        style = "solid" if curve.arc % 2 else dashes
        width = self.points * curve.thickness
        look = {"linewidth": width, "linestyle": style, "capstyle": "butt", "gid": f"arc {curve.arc}"}
        self.ax.add_artist(PathPatch(path, fill=False, edgecolor=GREY, zorder=1, **look))
        share = 0.0 if curve.arc % 2 else 1.0
        self._words(curve.label, curve.label_x, curve.y + SMALL_LINE, SMALL, DARK_GREY, share)

    def _box(self, box: Box, where: Place) -> None:
        x, y = where.x - box.width / 2, where.y
        fill = PAPER if box.class_code is None else self.colours[box.class_code]
        ink_colour = BLACK if box.class_code is None else ink(fill)
        rounding = 6.0 if box.class_code is None else min(box.height / 2, 16.0)
        edge = DARK_GREY if box.class_code is None else fill
        self._patch(x, y, box.width, box.height, fill, rounding, edge)
        baseline = y + PADDING / 2 + 0.72 * LINE
        for number, line in enumerate(box.lines):
            self._words(line, where.x, baseline + number * LINE, FONT, ink_colour, 0.5)
        foot_y = y + PADDING / 2 + len(box.lines) * LINE + 0.72 * SMALL_LINE
        self._words(box.foot, where.x, foot_y, SMALL, ink_colour, 0.5)
        self._bar(box.mix, where.x, y + box.height - PADDING / 2 - BAR + 2, box.width - 2 * PADDING)

    def _bar(self, mix: Sequence[float], middle: float, y: float, width: float) -> None:
        """Draw the classes of a node, each as wide as its share."""
        x = middle - width / 2
        for colour, share in zip(self.colours, mix, strict=False):
            if share > 0:
                self._patch(x, y, width * share, BAR - 2, colour)
            x += width * share

    def _patch(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        rounding: float = 0.0,
        edge: str = "none",
    ) -> None:
        from matplotlib.patches import FancyBboxPatch

        style = f"round,pad=0,rounding_size={rounding}" if rounding else "square,pad=0"
        look = {"facecolor": fill, "edgecolor": edge, "linewidth": self.points, "zorder": 2}
        self.ax.add_artist(FancyBboxPatch((x, y), width, height, boxstyle=style, **look))

    def _words(self, text: str, x: float, y: float, size: float, colour: str, shift: float) -> None:
        """Write a line whose baseline is at y, moved back by a share of its width.

        Letters are drawn as shapes in the units of the axes: text of a fixed size in points would run out of
        its box as soon as the axes are made smaller.
        """
        from matplotlib.patches import PathPatch
        from matplotlib.textpath import TextPath
        from matplotlib.transforms import Affine2D

        if not text:
            return
        # an escaped dollar does not begin a formula
        letters = TextPath((0, 0), text.replace("$", r"\$"), size=size)
        left = x - shift * float(np.ptp(letters.vertices[:, 0]))
        turned = Affine2D().scale(1, -1).translate(left, y)
        patch = PathPatch(turned.transform_path(letters), facecolor=colour, edgecolor="none", zorder=3)
        patch.set_gid(text)
        self.ax.add_artist(patch)
