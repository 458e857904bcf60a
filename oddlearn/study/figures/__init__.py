"""The figures of the study, each drawn from the results alone, with the paper's numbers where it has some."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from oddlearn.export.matplotlib_canvas import new_figure
from oddlearn.study.calibration import Results
from oddlearn.study.figures.accuracy_figures import draw_box_figure, draw_sorted_figure
from oddlearn.study.figures.difficulty_figures import draw_size_figure, draw_time_figure
from oddlearn.study.figures.fragmentation_figures import SHOWN_DATASETS, draw_fragmentation_figure
from oddlearn.study.figures.plot_style import Figure, save_figure

__all__ = ["draw_figures"]

# name of the file -> function that draws the figure, or returns None if its trials have not run
FIGURES: dict[str, Callable[[Results], Figure | None]] = {
    "accuracy_box": draw_box_figure,
    "accuracy_sorted": draw_sorted_figure,
    "proved_by_size": draw_size_figure,
    "proved_over_time": draw_time_figure,
    **{f"fragmentation_{name}": partial(draw_fragmentation_figure, dataset=name) for name in SHOWN_DATASETS},
}


def draw_figures(results: Results, folder: Path) -> list[Path]:
    """Draw every figure whose trials have run, as SVG and PNG; return the files.

    Parameters
    ----------
    results : sequence of Result
    folder : Path
        Created if there is none; figures of the same names in it are replaced.
    """
    new_figure(1.0, 1.0)  # raise before any work if matplotlib is not installed
    paths = []
    for name, draw in FIGURES.items():
        figure = draw(results)
        if figure is not None:
            paths += save_figure(figure, folder, name)
    return paths
