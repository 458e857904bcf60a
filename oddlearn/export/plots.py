"""Plots by matplotlib: a diagram, two models side by side, the progress of a fit, a tuning."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.export.matplotlib_canvas import Canvas, import_pyplot, new_axes, plot_axes
from oddlearn.export.plane_panels import plot_planes
from oddlearn.view.arc_flows import ArcFlows, predicted_flows, training_flows
from oddlearn.view.inputs import ModelView, final_model, model_view
from oddlearn.view.number_text import plural, share_text
from oddlearn.view.palette import BOUND_COLOUR, GAP_COLOUR, OBJECTIVE_COLOUR
from oddlearn.view.pictures import picture_scene, share_scene
from oddlearn.view.scene import Scene

TITLE_SIZE = 10

TITLE_HEIGHT = 40.0  # of a panel, in pixels

TIME_MARGIN = 0.05  # share of the time drawn after the last event, so that its step can be seen

# of the skeletons of a tuning
MARKERS = "os^Dvp*X"
SELECTED = "selected"

# distance of the lines of a tuning, in steps between two penalties: error bars must not hide each other
DODGE = 0.06

# matplotlib's classes are not annotated
Axes = Any


def plot_diagram(
    model: object,
    metadata: ModelMetadata | None = None,
    X: ArrayLike | None = None,
    *,
    ax: Axes = None,
    y: ArrayLike | None = None,
    planes: bool = False,
) -> Axes:
    """Draw the diagram layer by layer: arcs as wide as the samples that take them, the classes in each node.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows. Numbers are then as short as keeps each of them on its side of every node; without
        them thresholds and weights are rounded where they are long, and marked with "about".
    ax : matplotlib Axes, optional
        Axes to draw on; a new figure of the picture's size by default. The picture fits into any axes.
    y : array-like (n,), optional
        Labels of the rows X, for the colours of points.
    planes : bool
        True to draw every split of two columns below the diagram, in their plane, with the rows X at its
        node and its line. It makes a figure of its own.

    Returns
    -------
    matplotlib Axes
    """
    import_pyplot()
    view = model_view(model, metadata)
    scene = picture_scene(view, view.rows(X))
    if planes:
        return plot_planes(view, scene, X, y, ax)
    if ax is None:
        (ax,) = new_axes([scene.width], scene.height)
    Canvas(ax, scene, view.colours).draw()
    return ax


def plot_fragmentation(odd: object, odt: object, X: ArrayLike | None = None, *, axes: Axes = None) -> Axes:
    """Draw two models side by side with the share of the samples at each node.

    A tree sends ever fewer samples to each node; a diagram brings them together again.

    Parameters
    ----------
    odd, odt : fitted classifiers or DecisionDiagrams
        Such as a diagram and a tree trained on the same data.
    X : array-like (n, n_features), optional
        Rows to route through both models; the training samples by default. Bars in the nodes show classes:
        true ones for the training samples, predicted ones for the rows of X.
    axes : two matplotlib Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    array of two matplotlib Axes
    """
    import_pyplot()
    panels = [_fragmentation_panel(model, X) for model in (odd, odt)]
    if axes is None:
        height = max(scene.height for _, scene, _ in panels) + TITLE_HEIGHT
        axes = new_axes([scene.width for _, scene, _ in panels], height)
    for ax, (view, scene, flows) in zip(axes, panels, strict=True):
        Canvas(ax, scene, view.colours).draw()
        ax.set_title(_fragmentation_title(view.diagram, flows), fontsize=TITLE_SIZE)
    return np.asarray(axes)


def _fragmentation_panel(model: object, X: ArrayLike | None) -> tuple[ModelView, Scene, ArcFlows]:
    view = model_view(model)
    rows, diagram = view.rows(X), view.diagram
    flows = training_flows(diagram, view.metadata) if rows is None else predicted_flows(diagram, rows)
    return view, share_scene(view, flows), flows


def _fragmentation_title(diagram: DecisionDiagram, flows: ArcFlows) -> str:
    size = f"{'Tree' if diagram.is_tree else 'Diagram'}, {plural(diagram.n_nodes, 'node')}"
    if diagram.n_nodes == 0 or not flows.total > 0:
        return size
    weights = flows.nodes.sum(axis=1)
    smallest, median = (share_text(float(one), flows.total) for one in (weights.min(), np.median(weights)))
    return f"{size}\nsamples in a node: at least {smallest}, median {median}"


def plot_history(model: Any, *, ax: Axes = None) -> Axes:  # noqa: ANN401
    """Draw the objective of the best diagram and the proved lower bound over the time of the fit.

    Parameters
    ----------
    model : fitted classifier
        Its ``history_`` is drawn; a loaded model has it too.
    ax : matplotlib Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    import_pyplot()
    model = final_model(model)
    history = getattr(model, "history_", None)
    if not isinstance(history, np.ndarray) or history.size == 0:
        raise InvalidInputError(
            f"This {type(model).__name__} has no history to draw: give a fitted classifier of oddlearn."
        )
    ax = plot_axes(ax)
    seconds, objective, bound = _history_steps(history)
    ax.fill_between(seconds, bound, objective, step="post", color=GAP_COLOUR, linewidth=0, label="gap")
    look = {"where": "post", "linewidth": 2}
    ax.step(seconds, objective, color=OBJECTIVE_COLOUR, label="objective", **look)
    ax.step(seconds, bound, color=BOUND_COLOUR, label="lower bound", linestyle="--", **look)
    ax.set(xlabel="seconds", ylabel="objective", title=_history_title(model, history), xlim=(0, seconds[-1]))
    ax.legend(frameon=False)
    return ax


def _history_steps(history: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return time, objective and bound up to a little beyond the end, nan where they were not known yet."""
    end = float(history["seconds"][-1])
    seconds = np.append(history["seconds"], (1 + TIME_MARGIN) * end if end > 0 else 1.0)
    values = [np.append(history[name], history[name][-1]) for name in ("objective", "lower_bound")]
    objective, bound = (np.where(np.isfinite(value), value, np.nan) for value in values)
    return seconds, objective, bound


def _history_title(model: Any, history: NDArray[Any]) -> str:  # noqa: ANN401
    objective = f"objective {history['objective'][-1]:.4g}"
    if getattr(model, "is_optimal_", False):
        return f"{objective}, proved optimal"
    return f"{objective}, lower bound {history['lower_bound'][-1]:.4g}"


def plot_tuning(model: Any, ax: Axes = None) -> Axes:  # noqa: ANN401
    """Draw the validation score of each skeleton against the penalty, and mark the selected one.

    Parameters
    ----------
    model : OptimalDecisionDiagramClassifierCV
        A fitted one.
    ax : matplotlib Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Points are means over the folds, bars one standard deviation to each side. The penalties are evenly
        spaced, not to scale.
    """
    if hasattr(model, "steps"):
        model = model.steps[-1][1]
    if not hasattr(model, "cv_results_") or "param_skeleton" not in model.cv_results_:
        raise InvalidInputError(
            f"Got a {type(model).__name__} without results: give an "
            "OptimalDecisionDiagramClassifierCV after its fit."
        )
    axes = plot_axes(ax)
    results = model.cv_results_
    penalty = "node_price" if "param_node_price" in results else "alpha"
    skeletons = list(dict.fromkeys(_skeleton_name(skeleton) for skeleton in results["param_skeleton"]))
    shifts = DODGE * (np.arange(len(skeletons)) - (len(skeletons) - 1) / 2)
    for place, skeleton in enumerate(skeletons):
        _draw_scores(axes, results, skeleton, penalty, shifts[place], MARKERS[place % len(MARKERS)])
    _mark_selected(axes, model, penalty, skeletons, shifts)
    _label_tuning(axes, penalty, np.unique(results[f"param_{penalty}"]))
    return axes


def _draw_scores(
    axes: Axes, results: dict[str, Any], skeleton: str, penalty: str, shift: float, marker: str
) -> None:
    cells = [place for place, one in enumerate(results["param_skeleton"]) if _skeleton_name(one) == skeleton]
    tried = results[f"param_{penalty}"]
    cells.sort(key=lambda place: tried[place])
    places = np.searchsorted(np.unique(tried), tried[cells]) + shift
    mean, deviation = results["mean_test_score"][cells], results["std_test_score"][cells]
    style = {"marker": marker, "markersize": 5, "linewidth": 1.5, "elinewidth": 0.8, "capsize": 2}
    axes.errorbar(places, mean, yerr=deviation, label=skeleton, **style)


def _mark_selected(axes: Axes, model: Any, penalty: str, skeletons: list[str], shifts: Any) -> None:  # noqa: ANN401
    best, values = model.best_params_, np.unique(model.cv_results_[f"param_{penalty}"])
    place = np.searchsorted(values, best[penalty]) + shifts[skeletons.index(_skeleton_name(best["skeleton"]))]
    ring = {"s": 160, "facecolors": "none", "edgecolors": "black", "linewidths": 1.5, "zorder": 5}
    axes.scatter([place], [model.best_score_], label=SELECTED, **ring)


def _label_tuning(axes: Axes, penalty: str, values: Any) -> None:  # noqa: ANN401
    axes.set_xticks(range(len(values)), [f"{value:g}" for value in values])
    axes.set_xlabel("alpha, the price of all nodes" if penalty == "alpha" else "price per node")
    axes.set_ylabel("validation score")
    axes.grid(alpha=0.3)
    handles, labels = axes.get_legend_handles_labels()
    lines_first = sorted(range(len(labels)), key=lambda place: labels[place] == SELECTED)
    entries = [handles[place] for place in lines_first], [labels[place] for place in lines_first]
    axes.legend(*entries, title="skeleton", fontsize="small")


def _skeleton_name(skeleton: Any) -> str:  # noqa: ANN401
    parsed = Skeleton.parse(skeleton)
    return f"{parsed} (tree)" if parsed.tree_only else str(parsed)
