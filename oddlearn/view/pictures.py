"""The scenes of a model: the full picture with its legend, shares of the samples only, the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.view.arc_flows import ArcFlows, training_flows
from oddlearn.view.conditions import APPROXIMATE, class_name
from oddlearn.view.inputs import ModelView
from oddlearn.view.node_labels import (
    BoxContent,
    NodeLabel,
    label_nodes,
    picture_contents,
    share_contents,
)
from oddlearn.view.number_text import share_text
from oddlearn.view.scene import PAGE, PICTURE, ColourBar, Scene, TextLine, build_scene
from oddlearn.view.text_metrics import shorten_text, text_width, wrap_text

SIDES = "Solid: yes, dashed: no."

# pixels: a class in the legend
SWATCH = 12.0
SWATCH_GAP = 5.0
MAX_NAME_WIDTH = 180.0
ENTRY_GAP = 14.0

MAX_WORD_LINES = 4


def picture_scene(view: ModelView, X: NDArray[np.floating] | None) -> Scene:
    """Lay out the picture of a model with all its text; X are rows that the numbers must keep apart."""
    flows = training_flows(view.diagram, view.metadata)
    contents = picture_contents(view, label_nodes(view.diagram, view.metadata, X), flows)
    scene = build_scene(view.diagram, contents, flows, PICTURE)
    words = " ".join([_legend_words(contents, flows), *view.notes]) if view.diagram.n_nodes else ""
    return _add_legend(scene, view.metadata, words)


def share_scene(view: ModelView, flows: ArcFlows) -> Scene:
    """Lay out a picture that shows only the share of the samples at each node and end."""
    scene = build_scene(view.diagram, share_contents(view, flows), flows, PICTURE)
    return _add_legend(scene, view.metadata, SIDES)


def node_share_scene(view: ModelView, shares: Sequence[float]) -> Scene:
    """Lay out a picture from the share of the samples at each node alone, when arcs are not recorded.

    Ends have the labels of their classes, and all arcs are thin.
    """
    flows = training_flows(view.diagram, replace(view.metadata, arc_weights=0 * view.metadata.arc_weights))
    texts = [share_text(share) for share in shares]
    nodes = [BoxContent((text,), "", f"node {node}: {text}", node) for node, text in enumerate(texts)]
    ends = picture_contents(view, [], flows)
    scene = build_scene(view.diagram, [*nodes, *ends], flows, PICTURE)
    return _add_legend(scene, view.metadata, SIDES)


def page_scene(view: ModelView, labels: Sequence[NodeLabel], flows: ArcFlows) -> Scene:
    """Lay out the picture of the page, which has its legend outside."""
    return build_scene(view.diagram, picture_contents(view, labels, flows, is_page=True), flows, PAGE)


def _legend_words(contents: Sequence[BoxContent], flows: ArcFlows) -> str:
    words = [SIDES]
    if flows.total > 0:
        words.append(f"Numbers are {flows.unit}; the bar in a node shows their classes.")
    text = " ".join(line for content in contents for line in content.lines)
    if APPROXIMATE in text:
        words.append("Where it says “about”, numbers are rounded.")
    if "…" in text or "smaller term" in text:
        words.append("export_text gives shortened conditions in full.")
    return " ".join(words)


def _add_legend(scene: Scene, metadata: ModelMetadata, words: str) -> Scene:
    """Return the scene with the classes and some words below it."""
    style, line = scene.style, scene.style.caption_height
    top = scene.height - style.margin + 1.5 * line
    swatches, names, y = _place_swatches(scene, metadata, top)
    width = scene.width - 2 * style.margin
    lines = wrap_text(words, style.small_font, width, MAX_WORD_LINES) if words else []
    texts = [
        TextLine(text, style.margin, y + place * line, "small", "start") for place, text in enumerate(lines)
    ]
    height = y + len(lines) * line + style.margin / 2
    return replace(scene, swatches=tuple(swatches), words=(*names, *texts), height=height)


def _place_swatches(
    scene: Scene, metadata: ModelMetadata, y: float
) -> tuple[list[ColourBar], list[TextLine], float]:
    """Return squares and names of the classes in as many lines as they need, and the next baseline."""
    style = scene.style
    swatches, names, x = [], [], style.margin
    for code in range(len(metadata.class_labels)):
        name = shorten_text(class_name(metadata, code), style.small_font, MAX_NAME_WIDTH)
        width = SWATCH + SWATCH_GAP + text_width(name, style.small_font)
        if x > style.margin and x + width > scene.width - style.margin:
            x, y = style.margin, y + 1.3 * style.caption_height
        swatches.append(ColourBar(code, x, y, SWATCH, SWATCH))
        names.append(TextLine(name, x + SWATCH + SWATCH_GAP, y + 0.85 * SWATCH, "small", "start"))
        x += width + ENTRY_GAP
    return swatches, names, y + 2 * style.caption_height
