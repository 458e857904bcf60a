"""A diagram in Graphviz's DOT language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.boxes import Box, final_arcs
from oddlearn.export.palette import class_colours, ink
from oddlearn.export.pictures import full_scene
from oddlearn.export.scene import Curve
from oddlearn.export.subject import rows_of, subject_of

HEAD = (
    "digraph diagram {",
    '  graph [ordering=out, fontname="Helvetica"];',
    '  node [shape=box, style="rounded,filled", fillcolor="#f7f7f5", color="#4d4d4d", fontname="Helvetica"];',
    '  edge [color="#8c8c8c", fontname="Helvetica", fontsize=11, arrowhead=none];',
)


def export_dot(
    model: Any,  # noqa: ANN401
    notes: Notes | None = None,
    X: ArrayLike | None = None,
) -> str:
    """Return the diagram for Graphviz: ``dot -Tpdf`` draws it.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows, for short numbers, as in ``export_svg``.
    """
    diagram, notes = subject_of(model, notes)
    scene = full_scene(diagram, notes, rows_of(model, X))
    colours = class_colours(diagram.n_classes)
    names = [f"n{node}" for node in range(diagram.n_nodes)] + [f"end{arc}" for arc in final_arcs(diagram)]
    lines = [_box(name, box, colours) for name, box in zip(names, scene.boxes, strict=True)]
    ends = _ends(diagram, names)
    lines += [_arc(curve, ends[curve.arc]) for curve in scene.curves]
    return "\n".join([*HEAD, *lines, *_ranks(diagram), "}", ""])


def _box(name: str, box: Box, colours: Sequence[str]) -> str:
    label = "\\n".join(_escaped(line) for line in (*box.lines, box.foot) if line)
    look = ""
    if box.class_code is not None:
        fill = colours[box.class_code]
        look = f', fillcolor="{fill}", fontcolor="{ink(fill)}"'
    return f'  {name} [label="{label}", tooltip="{_escaped(box.tooltip)}"{look}];'


def _arc(curve: Curve, end: str) -> str:
    style = "" if curve.arc % 2 else ", style=dashed"
    label = _escaped(curve.label)
    return f'  n{curve.arc // 2} -> {end} [label=" {label} ", penwidth={curve.thickness:.1f}{style}];'


def _ends(diagram: DecisionDiagram, names: Sequence[str]) -> dict[int, str]:
    """Return the name of what each arc leads to."""
    final = dict(zip(final_arcs(diagram), names[diagram.n_nodes :], strict=True))
    inner = {2 * node: f"n{target}" for node, target in enumerate(diagram.negative)}
    inner |= {2 * node + 1: f"n{target}" for node, target in enumerate(diagram.positive)}
    return {**inner, **final}


def _ranks(diagram: DecisionDiagram) -> list[str]:
    """Return a line for each layer that keeps its nodes side by side."""
    rows = []
    for layer in range(diagram.depth):
        nodes = "; ".join(f"n{node}" for node in range(diagram.n_nodes) if diagram.layer[node] == layer)
        rows.append(f"  {{rank=same; {nodes};}}")
    return rows


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
