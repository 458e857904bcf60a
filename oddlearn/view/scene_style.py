"""The two styles of a drawing: a picture of its own, and the picture on the interactive page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SceneStyle:
    """Sizes of a drawing in pixels.

    Attributes
    ----------
    small_font, caption_height : float
        Font of captions and arc labels; the height that a caption takes in a box.
    padding, bar_height : float
        Distance of text from the edge of its box; the bar of a node's classes.
    min_node_width, min_end_width, min_width : float
        Of boxes and of the whole drawing.
    box_gap, row_gap, straight, margin : float
        Between boxes, between rows, of arcs before they turn, around the drawing.
    label_shift, label_drop : float
        Distance of an arc's label from the arc, and of its baseline from the box above.
    min_band, max_band, empty_band : float
        Width of an arc that few samples take, that all take, that none take.
    caption_below_end : bool
        The caption of an end stands below its box instead of inside.
    """

    small_font: float
    caption_height: float
    padding: float
    bar_height: float
    min_node_width: float
    min_end_width: float
    min_width: float
    box_gap: float
    row_gap: float
    straight: float
    margin: float
    label_shift: float
    label_drop: float
    min_band: float
    max_band: float
    empty_band: float
    caption_below_end: bool


# a file of its own or matplotlib axes: compact, arcs as lines, room for a legend
PICTURE = SceneStyle(
    small_font=11.0, caption_height=15.0, padding=11.0, bar_height=5.0,
    min_node_width=120.0, min_end_width=56.0, min_width=420.0,
    box_gap=26.0, row_gap=84.0, straight=22.0, margin=24.0, label_shift=5.0, label_drop=15.0,
    min_band=1.0, max_band=13.0, empty_band=1.0, caption_below_end=False,
)  # fmt: skip

# the interactive page: wide bands with a strand per class
PAGE = SceneStyle(
    small_font=11.5, caption_height=22.0, padding=12.0, bar_height=6.0,
    min_node_width=150.0, min_end_width=72.0, min_width=0.0,
    box_gap=22.0, row_gap=112.0, straight=24.0, margin=24.0, label_shift=6.0, label_drop=16.0,
    min_band=1.5, max_band=46.0, empty_band=0.0, caption_below_end=True,
)  # fmt: skip
