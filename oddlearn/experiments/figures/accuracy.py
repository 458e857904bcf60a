"""The paper's two figures of test accuracy on the 18 selected data sets, ours and its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from oddlearn.experiments.calibration import calibrated
from oddlearn.experiments.figures.canvas import COLOUR, Axes, Figure, frame, new_figure
from oddlearn.experiments.printed import SEEDS, SPLITS, selected, sorted_accuracy
from oddlearn.experiments.selection import Results

MODELS = ("ODD", "ODT")

# model and whose, such as ("ODD", "ours")
Curves = Mapping[tuple[str, str], Sequence[float]]


def accuracy_curves(results: Results, split: str) -> Curves:
    """Return the sorted test accuracies of single runs on the selected data sets, of all we have."""
    curves: dict[tuple[str, str], Sequence[float]] = {}
    chosen = [choice for choice in calibrated(results) if choice.split == split]
    for model in MODELS:
        runs = [c.results for c in chosen if c.model == model and c.dataset in selected()]
        ours = sorted(one.outcome.test for ran in runs for one in ran)
        if ours:
            curves[model, "ours"] = ours
        if ours and split == "multivariate":
            curves[model, "paper"] = sorted_accuracy()[model]
    return curves


def box_figure(results: Results) -> Figure | None:
    """Draw box plots of the test accuracies; None when no trial of the selected data sets has run."""
    return _panels(results, _boxes, "boxes: quartiles; whiskers: extremes; dots: means")


def sorted_figure(results: Results) -> Figure | None:
    """Draw the sorted test accuracies; None when no trial of the selected data sets has run."""
    return _panels(results, _lines, "every step is a run: a data set and a seed")


def _panels(results: Results, draw: Callable[[Axes, Curves], None], words: str) -> Figure | None:
    found = [(split, accuracy_curves(results, split)) for split in SPLITS]
    found = [(split, curves) for split, curves in found if curves]
    if not found:
        return None
    figure = new_figure(4.8 * len(found), 4.4)
    figure.suptitle(f"Test accuracy on the selected data sets\n{words}", fontsize=10)
    axes = figure.subplots(1, len(found), squeeze=False, sharey=True)[0]
    for ax, (split, curves) in zip(axes, found, strict=True):
        draw(ax, curves)
        runs = max(len(curve) for (_, source), curve in curves.items() if source == "ours")
        ax.set_title(f"{split} splits, {runs} of {len(selected()) * len(SEEDS)} runs", fontsize=10)
    return figure


def _boxes(ax: Axes, curves: Curves) -> None:
    frame(ax, "", "", "test accuracy")
    labels = [f"{model}\n{source}" for model, source in curves]
    look = {"whis": (0, 100), "widths": 0.55, "patch_artist": True, "showmeans": True}
    mean = {"marker": "o", "markerfacecolor": "white", "markeredgecolor": "black", "markersize": 5}
    drawn = ax.boxplot(list(curves.values()), medianprops={"color": "black"}, meanprops=mean, **look)
    for box, (model, source) in zip(drawn["boxes"], curves, strict=True):
        box.set(facecolor=COLOUR[model], alpha=0.9 if source == "ours" else 0.35)
    ax.set_xticks(range(1, len(labels) + 1), labels)


def _lines(ax: Axes, curves: Curves) -> None:
    frame(ax, "", "share of the runs", "test accuracy")
    for (model, source), curve in curves.items():
        shares = [place / len(curve) for place in range(len(curve) + 1)]
        style = "-" if source == "ours" else "--"
        look = {"color": COLOUR[model], "linestyle": style, "linewidth": 1.6, "label": f"{model}, {source}"}
        ax.step(shares, [*curve, curve[-1]], where="post", **look)
    ax.legend(frameon=False, loc="lower right")
