"""Runs proved and improved against the size of the data, and proofs against time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from oddlearn.experiments.figures.canvas import COLOUR, Axes, Figure, frame, new_figure
from oddlearn.experiments.printed import MODELS, SPLITS, sizes
from oddlearn.experiments.selection import (
    Results,
    first_steps,
    is_better,
    main_results,
    main_setting,
    task_of,
)
from oddlearn.experiments.trial import Outcome

# data set and kind of split -> share of its runs
Shares = Mapping[tuple[str, str], float]


def proved_shares(results: Results) -> Shares:
    """Return the share of runs proved, by data set and kind of split."""
    flags: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in main_results(results):
        flags[one.trial.dataset, one.trial.split].append(one.outcome.is_optimal)
    return _shares(flags)


def improved_shares(results: Results) -> Shares:
    """Return the share of runs below step 1, proved or not, of those where step 1 ran alone too."""
    starts = first_steps(results)
    flags: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in main_results(results):
        start = starts.get(task_of(one.trial))
        if start is not None:
            improved = is_better(one.outcome.objective, start)
            flags[one.trial.dataset, one.trial.split].append(improved)
    return _shares(flags)


def size_figure(results: Results) -> Figure | None:
    """Draw proved and improved shares against samples and features; None when nothing has run."""
    below = improved_shares(results)
    rows = [("proved optimal", proved_shares(results)), ("below step 1, proved or not", below)]
    rows = [(name, shares) for name, shares in rows if shares]
    if not rows:
        return None
    figure = new_figure(9.6, 3.4 * len(rows) + 0.4)
    figure.suptitle("Share of the runs of each data set", fontsize=11)
    for axes, (name, shares) in zip(figure.subplots(len(rows), 2, squeeze=False), rows, strict=True):
        samples = {dataset: size.n for dataset, size in sizes().items()}
        features = {dataset: size.d for dataset, size in sizes().items()}
        _dots(axes[0], shares, samples, "samples", name)
        _dots(axes[1], shares, features, "features", name)
    figure.legend(*axes[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    return figure


def time_figure(results: Results) -> Figure | None:
    """Draw the share proved over time, and how large the gaps are; None when nothing has run."""
    setting = main_setting(results)
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for one in main_results(results):
        groups[one.trial.model, one.trial.split].append(one.outcome)
    if setting is None:
        return None
    figure = new_figure(9.6, 3.8)
    figure.suptitle(f"Proofs, {setting}", fontsize=11)
    times, gaps = figure.subplots(1, 2, sharey=True)
    frame(times, "", "seconds", "share of the runs proved")
    frame(gaps, "", "gap: 1 - lower bound / objective", "share of the runs with at most this gap")
    for model in MODELS:
        for split in SPLITS:
            ran = groups[model, split]
            if ran:
                _curve(times, [one.spent for one in ran if one.is_optimal], len(ran), model, split)
                _curve(gaps, [gap(one) for one in ran], len(ran), model, split)
    times.set(xscale="log", ylim=(0, 1.02))
    gaps.set(xlim=(-0.02, 1.02))
    times.legend(frameon=False, loc="upper left", fontsize="small")
    return figure


def gap(outcome: Outcome) -> float:
    """Return how far the bound is below the objective, as a share of it; 0 for a proved run."""
    if outcome.is_optimal or outcome.objective <= 0:
        return 0.0
    return min(1.0, max(0.0, 1 - outcome.lower_bound / outcome.objective))


def _shares(flags: Mapping[tuple[str, str], Sequence[bool]]) -> Shares:
    return {subject: sum(some) / len(some) for subject, some in flags.items()}


def _dots(ax: Axes, shares: Shares, size: Mapping[str, int], x: str, y: str) -> None:
    frame(ax, "", x, y)
    for split in SPLITS:
        points = [(size[dataset], share) for (dataset, kind), share in shares.items() if kind == split]
        if points:
            look = {"color": COLOUR[split], "s": 22, "alpha": 0.8, "linewidths": 0, "label": split}
            ax.scatter(*zip(*points, strict=True), **look)
    ax.set(xscale="log", ylim=(-0.04, 1.04))


def _curve(ax: Axes, values: Sequence[float], runs: int, model: str, split: str) -> None:
    ordered = sorted(values)
    shares = [(place + 1) / runs for place in range(len(ordered))]
    style = "-" if split == "multivariate" else "--"
    look = {"color": COLOUR[model], "linestyle": style, "linewidth": 1.6, "label": f"{model}, {split}"}
    ax.step(ordered, shares, where="post", **look)
