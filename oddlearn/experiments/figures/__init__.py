"""The figures of the study, each from the results alone, ours beside the paper's where it prints numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from oddlearn.experiments.figures.accuracy import box_figure, sorted_figure
from oddlearn.experiments.figures.canvas import Figure, new_figure, save
from oddlearn.experiments.figures.difficulty import size_figure, time_figure
from oddlearn.experiments.figures.fragmentation import SHOWN, fragmentation_figure
from oddlearn.experiments.selection import Results

__all__ = ["all_figures"]

# name of the file -> what draws it, or returns None when its trials have not run
PAINTERS: dict[str, Callable[[Results], Figure | None]] = {
    "accuracy_box": box_figure,
    "accuracy_sorted": sorted_figure,
    "proved_by_size": size_figure,
    "proved_over_time": time_figure,
    **{f"fragmentation_{name}": partial(fragmentation_figure, dataset=name) for name in SHOWN},
}


def all_figures(results: Results, folder: Path) -> list[Path]:
    """Draw every figure whose trials have run, as SVG and PNG; return the files.

    Parameters
    ----------
    results : sequence of Result
    folder : Path
        Made if there is none; figures of the same names in it are replaced.
    """
    new_figure(1.0, 1.0)  # without matplotlib: said before any work, and also when there is nothing to draw
    paths = []
    for name, paint in PAINTERS.items():
        figure = paint(results)
        if figure is not None:
            paths += save(figure, folder, name)
    return paths
