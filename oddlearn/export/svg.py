"""A diagram as one self-contained SVG picture, drawn layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from numpy.typing import ArrayLike

from oddlearn.diagram.notes import Notes
from oddlearn.export.boxes import BAR, FONT, LINE, PADDING, SMALL, SMALL_LINE, Box
from oddlearn.export.palette import class_colours, ink
from oddlearn.export.pictures import full_scene
from oddlearn.export.scene import MARGIN, SWATCH, Curve, Place, Scene, Swatch
from oddlearn.export.subject import rows_of, subject_of

STYLE = (
    f"text{{font:{FONT:.0f}px 'Helvetica Neue',Helvetica,Arial,sans-serif;fill:#1a1a1a}}"
    ".node{fill:#f7f7f5;stroke:#4d4d4d;stroke-width:1.2}"
    ".arc{fill:none;stroke:#9a9a9a}"
    f".small{{font-size:{SMALL:.0f}px;fill:#4d4d4d}}"
)


def export_svg(
    model: Any,  # noqa: ANN401
    notes: Notes | None = None,
    X: ArrayLike | None = None,
) -> str:
    """Return a picture of the diagram; whole conditions are in the tooltips of the nodes.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows. Numbers are then as short as keeps each of them on its side of every node; without
        them thresholds are exact, and weighted sums are rounded and marked with "about".
    """
    diagram, notes = subject_of(model, notes)
    scene = full_scene(diagram, notes, rows_of(model, X))
    colours = class_colours(diagram.n_classes)
    parts = [_arc(curve) for curve in scene.curves]
    parts += [_drawn(box, where, colours) for box, where in zip(scene.boxes, scene.places, strict=True)]
    parts += [_swatch(swatch, colours) for swatch in scene.swatches]
    parts += [
        _words(line, MARGIN, scene.words_y + number * SMALL_LINE, 'class="small"', "start")
        for number, line in enumerate(scene.words)
    ]
    return _document(scene, parts)


def _arc(curve: Curve) -> str:
    """Return the curve of an arc, with its label beside the place it leaves from."""
    ends = f"{curve.end_x:.1f} {curve.end_y - curve.bend:.1f} {curve.end_x:.1f} {curve.end_y:.1f}"
    path = f"M{curve.x:.1f} {curve.y:.1f}V{curve.turn:.1f}C{curve.x:.1f} {curve.turn + curve.bend:.1f} {ends}"
    kind, anchor = ("yes", "start") if curve.arc % 2 else ("no", "end")
    dash = "" if curve.arc % 2 else ' stroke-dasharray="{:.1f} {:.1f}"'.format(*curve.dash)
    line = f'<path class="arc {kind}" stroke-width="{curve.thickness:.1f}"{dash} d="{path}"/>'
    return line + _words(curve.label, curve.label_x, curve.y + SMALL_LINE, 'class="small"', anchor)


def _drawn(box: Box, where: Place, colours: Sequence[str]) -> str:
    x, y = where.x - box.width / 2, where.y
    size = f'x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    if box.class_code is None:
        look, colour = 'class="node" rx="6"', ""
    else:
        fill = colours[box.class_code]
        look, colour = f'style="fill:{fill}" rx="{min(box.height / 2, 16):.1f}"', f'style="fill:{ink(fill)}"'
    parts = [f"<g><title>{escape(box.tooltip)}</title>", f"<rect {size} {look}/>"]
    baseline = y + PADDING / 2 + 0.72 * LINE
    for number, line in enumerate(box.lines):
        parts.append(_words(line, where.x, baseline + number * LINE, colour))
    if box.foot:
        foot_y = y + PADDING / 2 + len(box.lines) * LINE + 0.72 * SMALL_LINE
        parts.append(_words(box.foot, where.x, foot_y, f'class="small" {colour}'))
    return "".join([*parts, *_bar(box, where, colours), "</g>"])


def _bar(box: Box, where: Place, colours: Sequence[str]) -> list[str]:
    """Return the bar of a node's classes, each as wide as its share."""
    inner = box.width - 2 * PADDING
    x, y = where.x - inner / 2, where.y + box.height - PADDING / 2 - BAR + 2
    parts = []
    for colour, share in zip(colours, box.mix, strict=False):
        if share > 0:
            size = f'x="{x:.1f}" y="{y:.1f}" width="{inner * share:.1f}" height="{BAR - 2:.1f}"'
            parts.append(f'<rect class="share" {size} fill="{colour}"/>')
        x += inner * share
    return parts


def _swatch(swatch: Swatch, colours: Sequence[str]) -> str:
    size = f'x="{swatch.x:.1f}" y="{swatch.y:.1f}" width="{SWATCH:.0f}" height="{SWATCH:.0f}"'
    name = _words(swatch.name, swatch.x + SWATCH + 5, swatch.y + 0.85 * SWATCH, 'class="small"', "start")
    return f'<rect class="swatch" {size} fill="{colours[swatch.code]}"/>{name}'


def _words(line: str, x: float, y: float, look: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {look}>{escape(line)}</text>'


def _document(scene: Scene, parts: Sequence[str]) -> str:
    size = f"{scene.width:.0f} {scene.height:.0f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{scene.width:.0f}" height="{scene.height:.0f}" '
        f'viewBox="0 0 {size}" role="img" aria-label="decision diagram"><style>{STYLE}</style>'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>', *parts, "</svg>", ""])
