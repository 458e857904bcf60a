"""A picture of a tuning: the score against alpha, one line per skeleton."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, UnsupportedError

MARKERS = "os^Dvp*X"
CHOSEN = "chosen"

# how far lines stand apart, in steps between two alphas: error bars must not hide each other
DODGE = 0.06


def plot_tuning(model: Any, ax: Any = None) -> Any:  # noqa: ANN401
    """Draw the validation score of every skeleton against alpha, and mark the choice.

    Parameters
    ----------
    model : OptimalDecisionDiagramClassifierCV
        After its fit.
    ax : matplotlib Axes, optional
        To draw into; else a new figure is made.

    Returns
    -------
    matplotlib Axes
        Points are means over the folds, bars one standard deviation to each side. The alphas stand evenly,
        not to scale.
    """
    if not hasattr(model, "cv_results_") or "param_skeleton" not in model.cv_results_:
        raise InvalidInputError(
            f"Got a {type(model).__name__} without results: give an "
            "OptimalDecisionDiagramClassifierCV after its fit."
        )
    axes = _new_axes() if ax is None else ax
    results = model.cv_results_
    alphas = np.unique(results["param_alpha"])
    skeletons = list(dict.fromkeys(_name(skeleton) for skeleton in results["param_skeleton"]))
    shifts = DODGE * (np.arange(len(skeletons)) - (len(skeletons) - 1) / 2)
    for number, skeleton in enumerate(skeletons):
        _draw_line(axes, results, skeleton, alphas, shifts[number], MARKERS[number % len(MARKERS)])
    _mark_choice(axes, model, alphas, skeletons, shifts)
    _label(axes, alphas)
    return axes


def _draw_line(
    axes: Any, results: dict[str, Any], skeleton: str, alphas: Any, shift: float, marker: str  # noqa: ANN401
) -> None:
    cells = [place for place, given in enumerate(results["param_skeleton"]) if _name(given) == skeleton]
    cells.sort(key=lambda place: results["param_alpha"][place])
    places = np.searchsorted(alphas, results["param_alpha"][cells]) + shift
    mean, deviation = results["mean_test_score"][cells], results["std_test_score"][cells]
    style = {"marker": marker, "markersize": 5, "linewidth": 1.5, "elinewidth": 0.8, "capsize": 2}
    axes.errorbar(places, mean, yerr=deviation, label=skeleton, **style)


def _mark_choice(axes: Any, model: Any, alphas: Any, skeletons: list[str], shifts: Any) -> None:  # noqa: ANN401
    best = model.best_params_
    place = np.searchsorted(alphas, best["alpha"]) + shifts[skeletons.index(_name(best["skeleton"]))]
    ring = {"s": 160, "facecolors": "none", "edgecolors": "black", "linewidths": 1.5, "zorder": 5}
    axes.scatter([place], [model.best_score_], label=CHOSEN, **ring)


def _label(axes: Any, alphas: Any) -> None:  # noqa: ANN401
    axes.set_xticks(range(len(alphas)), [f"{alpha:g}" for alpha in alphas])
    axes.set_xlabel("alpha, the price of using all nodes")
    axes.set_ylabel("score on the validation rows")
    axes.grid(alpha=0.3)
    handles, labels = axes.get_legend_handles_labels()
    lines_first = sorted(range(len(labels)), key=lambda place: labels[place] == CHOSEN)
    entries = [handles[place] for place in lines_first], [labels[place] for place in lines_first]
    axes.legend(*entries, title="skeleton", fontsize="small")


def _name(skeleton: Any) -> str:  # noqa: ANN401
    read = Skeleton.parse(skeleton)
    return f"{read} (tree)" if read.tree_only else str(read)


def _new_axes() -> Any:  # noqa: ANN401
    try:
        from matplotlib import pyplot
    except ImportError:
        raise UnsupportedError(
            'Plots need matplotlib, which is not installed: pip install "oddlearn[plot]".'
        ) from None
    return pyplot.subplots(figsize=(7, 4.5), layout="constrained")[1]
