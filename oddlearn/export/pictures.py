"""What every picture of a whole diagram shows, however it is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.boxes import Box, full_boxes
from oddlearn.export.conditions import APPROXIMATE, shown_splits
from oddlearn.export.flows import flows_of
from oddlearn.export.scene import Scene, scene_of

# digits of numbers that are not known to be safe; those that lose something by it are marked
PICTURE_DIGITS = 4


def full_scene(diagram: DecisionDiagram, notes: Notes, X: NDArray[np.floating] | None) -> Scene:
    """Lay out a diagram with all there is to say about it."""
    flows = flows_of(diagram, notes, X)
    shown = shown_splits(diagram, X, PICTURE_DIGITS)
    boxes = full_boxes(diagram, notes, shown, flows)
    return scene_of(diagram, notes, boxes, flows, _legend(diagram, boxes, flows.unit if flows.total else ""))


def _legend(diagram: DecisionDiagram, boxes: Sequence[Box], unit: str) -> str:
    if diagram.n_nodes == 0:
        return ""
    words = ["Solid: yes, dashed: no."]
    if unit:
        words.append(f"Numbers are training {unit}; the bar in a node shows their classes.")
    text = " ".join(line for box in boxes for line in box.lines)
    if APPROXIMATE in text:
        words.append("Where it says “about”, numbers are rounded.")
    if "…" in text or "smaller term" in text:
        words.append("export_text gives shortened conditions in full.")
    return " ".join(words)
