"""Test accuracy on the 18 selected data sets, ours and the paper's: box plots and sorted runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from oddlearn.export.matplotlib_canvas import new_figure
from oddlearn.study.calibration import Results, calibrate
from oddlearn.study.figures.plot_style import COLOURS, Axes, Figure, style_axes
from oddlearn.study.paper_results import MODELS, SEEDS, SELECTED, SPLITS, read_sorted_accuracy

# model and source, such as ("ODD", "ours")
Curves = Mapping[tuple[str, str], Sequence[float]]


def compute_accuracy_curves(results: Results, split: str) -> Curves:
    """Return the sorted test accuracies of all single runs on the selected data sets, diagrams first."""
    curves: dict[tuple[str, str], Sequence[float]] = {}
    tuned = [one for one in calibrate(results) if one.split == split and one.dataset in SELECTED]
    for model in reversed(MODELS):
        runs = [one.results for one in tuned if one.model == model]
        ours = sorted(one.outcome.test for ran in runs for one in ran)
        if ours:
            curves[model, "ours"] = ours
        if ours and split == "multivariate":
            curves[model, "paper"] = read_sorted_accuracy()[model]
    return curves


def draw_box_figure(results: Results) -> Figure | None:
    """Draw box plots of the test accuracies; None if no trial of the selected data sets has run."""
    return _draw_panels(results, _draw_boxes, "boxes: quartiles; whiskers: extremes; dots: means")


def draw_sorted_figure(results: Results) -> Figure | None:
    """Draw the sorted test accuracies; None if no trial of the selected data sets has run."""
    return _draw_panels(results, _draw_lines, "every step is a run: a data set and a seed")


def _draw_panels(results: Results, draw: Callable[[Axes, Curves], None], legend: str) -> Figure | None:
    found = [(split, compute_accuracy_curves(results, split)) for split in SPLITS]
    found = [(split, curves) for split, curves in found if curves]
    if not found:
        return None
    figure = new_figure(4.8 * len(found), 4.4)
    figure.suptitle(f"Test accuracy on the selected data sets\n{legend}", fontsize=10)
    axes = figure.subplots(1, len(found), squeeze=False, sharey=True)[0]
    for ax, (split, curves) in zip(axes, found, strict=True):
        draw(ax, curves)
        runs = max(len(curve) for (_, source), curve in curves.items() if source == "ours")
        ax.set_title(f"{split} splits, {runs} of {len(SELECTED) * len(SEEDS)} runs", fontsize=10)
    return figure


def _draw_boxes(ax: Axes, curves: Curves) -> None:
    style_axes(ax, "", "test accuracy")
    labels = [f"{model}\n{source}" for model, source in curves]
    options = {"whis": (0, 100), "widths": 0.55, "patch_artist": True, "showmeans": True}
    mean = {"marker": "o", "markerfacecolor": "white", "markeredgecolor": "black", "markersize": 5}
    drawn = ax.boxplot(list(curves.values()), medianprops={"color": "black"}, meanprops=mean, **options)
    for box, (model, source) in zip(drawn["boxes"], curves, strict=True):
        box.set(facecolor=COLOURS[model], alpha=0.9 if source == "ours" else 0.35)
    ax.set_xticks(range(1, len(labels) + 1), labels)


def _draw_lines(ax: Axes, curves: Curves) -> None:
    style_axes(ax, "share of the runs", "test accuracy")
    for (model, source), curve in curves.items():
        shares = [place / len(curve) for place in range(len(curve) + 1)]
        style = "-" if source == "ours" else "--"
        options = {"color": COLOURS[model], "linestyle": style, "linewidth": 1.6}
        ax.step(shares, [*curve, curve[-1]], where="post", label=f"{model}, {source}", **options)
    ax.legend(frameon=False, loc="lower right")
