"""A diagram in Graphviz's DOT language."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.view.flow_band import FlowBand
from oddlearn.view.inputs import model_view
from oddlearn.view.node_labels import BoxContent
from oddlearn.view.palette import NODE_FILL, SOFT_TEXT, text_colour
from oddlearn.view.pictures import picture_scene

HEAD = (
    "digraph diagram {",
    '  graph [ordering=out, fontname="Helvetica"];',
    f'  node [shape=box, style="rounded,filled", fillcolor="{NODE_FILL}", color="{SOFT_TEXT}", '
    'fontname="Helvetica"];',
    '  edge [color="#8c8c8c", fontname="Helvetica", fontsize=11, arrowhead=none];',
)


def export_dot(model: object, metadata: ModelMetadata | None = None, X: ArrayLike | None = None) -> str:
    """Return the diagram for Graphviz: ``dot -Tpdf`` draws it.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows, for short numbers, as in ``export_svg``.
    """
    view = model_view(model, metadata)
    scene = picture_scene(view, view.rows(X))
    colours = view.colours
    boxes = [_box(box.content, colours) for box in scene.boxes]
    arcs = [_arc(band, _box_name(scene.boxes[band.end].content)) for band in scene.bands]
    return "\n".join([*HEAD, *boxes, *arcs, *_ranks(view.diagram), "}", ""])


def _box_name(content: BoxContent) -> str:
    return f"end{content.arc}" if content.node is None else f"n{content.node}"


def _box(content: BoxContent, colours: Sequence[str]) -> str:
    label = "\\n".join(_escape(line) for line in (*content.lines, content.caption) if line)
    look = ""
    if content.class_code is not None:
        fill = colours[content.class_code]
        look = f', fillcolor="{fill}", fontcolor="{text_colour(fill)}"'
    return f'  {_box_name(content)} [label="{label}", tooltip="{_escape(content.description)}"{look}];'


def _arc(band: FlowBand, end: str) -> str:
    style = "" if band.is_positive else ", style=dashed"
    return f'  n{band.start} -> {end} [label=" {_escape(band.label)} ", penwidth={band.width:.1f}{style}];'


def _ranks(diagram: DecisionDiagram) -> list[str]:
    """Return a line for each layer that keeps its nodes side by side."""
    rows = []
    for layer in range(diagram.depth):
        nodes = "; ".join(f"n{node}" for node in range(diagram.n_nodes) if diagram.layer[node] == layer)
        rows.append(f"  {{rank=same; {nodes};}}")
    return rows


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
