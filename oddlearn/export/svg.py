"""A scene as SVG: a picture of its own, or the interactive picture of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.view.flow_band import FlowBand
from oddlearn.view.inputs import model_view
from oddlearn.view.node_labels import FONT_SIZE
from oddlearn.view.palette import ARC_GREY, NODE_FILL, SOFT_TEXT, TEXT, WHITE, colour_class, text_colour
from oddlearn.view.pictures import picture_scene
from oddlearn.view.scene import PICTURE, ColourBar, Scene, SceneBox, TextLine

STYLE = (
    f"text{{font:{FONT_SIZE:.0f}px 'Helvetica Neue',Helvetica,Arial,sans-serif;fill:{TEXT}}}"
    f".node .box{{fill:{NODE_FILL};stroke:{SOFT_TEXT};stroke-width:1.2}}"
    f".spine{{fill:none;stroke:{ARC_GREY}}}"
    f".small,.side{{font-size:{PICTURE.small_font:.0f}px;fill:{SOFT_TEXT}}}"
)


def export_svg(model: object, metadata: ModelMetadata | None = None, X: ArrayLike | None = None) -> str:
    """Return a picture of the diagram; full conditions are in the tooltips of the nodes.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows. Numbers are then as short as keeps each of them on its side of every node; without
        them thresholds are exact, and weighted sums are rounded and marked with "about".
    """
    view = model_view(model, metadata)
    return scene_to_svg(picture_scene(view, view.rows(X)), view.colours)


def scene_to_svg(scene: Scene, colours: Sequence[str], *, is_file: bool = True) -> str:
    """Return a scene as SVG; arcs are lines, dashed on the negative side.

    A file has its styles and its white paper inside; the part of a page takes them from the page.
    """
    label = 'role="img" aria-label="decision diagram"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {_size(scene)} {label}>'
    own = [f'<style>{STYLE}</style>\n<rect width="100%" height="100%" fill="{WHITE}"/>'] if is_file else []
    writer = SvgWriter(colours, is_interactive=False)
    return "\n".join([head, *own, *writer.parts(scene), "</svg>", ""])


def scene_to_html(scene: Scene, n_nodes: int, has_classes: bool) -> str:
    """Return a scene as the SVG element of the page, whose style sheet colours it and whose script reads it.

    Nodes are groups ``data-node``, ends of final arcs ``data-end``, arcs ``data-arc``.
    """
    label = f"Decision diagram with {n_nodes} nodes; select one to read it"
    head = f'<svg id="diagram" {_size(scene)} role="group" aria-label="{label}">'
    writer = SvgWriter((), is_interactive=True, has_classes=has_classes)
    return "\n".join([head, *writer.parts(scene), "</svg>"])


def _size(scene: Scene) -> str:
    width, height = f"{scene.width:.0f}", f"{scene.height:.0f}"
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


@dataclass(frozen=True)
class SvgWriter:
    """Writes the parts of a scene, coloured inline or by the style sheet of the page."""

    colours: Sequence[str]  # colour of each class; not used by an interactive picture
    is_interactive: bool  # True for the page: groups can be focused, colours are style-sheet classes
    has_classes: bool = True  # True when the strands of an arc are classes

    def parts(self, scene: Scene) -> list[str]:
        """Return the elements of a scene: arcs first, so that boxes lie on them."""
        parts = [self._arc(band) for band in scene.bands]
        parts += [self._box(box) for box in scene.boxes]
        parts += [self._bar(swatch, "swatch") for swatch in scene.swatches]
        return [*parts, *(_text(line) for line in scene.words)]

    def _arc(self, band: FlowBand) -> str:
        side, anchor = ("yes", "start") if band.is_positive else ("no", "end")
        lines = self._strands(band) if self.is_interactive else [_line(band)]
        label = TextLine(band.label, band.label_x, band.label_y, "side", anchor)
        return "".join([f'<g class="arc {side}" data-arc="{band.arc}">', *lines, _text(label), "</g>"])

    def _strands(self, band: FlowBand) -> list[str]:
        """Return a strand per class, and a line along the middle that can light up."""
        names = [colour_class(code) if self.has_classes else "plain" for code in range(len(band.strands))]
        strands = [
            f'<path class="strand {name}" d="{_polygon(outline)}"/>'
            for name, outline, width in zip(names, band.outlines(), band.strands, strict=True)
            if width > 0
        ]
        kind = "spine" if band.strands else "spine empty"
        return [*strands, f'<path class="{kind}" d="{_middle_line(band)}"/>']

    def _box(self, box: SceneBox) -> str:
        code = box.content.class_code
        size = f'x="{box.left:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
        look = 'class="box"' if code is None else self._fill(code, "box")
        texts = [_text(line, *self._on_colour(code, line.role)) for line in box.texts()]
        bars = [self._bar(bar, "share") for bar in box.bars()]
        rectangle = f'<rect {look} {size} rx="{box.corner:.1f}"/>'
        return "".join([self._group(box), rectangle, *texts, *bars, "</g>"])

    def _group(self, box: SceneBox) -> str:
        """Return the opening tag of a box with its description, spoken or as a tooltip."""
        node, text = box.content.node, escape(box.content.description)
        kind, number = ("end", box.content.arc) if node is None else ("node", node)
        name = f'class="{kind}" data-{kind}="{number}"'
        if self.is_interactive:
            return f'<g {name} tabindex="0" role="button" aria-pressed="false"><title>{text}</title>'
        return f"<g {name}><title>{text}</title>"

    def _bar(self, bar: ColourBar, name: str) -> str:
        size = f'x="{bar.x:.1f}" y="{bar.y:.1f}" width="{bar.width:.1f}" height="{bar.height:.1f}"'
        return f"<rect {self._fill(bar.class_code, name)} {size}/>"

    def _fill(self, code: int, name: str) -> str:
        if self.is_interactive:
            return f'class="{name} {colour_class(code)}"'
        return f'class="{name}" style="fill:{self.colours[code]}"'

    def _on_colour(self, code: int | None, role: str) -> tuple[str, str]:
        """Return the class and the style by which text can be read on the colour of an end."""
        if code is None or role == "below":
            return "", ""
        if self.is_interactive:
            return f"on-{colour_class(code)}", ""
        return "", f"fill:{text_colour(self.colours[code])}"


def _line(band: FlowBand) -> str:
    """Return an arc as one line, as wide as its flow."""
    dash = "" if band.is_positive else ' stroke-dasharray="{:.1f} {:.1f}"'.format(*band.dash)
    return f'<path class="spine" stroke-width="{band.width:.1f}"{dash} d="{_middle_line(band)}"/>'


def _middle_line(band: FlowBand) -> str:
    (x, turn), *rest = band.control_points()
    curve = " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)
    return f"M{x:.1f} {band.y:.1f}V{turn:.1f}C{curve}"


def _polygon(outline: FloatArray) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in outline) + "Z"


def _text(line: TextLine, name: str = "", style: str = "") -> str:
    # a caption below its box looks like any other
    role = "small" if line.role == "below" else line.role
    names = " ".join(part for part in (role, name) if part)
    look = f' class="{names}"' * bool(names) + f' style="{style}"' * bool(style)
    place = f'x="{line.x:.1f}" y="{line.y:.1f}" text-anchor="{line.anchor}"'
    return f"<text {place}{look}>{escape(line.text)}</text>"
