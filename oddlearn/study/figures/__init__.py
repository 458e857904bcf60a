"""The figures of the study, each drawn from the results alone, with the paper's numbers where it has some."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

from oddlearn.errors import InvalidInputError
from oddlearn.export.matplotlib_canvas import new_figure
from oddlearn.study.calibration import Results
from oddlearn.study.figures.fragmentation_figures import SHOWN_DATASETS, draw_fragmentation_figure
from oddlearn.study.figures.run_figures import (
    Figure,
    draw_box_figure,
    draw_size_figure,
    draw_sorted_figure,
    draw_time_figure,
)
from oddlearn.table.files import write_whole

__all__ = ["draw_figures"]

# name of the file -> function that draws the figure, or returns None if its trials have not run
FIGURES: dict[str, Callable[[Results], Figure | None]] = {
    "accuracy_box": draw_box_figure,
    "accuracy_sorted": draw_sorted_figure,
    "proved_by_size": draw_size_figure,
    "proved_over_time": draw_time_figure,
    **{f"fragmentation_{name}": partial(draw_fragmentation_figure, dataset=name) for name in SHOWN_DATASETS},
}


FORMATS = ("svg", "png")
DOTS_PER_INCH = 150


def draw_figures(results: Results, folder: Path) -> list[Path]:
    """Draw every figure whose trials have run, as SVG and PNG; return the files.

    ``folder``: created if there is none; figures of the same names in it are replaced.
    """
    new_figure(1.0, 1.0)  # raise before any work if matplotlib is not installed
    paths = []
    for name, draw in FIGURES.items():
        figure = draw(results)
        if figure is not None:
            paths += save_figure(figure, folder, name)
    return paths


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
