"""Objective and lower bound over the time of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.errors import InvalidInputError
from oddlearn.export.axes import new_axes, pyplot

# Okabe and Ito's blue and vermilion, told apart by colour-blind readers; the bound is dashed besides
OBJECTIVE_COLOUR, BOUND_COLOUR, GAP_COLOUR = "#0072B2", "#D55E00", "#dddddd"

# pixels
WIDTH, HEIGHT = 620.0, 380.0

# share of the time drawn after the last news, so that its step can be seen
AFTERWARDS = 0.05


def plot_history(model: Any, *, ax: Any = None) -> Any:  # noqa: ANN401
    """Draw what was known when: the objective of the best diagram, and the proved lower bound.

    Parameters
    ----------
    model : fitted classifier
        Its ``history_`` is drawn; a loaded model has it too.
    ax : matplotlib Axes, optional
        Drawn on; a new figure if left out.

    Returns
    -------
    matplotlib Axes
    """
    pyplot()
    history = getattr(model, "history_", None)
    if not isinstance(history, np.ndarray) or history.size == 0:
        raise InvalidInputError(
            f"This {type(model).__name__} has no history to draw: give a fitted classifier of oddlearn."
        )
    if ax is None:
        (ax,) = new_axes([WIDTH], HEIGHT)
    seconds, objective, bound = _steps(history)
    ax.fill_between(seconds, bound, objective, step="post", color=GAP_COLOUR, linewidth=0, label="gap")
    look = {"where": "post", "linewidth": 2}
    ax.step(seconds, objective, color=OBJECTIVE_COLOUR, label="objective", **look)
    ax.step(seconds, bound, color=BOUND_COLOUR, label="lower bound", linestyle="--", **look)
    ax.set(xlabel="seconds", ylabel="objective", title=_title(model, history), xlim=(0, seconds[-1]))
    ax.legend(frameon=False)
    return ax


def _steps(history: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return time, objective and bound, a little beyond the end, with nan for what was not known yet."""
    end = float(history["seconds"][-1])
    seconds = np.append(history["seconds"], (1 + AFTERWARDS) * end if end > 0 else 1.0)
    values = [np.append(history[name], history[name][-1]) for name in ("objective", "lower_bound")]
    objective, bound = (np.where(np.isfinite(value), value, np.nan) for value in values)
    return seconds, objective, bound


def _title(model: Any, history: NDArray[Any]) -> str:  # noqa: ANN401
    objective = f"objective {history['objective'][-1]:.4g}"
    if getattr(model, "is_optimal_", False):
        return f"{objective}, proved optimal"
    return f"{objective}, lower bound {history['lower_bound'][-1]:.4g}"
