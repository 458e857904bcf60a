"""A diagram drawn by matplotlib."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from oddlearn.diagram.notes import Notes
from oddlearn.export.axes import new_axes, pyplot
from oddlearn.export.draw import Canvas
from oddlearn.export.pictures import full_scene
from oddlearn.export.subject import rows_of, subject_of


def plot_diagram(
    model: Any,  # noqa: ANN401
    notes: Notes | None = None,
    X: ArrayLike | None = None,
    *,
    ax: Any = None,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Draw the diagram layer by layer: arcs as wide as samples take them, the classes in each node.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows. Numbers are then as short as keeps each of them on its side of every node; without
        them thresholds and weights are rounded where they are long, and marked with "about".
    ax : matplotlib Axes, optional
        Drawn on; a new figure as large as the picture needs if left out. The picture fits into any axes.

    Returns
    -------
    matplotlib Axes
    """
    pyplot()
    diagram, notes = subject_of(model, notes)
    scene = full_scene(diagram, notes, rows_of(model, X))
    if ax is None:
        (ax,) = new_axes([scene.width], scene.height)
    Canvas(ax, scene, diagram.n_classes).draw(scene)
    return ax
