"""Figures of matplotlib, made and saved without its global state: no window, no open figures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.files import write_whole
from oddlearn.view.palette import CLASS_COLOURS

# matplotlib's classes are not annotated
Figure = Any
Axes = Any

COLOUR = dict(zip(("ODD", "ODT", "multivariate", "univariate"), CLASS_COLOURS, strict=False))
GRID = {"color": "#dddddd", "linewidth": 0.6}
FORMATS = ("svg", "png")
DOTS_PER_INCH = 150


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, sizes in inches; without matplotlib, say how to get it."""
    try:
        from matplotlib.figure import Figure as MatplotlibFigure
    except ImportError:
        raise UnsupportedError(
            'The figures of the study need matplotlib, which is not installed: pip install "oddlearn[plot]". '
            "The tables need nothing."
        ) from None
    return MatplotlibFigure(figsize=(width, height), layout="constrained")


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure in every format; the same figure gives the same bytes."""
    from matplotlib import rc_context

    paths = [folder / f"{name}.{ending}" for ending in FORMATS]
    stamps = {"svg": {"Date": None}, "png": {"Software": None}}
    try:
        with rc_context({"svg.hashsalt": "oddlearn"}):
            for path in paths:
                drawn, kind = io.BytesIO(), path.suffix[1:]
                figure.savefig(drawn, format=kind, dpi=DOTS_PER_INCH, metadata=stamps[kind])
                write_whole(path, drawn.getvalue())
    except OSError as problem:
        raise InvalidInputError(
            f"The figures cannot be written to {folder} ({problem.strerror}): give a folder that can be "
            "written."
        ) from None
    return paths


def frame(ax: Axes, title: str, x: str, y: str) -> None:
    """Name the axes of a plot and draw a light grid behind it."""
    ax.set(title=title, xlabel=x, ylabel=y)
    ax.grid(**GRID)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
