"""Two diagrams side by side, with the share of the samples that passes each node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.export.axes import new_axes, pyplot
from oddlearn.export.boxes import share_boxes
from oddlearn.export.draw import Canvas
from oddlearn.export.flows import Flows, flows_of, flows_of_rows, share_text
from oddlearn.export.scene import Scene, scene_of
from oddlearn.export.subject import rows_of, subject_of

TITLE_SIZE = 10

# pixels
TITLE_ROOM = 40.0


def plot_fragmentation(
    odd: Any,  # noqa: ANN401
    odt: Any,  # noqa: ANN401
    X: ArrayLike | None = None,
    *,
    axes: Any = None,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Draw two models side by side, to see how their nodes share out the samples.

    A tree sends ever fewer samples to each node, a diagram brings them together again.

    Parameters
    ----------
    odd, odt : fitted classifiers or DecisionDiagrams
        Such as a diagram and a tree trained on the same data.
    X : array-like (n, n_features), optional
        Rows to send through both; the training samples if left out. Bars in the nodes show classes: true
        ones in training, those that each model predicts for rows that are given here.
    axes : two matplotlib Axes, optional
        Drawn on; a new figure if left out.

    Returns
    -------
    array of two matplotlib Axes
    """
    pyplot()
    panels = [_panel(model, X) for model in (odd, odt)]
    if axes is None:
        height = max(scene.height for _, scene, _ in panels) + TITLE_ROOM
        axes = new_axes([scene.width for _, scene, _ in panels], height)
    for ax, (diagram, scene, flows) in zip(axes, panels, strict=True):
        Canvas(ax, scene, diagram.n_classes).draw(scene)
        ax.set_title(_title(diagram, flows), fontsize=TITLE_SIZE)
    return np.asarray(axes)


def _panel(model: Any, X: ArrayLike | None) -> tuple[DecisionDiagram, Scene, Flows]:  # noqa: ANN401
    diagram, notes = subject_of(model)
    rows = rows_of(model, X)
    flows = flows_of(diagram, notes) if rows is None else flows_of_rows(diagram, rows)
    boxes = share_boxes(diagram, notes, flows)
    return diagram, scene_of(diagram, notes, boxes, flows, "Solid: yes, dashed: no."), flows


def _title(diagram: DecisionDiagram, flows: Flows) -> str:
    kind = "Tree" if diagram.is_tree else "Diagram"
    size = f"{kind}, {diagram.n_nodes} node{'s' * (diagram.n_nodes != 1)}"
    shares = flows.at_node / flows.total if flows.total > 0 else np.empty(0)
    if not shares.size or np.isnan(shares).any():
        return size
    smallest, middle = share_text(float(shares.min())), share_text(float(np.median(shares)))
    return f"{size}\nsamples in a node: at least {smallest}, median {middle}"
