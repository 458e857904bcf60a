"""Figures of the runs: test accuracies, shares proved and improved by size, proofs and gaps over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oddlearn.datasets import CATALOGUE
from oddlearn.export.matplotlib_canvas import new_figure
from oddlearn.study.calibration import (
    Results,
    calibrate,
    find_main_setting,
    find_step_one_objectives,
    is_better,
    select_main_results,
    task_key,
)
from oddlearn.study.paper_results import MODELS, SEEDS, SELECTED, SPLITS, read_sorted_accuracy
from oddlearn.study.trial import Outcome
from oddlearn.view.palette import CLASS_COLOURS

# matplotlib's classes are not annotated
Figure = Any
Axes = Any

COLOURS = dict(zip(("ODD", "ODT", "multivariate", "univariate"), CLASS_COLOURS, strict=False))
GRID = {"color": "#dddddd", "linewidth": 0.6}

# model and source, such as ("ODD", "ours")
Curves = Mapping[tuple[str, str], Sequence[float]]

# data set and kind of split -> share of its runs
Shares = Mapping[tuple[str, str], float]


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


def compute_proved_shares(results: Results) -> Shares:
    """Return the share of runs proved, by data set and kind of split."""
    flags: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in select_main_results(results):
        flags[one.trial.dataset, one.trial.split].append(one.outcome.is_optimal)
    return _mean_flags(flags)


def compute_improved_shares(results: Results) -> Shares:
    """Return the share of runs below step 1, proved or not, among those whose step 1 also ran alone."""
    starts = find_step_one_objectives(results)
    flags: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in select_main_results(results):
        start = starts.get(task_key(one.trial))
        if start is not None:
            improved = is_better(one.outcome.objective, start)
            flags[one.trial.dataset, one.trial.split].append(improved)
    return _mean_flags(flags)


def draw_size_figure(results: Results) -> Figure | None:
    """Draw proved and improved shares against samples and features; None if nothing has run."""
    improved = compute_improved_shares(results)
    rows = [("proved optimal", compute_proved_shares(results)), ("below step 1, proved or not", improved)]
    rows = [(name, shares) for name, shares in rows if shares]
    if not rows:
        return None
    figure = new_figure(9.6, 3.4 * len(rows) + 0.4)
    figure.suptitle("Share of the runs of each data set", fontsize=11)
    for axes, (name, shares) in zip(figure.subplots(len(rows), 2, squeeze=False), rows, strict=True):
        samples = {entry.name: entry.n for entry in CATALOGUE}
        features = {entry.name: entry.d for entry in CATALOGUE}
        _draw_dots(axes[0], shares, samples, "samples", name)
        _draw_dots(axes[1], shares, features, "features", name)
    figure.legend(*axes[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return figure


def draw_time_figure(results: Results) -> Figure | None:
    """Draw the share of runs proved over time, and the distribution of the gaps; None if nothing has run."""
    setting = find_main_setting(results)
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for one in select_main_results(results):
        groups[one.trial.model, one.trial.split].append(one.outcome)
    if setting is None:
        return None
    figure = new_figure(9.6, 3.8)
    figure.suptitle(f"Proofs, {setting}", fontsize=11)
    times, gaps = figure.subplots(1, 2, sharey=True)
    style_axes(times, "seconds", "share of the runs proved")
    style_axes(gaps, "gap: 1 - lower bound / objective", "share of the runs with at most this gap")
    for model in MODELS:
        for split in SPLITS:
            ran = groups[model, split]
            if ran:
                _draw_curve(times, [one.fit_seconds for one in ran if one.is_optimal], len(ran), model, split)
                _draw_curve(gaps, [compute_gap(one) for one in ran], len(ran), model, split)
    times.set(xscale="log", ylim=(0, 1.02))
    gaps.set(xlim=(-0.02, 1.02))
    times.legend(frameon=False, loc="upper left", fontsize="small")
    return figure


def compute_gap(outcome: Outcome) -> float:
    """Return the relative gap 1 - lower bound / objective, between 0 and 1; 0 for a proved run."""
    if outcome.is_optimal or outcome.objective <= 0:
        return 0.0
    return min(1.0, max(0.0, 1 - outcome.lower_bound / outcome.objective))


def _mean_flags(flags: Mapping[tuple[str, str], Sequence[bool]]) -> Shares:
    return {subject: sum(some) / len(some) for subject, some in flags.items()}


def _draw_dots(ax: Axes, shares: Shares, size: Mapping[str, int], x: str, y: str) -> None:
    style_axes(ax, x, y)
    for split in SPLITS:
        points = [(size[dataset], share) for (dataset, kind), share in shares.items() if kind == split]
        if points:
            options = {"color": COLOURS[split], "s": 22, "alpha": 0.8, "linewidths": 0, "label": split}
            ax.scatter(*zip(*points, strict=True), **options)
    ax.set(xscale="log", ylim=(-0.04, 1.04))


def _draw_curve(ax: Axes, values: Sequence[float], runs: int, model: str, split: str) -> None:
    ordered = sorted(values)
    shares = [(place + 1) / runs for place in range(len(ordered))]
    style = "-" if split == "multivariate" else "--"
    options = {"color": COLOURS[model], "linestyle": style, "linewidth": 1.6, "label": f"{model}, {split}"}
    ax.step(ordered, shares, where="post", **options)


def style_axes(ax: Axes, x: str, y: str) -> None:
    """Label the axes and draw a light grid behind the plot."""
    ax.set(xlabel=x, ylabel=y)
    ax.grid(**GRID)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
