"""Training samples per node of a tree beside a diagram, for the data sets that the paper shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from oddlearn.datasets import find_entry
from oddlearn.export.matplotlib_canvas import PIXELS_PER_INCH, Canvas, new_figure
from oddlearn.study.calibration import Results, calibrate, select_main_results
from oddlearn.study.figures.run_figures import Figure
from oddlearn.study.flow_text import NodeFlow, build_diagram, parse_flows, parse_shape
from oddlearn.study.paper_results import SPLITS
from oddlearn.study.trial import Result
from oddlearn.view.inputs import model_view
from oddlearn.view.number_text import plural, share_text
from oddlearn.view.palette import class_colours
from oddlearn.view.pictures import node_share_scene
from oddlearn.view.scene import Scene

SHOWN_DATASETS = (
    "teaching-assistant-evaluation",
    "credit-approval",
    "monks3",
    "parkinsons",
    "spect-heart",
    "statlog-german-credit",
)

# width of the panel of a classifier without nodes, in pixels; room for the titles
MIN_PANEL_WIDTH = 420.0
TITLE_INCHES = 1.2

TUNED = "both tuned on the validation rows"
NONE_SHARED = f"{TUNED}; no diagram has a shared node"
UNTUNED = "no tuned diagram has a shared node: the best on the validation rows of those that have"


@dataclass(frozen=True)
class TreeDiagramPair:
    """A tree and a diagram of the same data set, kind of split and seed."""

    odt: Result
    odd: Result
    reason: str  # the reason for this choice, for the title

    @property
    def is_shared(self) -> bool:
        """True if a node of the diagram has two incoming arcs."""
        return not parse_shape(self.odd.outcome.flows).is_tree


def select_pair(results: Results, dataset: str) -> TreeDiagramPair | None:
    """Return the tree and the diagram to show; None unless both have run.

    Tuned pairs whose diagram has a shared node come first; among these, trees of at least two nodes, then
    lower seeds, then multivariate splits. If no tuned diagram has a shared node, the diagram with one and
    the best validation accuracy is shown beside the tree of the same alpha; if there is none, a tuned pair.
    """
    ran = [one for one in select_main_results(results) if one.trial.dataset == dataset]
    tuned = min(_pair_tuned(ran), key=_rank, default=None)
    if tuned is None or tuned.is_shared:
        return tuned
    others = [pair for pair in _pair_by_alpha(ran) if pair.is_shared]
    if not others:
        return replace(tuned, reason=NONE_SHARED)
    return min(others, key=lambda pair: (-pair.odd.outcome.validation, *_rank(pair)))


def draw_fragmentation_figure(results: Results, dataset: str) -> Figure | None:
    """Draw the tree and the diagram of a data set side by side; None unless both have run."""
    pair = select_pair(results, dataset)
    if pair is None:
        return None
    n_classes = find_entry(dataset).classes
    panels = [(one, parse_flows(one.outcome.flows)) for one in (pair.odt, pair.odd)]
    scenes = [build_flow_scene(flows, n_classes) for _, flows in panels]
    widths = [scene.width if scene else MIN_PANEL_WIDTH for scene in scenes]
    height = max((scene.height for scene in scenes if scene), default=0.0)
    figure = new_figure(sum(widths) / PIXELS_PER_INCH, height / PIXELS_PER_INCH + TITLE_INCHES)
    trial = pair.odd.trial
    subject = f"{dataset}, {trial.split} splits, seed {trial.seed}: training samples that pass each node"
    figure.suptitle(f"{subject}\n{pair.reason}", fontsize=10)
    axes = figure.subplots(1, 2, width_ratios=widths)
    for ax, scene, panel in zip(axes, scenes, panels, strict=True):
        ax.set_title(_title_text(*panel), fontsize=9)
        ax.set_axis_off()
        if scene is not None:
            Canvas(ax, scene, class_colours(n_classes)).draw()
    return figure


def build_flow_scene(flows: Sequence[NodeFlow], n_classes: int) -> Scene | None:
    """Lay out the nodes with their shares of the samples; None for a classifier without nodes."""
    if not flows:
        return None
    shares = [flow.samples / flows[0].samples for flow in flows]
    return node_share_scene(model_view(build_diagram(flows, n_classes)), shares)


def _pair_tuned(results: Results) -> list[TreeDiagramPair]:
    tuned_models = calibrate(results)
    trees = {
        (tuned.split, one.trial.seed): one
        for tuned in tuned_models
        if tuned.model == "ODT"
        for one in tuned.results
    }
    diagrams = [one for tuned in tuned_models if tuned.model == "ODD" for one in tuned.results]
    pairs = [(trees.get((one.trial.split, one.trial.seed)), one) for one in diagrams]
    return [TreeDiagramPair(tree, one, TUNED) for tree, one in pairs if tree is not None]


def _pair_by_alpha(results: Results) -> list[TreeDiagramPair]:
    trees = {_pair_key(one): one for one in results if one.trial.is_tree}
    diagrams = [one for one in results if not one.trial.is_tree and _pair_key(one) in trees]
    return [TreeDiagramPair(trees[_pair_key(one)], one, UNTUNED) for one in diagrams]


def _pair_key(one: Result) -> tuple[str, int, float]:
    return one.trial.split, one.trial.seed, one.trial.alpha


def _rank(pair: TreeDiagramPair) -> tuple[bool, bool, int, int]:
    trial = pair.odd.trial
    is_small = pair.odt.outcome.n_nodes < 2
    return not pair.is_shared, is_small, trial.seed, SPLITS.index(trial.split)


def _title_text(one: Result, flows: Sequence[NodeFlow]) -> str:
    name = f"{one.trial.model} {one.trial.skeleton}, alpha {one.trial.alpha:g}, test {one.outcome.test:.3f}"
    if not flows:
        return f"{name}\nno split: one class for every sample"
    shares = [flow.samples / flows[0].samples for flow in flows]
    smallest, middle = share_text(min(shares)), share_text(median(shares))
    return f"{name}\n{plural(len(flows), 'node')}, samples per node: minimum {smallest}, median {middle}"
