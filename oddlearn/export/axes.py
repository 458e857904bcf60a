"""matplotlib, loaded when a picture is asked for, and the axes it is drawn on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oddlearn.errors import UnsupportedError

# of a picture that gets a figure of its own
PIXELS_PER_INCH = 96.0


def pyplot() -> Any:  # noqa: ANN401
    """Return ``matplotlib.pyplot``; without matplotlib, say how to get it."""
    try:
        import matplotlib.pyplot as module
    except ImportError:
        raise UnsupportedError(
            'Plots need matplotlib, which is not installed: pip install "oddlearn[plot]". export_svg draws '
            "without it."
        ) from None
    return module


def new_axes(widths: Sequence[float], height: float) -> Any:  # noqa: ANN401
    """Return the axes of a new figure, side by side, of these sizes in pixels: an array of one or more."""
    size = (sum(widths) / PIXELS_PER_INCH, height / PIXELS_PER_INCH)
    shape = {"width_ratios": list(widths), "squeeze": False}
    return pyplot().subplots(1, len(widths), figsize=size, layout="constrained", **shape)[1][0]
