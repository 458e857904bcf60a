"""The style of the figures of the study, and saving them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from oddlearn.errors import InvalidInputError
from oddlearn.table.files import write_whole
from oddlearn.view.palette import CLASS_COLOURS

# matplotlib's classes are not annotated
Figure = Any
Axes = Any

COLOURS = dict(zip(("ODD", "ODT", "multivariate", "univariate"), CLASS_COLOURS, strict=False))
GRID = {"color": "#dddddd", "linewidth": 0.6}
FORMATS = ("svg", "png")
DOTS_PER_INCH = 150


def save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure in every format and return the files; the same figure gives the same bytes."""
    from matplotlib import rc_context

    paths = [folder / f"{name}.{ending}" for ending in FORMATS]
    metadata = {"svg": {"Date": None}, "png": {"Software": None}}
    try:
        with rc_context({"svg.hashsalt": "oddlearn"}):
            for path in paths:
                drawn, kind = io.BytesIO(), path.suffix[1:]
                figure.savefig(drawn, format=kind, dpi=DOTS_PER_INCH, metadata=metadata[kind])
                write_whole(path, drawn.getvalue())
    except OSError as problem:
        raise InvalidInputError(
            f"The figures cannot be written to {folder} ({problem.strerror}): give a folder that can be "
            "written."
        ) from None
    return paths


def style_axes(ax: Axes, x: str, y: str) -> None:
    """Label the axes and draw a light grid behind the plot."""
    ax.set(xlabel=x, ylabel=y)
    ax.grid(**GRID)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
