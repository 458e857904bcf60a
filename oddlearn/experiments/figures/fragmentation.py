"""How a tree and a diagram share out the training samples, for the data sets that the paper shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from oddlearn.experiments.calibration import calibrated
from oddlearn.experiments.figures.canvas import Figure, new_figure
from oddlearn.experiments.figures.flows import draw_flows, legend_marks, scene_of
from oddlearn.experiments.flows import Flow, read_flows
from oddlearn.experiments.printed import SPLITS, sizes
from oddlearn.experiments.selection import Results, main_results
from oddlearn.experiments.trial import Result
from oddlearn.view.number_text import share_text

SHOWN = (
    "teaching-assistant-evaluation",
    "credit-approval",
    "monks3",
    "parkinsons",
    "spect-heart",
    "statlog-german-credit",
)

TUNED = "both tuned on the validation rows"
NONE_SHARED = f"{TUNED}; no diagram has a shared node"
UNTUNED = "no tuned diagram has a shared node: the best on the validation rows of those that have"


@dataclass(frozen=True)
class Contrast:
    """A tree and a diagram of one data set, kind of split and seed.

    Attributes
    ----------
    odt, odd : Result
    reason : str
        Why these were taken.
    """

    odt: Result
    odd: Result
    reason: str

    @property
    def is_shared(self) -> bool:
        """Whether a node of the diagram is reached by two arcs."""
        return has_shared_node(read_flows(self.odd.outcome.flows))


def has_shared_node(flows: Sequence[Flow]) -> bool:
    """Return whether two arcs lead to one node."""
    children = [child for flow in flows for child in (flow.negative, flow.positive)]
    counts = Counter(child for child in children if not child.startswith("c"))
    return max(counts.values(), default=0) > 1


def contrast_of(results: Results, dataset: str) -> Contrast | None:
    """Return the tree and diagram to show; None when not both have run.

    The tuned ones of the first seed where a node of the diagram is shared; trees of at least two nodes
    first, then lower seeds, then multivariate splits. When no tuned diagram shares a node, the diagram that
    does and is best on the validation rows, beside the tree of the same alpha; when there is none, the
    tuned ones as they are.
    """
    mine = [one for one in main_results(results) if one.trial.dataset == dataset]
    tuned = min(_tuned(mine), key=_rank, default=None)
    if tuned is None or tuned.is_shared:
        return tuned
    others = [contrast for contrast in _of_one_alpha(mine) if contrast.is_shared]
    if not others:
        return replace(tuned, reason=NONE_SHARED)
    return min(others, key=lambda pair: (-pair.odd.outcome.validation, *_rank(pair)))


def fragmentation_figure(results: Results, dataset: str) -> Figure | None:
    """Draw the tree and the diagram of a data set side by side; None when not both have run."""
    contrast = contrast_of(results, dataset)
    if contrast is None:
        return None
    panels = [(one, read_flows(one.outcome.flows)) for one in (contrast.odt, contrast.odd)]
    scenes = [scene_of(flows) for _, flows in panels]
    widths, height = [max(scene.width, 4.2) for scene in scenes], max(scene.height for scene in scenes)
    figure = new_figure(sum(widths) + 0.2, height + 1.4)
    trial = contrast.odd.trial
    subject = f"{dataset}, {trial.split} splits, seed {trial.seed}: training samples that pass each node"
    figure.suptitle(f"{subject}\n{contrast.reason}", fontsize=10)
    n_classes = sizes()[dataset].classes
    for place, ax in enumerate(figure.subplots(1, 2, width_ratios=widths)):
        draw_flows(ax, scenes[place], n_classes, (widths[place], height))
        ax.set_title(_title(*panels[place]), fontsize=9)
    marks = legend_marks(n_classes)
    figure.legend(handles=marks, frameon=False, fontsize=8, loc="outside lower center", ncols=len(marks))
    return figure


def _tuned(results: Results) -> list[Contrast]:
    choices = calibrated(results)
    trees = {
        (choice.split, one.trial.seed): one
        for choice in choices
        if choice.model == "ODT"
        for one in choice.results
    }
    diagrams = [one for choice in choices if choice.model == "ODD" for one in choice.results]
    pairs = [(trees.get((one.trial.split, one.trial.seed)), one) for one in diagrams]
    return [Contrast(tree, one, TUNED) for tree, one in pairs if tree is not None]


def _of_one_alpha(results: Results) -> list[Contrast]:
    trees = {_place(one): one for one in results if one.trial.is_tree}
    diagrams = [one for one in results if not one.trial.is_tree and _place(one) in trees]
    return [Contrast(trees[_place(one)], one, UNTUNED) for one in diagrams]


def _place(one: Result) -> tuple[str, int, float]:
    return one.trial.split, one.trial.seed, one.trial.alpha


def _rank(contrast: Contrast) -> tuple[bool, bool, int, int]:
    trial = contrast.odd.trial
    is_small = contrast.odt.outcome.n_nodes < 2
    return not contrast.is_shared, is_small, trial.seed, SPLITS.index(trial.split)


def _title(one: Result, flows: Sequence[Flow]) -> str:
    name = f"{one.trial.model} {one.trial.skeleton}, alpha {one.trial.alpha:g}, test {one.outcome.test:.3f}"
    if not flows:
        return f"{name}\nno split: one class for every sample"
    shares = [flow.samples / flows[0].samples for flow in flows]
    least, middle = share_text(min(shares)), share_text(median(shares))
    count = f"{len(flows)} node{'s' * (len(flows) > 1)}"
    return f"{name}\n{count}, samples in a node: least {least}, median {middle}"
