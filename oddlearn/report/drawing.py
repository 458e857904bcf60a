"""The picture of a diagram: SVG that the page's style colours and its script brings to life."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.conditions import class_name
from oddlearn.export.lettering import cut
from oddlearn.report.flows import Flows
from oddlearn.report.numbers import amount, share_text
from oddlearn.report.palette import colour_class
from oddlearn.report.questions import FONT_SIZE, Question
from oddlearn.report.ribbon import Ribbon
from oddlearn.report.scene import FOOT, LABEL_SHIFT, LINE, PADDING, Box, Scene, arc_label, scene_of

# pixels of a class label in its end
WIDEST_LABEL = 170.0

# of the bar that shows a node's class mix
BAR = 6.0


def draw(diagram: DecisionDiagram, notes: Notes, questions: Sequence[Question], flows: Flows) -> str:
    """Return the picture as an SVG element.

    Nodes are groups ``data-node``, ends of final arcs ``data-end``, arcs ``data-arc``.
    """
    ends = np.flatnonzero(diagram.arc_class >= 0)
    texts = [_end_texts(diagram, notes, flows, int(arc)) for arc in ends]
    scene = scene_of(diagram, questions, texts, flows)
    parts = [_arc(ribbon, flows) for ribbon in scene.ribbons]
    for node, question in enumerate(questions):
        parts.append(_node(scene.boxes[node], node, question, flows))
    for place, arc in enumerate(scene.ends):
        code = int(diagram.arc_class[arc])
        box = scene.boxes[diagram.n_nodes + place]
        parts.append(_end(box, arc, code, class_name(notes, code), texts[place]))
    return _document(scene, diagram, parts)


def _document(scene: Scene, diagram: DecisionDiagram, parts: Sequence[str]) -> str:
    size = f'width="{scene.width:.0f}" height="{scene.height:.0f}"'
    view = f'viewBox="0 0 {scene.width:.0f} {scene.height:.0f}"'
    label = f"Decision diagram with {diagram.n_nodes} nodes; choose one to read it"
    head = f'<svg id="diagram" {size} {view} role="group" aria-label="{label}">'
    return "\n".join([head, *parts, "</svg>"])


def _arc(ribbon: Ribbon, flows: Flows) -> str:
    """Return an arc: a strand per class, a line that lights up, and its side with its count."""
    anchor, shift = (("end", -1), ("start", 1))[ribbon.arc % 2]
    parts = [f'<g class="arc" data-arc="{ribbon.arc}">']
    edge = 0.0
    for strand, width in enumerate(ribbon.strands):
        if width > 0:
            look = colour_class(strand) if flows.has_classes else "plain"
            parts.append(f'<path class="strand {look}" d="{ribbon.band(edge, edge + width)}"/>')
        edge += width
    kind = "spine" if ribbon.strands else "spine empty"
    parts.append(f'<path class="{kind}" d="{ribbon.spine()}"/>')
    x, y = ribbon.x + shift * (ribbon.width / 2 + LABEL_SHIFT), ribbon.y + 16
    parts.append(_words(arc_label(flows, ribbon.arc), x, y, "side", anchor))
    return "".join([*parts, "</g>"])


def _node(box: Box, node: int, question: Question, flows: Flows) -> str:
    flow = flows.nodes[node]
    total = float(flow.sum())
    share = share_text(total, flows.total)
    numbers = f"{amount(total)} · {share}" if share else ""
    spoken = f"Node {node}: {question.sides[1]}?" + (f" {amount(total)} {flows.unit}" if share else "")
    parts = [
        f'<g class="node" data-node="{node}" tabindex="0" role="button" aria-pressed="false" '
        f'aria-label="{escape(spoken)}">',
        f'<rect class="box" x="{box.x - box.width / 2:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="8"/>',
    ]
    for number, line in enumerate(question.lines):
        parts.append(_words(line, box.x, box.y + PADDING / 2 + LINE * (number + 0.78)))
    if numbers:
        parts.append(_words(numbers, box.x, box.bottom - FOOT + 15, "small"))
    parts.append(_words(f"{node}", box.x - box.width / 2 + 7, box.y - 5, "number", "start"))
    return "".join([*parts, _mix(box, flow, flows.has_classes), "</g>"])


def _mix(box: Box, flow: Sequence[float], has_classes: bool) -> str:
    """Return the bar of the classes that reach a node."""
    total = sum(flow)
    if not has_classes or not total > 0:
        return ""
    parts, x = [], box.x - box.width / 2 + PADDING
    for code, part in enumerate(flow):
        width = float(part) / total * (box.width - 2 * PADDING)
        if width > 0:
            place = f'x="{x:.1f}" y="{box.bottom - BAR - 6:.1f}" width="{width:.1f}" height="{BAR}"'
            parts.append(f'<rect class="{colour_class(code)}" {place}/>')
        x += width
    return "".join(parts)


def _end(box: Box, arc: int, code: int, label: str, texts: tuple[str, str]) -> str:
    spoken = f"Class {label}{f': {texts[1]}' if texts[1] else ''}"
    return "".join(
        [
            f'<g class="end" data-end="{arc}" tabindex="0" role="button" aria-pressed="false" '
            f'aria-label="{escape(spoken)}">',
            f'<rect class="box {colour_class(code)}" x="{box.x - box.width / 2:.1f}" y="{box.y:.1f}" '
            f'width="{box.width:.1f}" height="{box.height:.1f}" rx="{box.height / 2:.1f}"/>',
            _words(texts[0], box.x, box.y + 18.5, f"label on-{colour_class(code)}"),
            _words(texts[1], box.x, box.bottom + 15, "small"),
            "</g>",
        ]
    )


def _end_texts(diagram: DecisionDiagram, notes: Notes, flows: Flows, arc: int) -> tuple[str, str]:
    """Return the class of a final arc and how many of its samples are right."""
    code = int(diagram.arc_class[arc])
    flow = flows.arcs[arc]
    is_known = flows.has_classes and flows.total > 0
    right = f"{amount(float(flow[code]))} of {amount(float(flow.sum()))} right" if is_known else ""
    return cut(class_name(notes, code), FONT_SIZE, WIDEST_LABEL), right


def _words(line: str, x: float, y: float, look: str = "", anchor: str = "middle") -> str:
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(line)}</text>'
