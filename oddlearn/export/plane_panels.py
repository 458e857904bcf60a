"""A diagram and, below it, a panel for each split of two columns: their plane, the rows and the line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.errors import InvalidInputError
from oddlearn.export.matplotlib_canvas import PIXELS_PER_INCH, Canvas, import_pyplot
from oddlearn.view.inputs import ModelView
from oddlearn.view.number_text import one_line
from oddlearn.view.palette import SOFT_TEXT, TEXT
from oddlearn.view.predictions import predict_rows
from oddlearn.view.scene import Scene
from oddlearn.view.split_plane import SplitPlane, build_planes

PANEL_HEIGHT = 260.0  # in pixels
MIN_PANEL_WIDTH = 260.0
POINT_SIZE = 14.0  # in square points
LABEL_SIZE = 9


def plot_planes(view: ModelView, scene: Scene, X: ArrayLike | None, y: ArrayLike | None, ax: object) -> Any:  # noqa: ANN401
    """Draw the diagram and the panels in a new figure; return the axes of the diagram."""
    if X is None or ax is not None:
        raise InvalidInputError("planes=True draws the rows X in a figure of its own: give X, and no ax.")
    samples = predict_rows(view.diagram, view.metadata.class_labels, np.asarray(view.rows(X)), y)
    panels = [(node, plane) for node, plane in enumerate(build_planes(view, samples)) if plane is not None]
    if not panels:
        raise InvalidInputError("No node compares two columns: train with max_terms=2, or leave out planes.")
    width = max(scene.width, MIN_PANEL_WIDTH * len(panels))
    figure = import_pyplot().figure(
        figsize=(width / PIXELS_PER_INCH, (scene.height + PANEL_HEIGHT) / PIXELS_PER_INCH),
        layout="constrained",
    )
    grid = figure.add_gridspec(2, len(panels), height_ratios=[scene.height, PANEL_HEIGHT])
    diagram_axes = figure.add_subplot(grid[0, :])
    Canvas(diagram_axes, scene, view.colours).draw()
    for place, (node, plane) in enumerate(panels):
        _draw_panel(figure.add_subplot(grid[1, place]), view, node, plane)
    return diagram_axes


def _draw_panel(axes: Any, view: ModelView, node: int, plane: SplitPlane) -> None:  # noqa: ANN401
    colours = [view.colours[code] for code in plane.codes]
    axes.scatter(*plane.points.T, c=colours, s=POINT_SIZE, linewidths=0.3, edgecolors="white")
    if plane.line is not None:
        axes.plot(*plane.line.T, color=TEXT, linewidth=1.4)
    axes.set_xlim(plane.low[0], plane.high[0])
    axes.set_ylim(plane.low[1], plane.high[1])
    axes.set_xlabel(one_line(plane.names[0]), fontsize=LABEL_SIZE)
    axes.set_ylabel(one_line(plane.names[1]), fontsize=LABEL_SIZE)
    axes.set_title(f"node {node}", fontsize=LABEL_SIZE, color=TEXT)
    axes.tick_params(labelsize=LABEL_SIZE - 1, colors=SOFT_TEXT)
    axes.spines[["top", "right"]].set_visible(False)
