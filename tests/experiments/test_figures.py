import sys
from itertools import pairwise
from statistics import fmean

import pytest

from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.experiments.figures import all_figures
from oddlearn.experiments.figures.accuracy import accuracy_curves, sorted_figure
from oddlearn.experiments.figures.canvas import save
from oddlearn.experiments.figures.difficulty import gap, improved_shares, proved_shares, time_figure
from oddlearn.experiments.figures.flows import scene_of, shade
from oddlearn.experiments.figures.fragmentation import contrast_of, has_shared_node
from oddlearn.experiments.flows import read_flows
from tests.experiments.examples import SHARED, TREE, chance_grid, result

pytest.importorskip("matplotlib")


def test_every_figure_is_drawn_as_svg_and_png(tmp_path):
    names = ["teaching-assistant-evaluation", "parkinsons"]
    grid = chance_grid(names, seeds=(1,))
    steps = chance_grid(names, seeds=(1,), seed=1, method="construct", seconds=0.1)
    paths = all_figures(grid + steps, tmp_path / "new folder")
    expected = {"accuracy_box", "accuracy_sorted", "proved_by_size", "proved_over_time"}
    expected |= {f"fragmentation_{name}" for name in names}
    assert {path.stem for path in paths} == expected
    assert {path.suffix for path in paths} == {".svg", ".png"}
    assert len(paths) == 2 * len(expected) and all(path.stat().st_size > 5000 for path in paths)


def test_without_trials_no_figure_is_drawn(tmp_path):
    assert all_figures([], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_the_same_results_give_the_same_bytes(tmp_path):
    written = [
        [path.read_bytes() for path in save(time_figure([result(is_optimal=True)]), tmp_path / name, "time")]
        for name in "ab"
    ]
    assert written[0] == written[1]


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match=r"cannot be written to .*file"):
        all_figures([result("parkinsons")], tmp_path / "file")


def test_a_figure_that_cannot_be_written_leaves_the_earlier_one_whole(tmp_path, monkeypatch):
    written = all_figures([result("parkinsons")], tmp_path)
    before = [path.read_bytes() for path in written]

    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InvalidInputError, match="No space left on device"):
        all_figures([result("parkinsons", is_optimal=True)], tmp_path)
    assert [path.read_bytes() for path in written] == before
    assert len(list(tmp_path.iterdir())) == len(written)


def test_without_matplotlib_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UnsupportedError, match=r'pip install "oddlearn\[plot\]"'):
        all_figures([], tmp_path)


def test_curves_are_single_runs_on_selected_data_sets_beside_the_papers():
    tuned = [result("parkinsons", seed, split="multivariate", test=0.1 * seed) for seed in (3, 1, 2)]
    others = [result("iris", split="multivariate", test=0.9), result("parkinsons", test=0.9)]
    curves = accuracy_curves(tuned + others, "multivariate")
    assert curves["ODD", "ours"] == pytest.approx([0.1, 0.2, 0.3])
    assert len(curves["ODD", "paper"]) == 90
    assert list(accuracy_curves(tuned + others, "univariate")) == [("ODD", "ours")]
    (ax,) = sorted_figure(tuned).axes
    assert ax.lines[0].get_xdata()[-1] == ax.lines[1].get_xdata()[-1] == 1.0


def test_shares_of_a_data_set_agree_with_a_slow_count():
    grid = chance_grid(["iris", "wine"])
    steps = chance_grid(["iris"], seed=1, method="construct", seconds=0.1)
    starts = {
        (one.trial.seed, one.trial.skeleton, one.trial.is_tree, one.trial.alpha, one.trial.split): one
        for one in steps
    }
    mine = [one for one in grid if (one.trial.dataset, one.trial.split) == ("iris", "univariate")]
    below = []
    for one in mine:
        trial = one.trial
        start = starts[trial.seed, trial.skeleton, trial.is_tree, trial.alpha, trial.split]
        below.append(one.outcome.objective < start.outcome.objective)
    assert proved_shares(grid)["iris", "univariate"] == fmean(one.outcome.is_optimal for one in mine)
    assert improved_shares(grid + steps)["iris", "univariate"] == fmean(below)
    assert ("wine", "univariate") not in improved_shares(grid + steps)


def test_a_gap_is_a_share_of_the_objective():
    assert gap(result(objective=0.2, lower_bound=0.15).outcome) == pytest.approx(0.25)
    assert gap(result(objective=0.2, lower_bound=0.2 - 1e-12, is_optimal=True).outcome) == 0.0
    assert gap(result(objective=0.0, lower_bound=0.0).outcome) == 0.0


def test_a_node_under_two_arcs_is_shared_and_a_class_is_not():
    assert has_shared_node(read_flows(SHARED))
    assert not has_shared_node(read_flows(TREE))
    assert not has_shared_node(())


def trees_and_diagrams(flows_by_seed, **given):
    diagrams = [result("monks3", seed, flows=flows, **given) for seed, flows in flows_by_seed.items()]
    return diagrams + [result("monks3", seed, is_tree=True, **given) for seed in flows_by_seed]


def test_tuned_diagrams_with_a_shared_node_are_shown_first():
    contrast = contrast_of(trees_and_diagrams({1: TREE, 2: SHARED, 3: SHARED}), "monks3")
    assert (contrast.odd.trial.seed, contrast.odt.trial.seed) == (2, 2)
    assert contrast.reason == "both tuned on the validation rows"
    assert (contrast.odd.trial.model, contrast.odt.trial.model) == ("ODD", "ODT")


def test_an_untuned_diagram_is_shown_and_named_so_when_no_tuned_one_shares():
    tuned = trees_and_diagrams({1: TREE}, alpha=0.1, validation=0.9)
    others = trees_and_diagrams({1: SHARED}, alpha=0.01, validation=0.5)
    contrast = contrast_of(tuned + others, "monks3")
    assert contrast.odd.trial.alpha == contrast.odt.trial.alpha == 0.01
    assert contrast.reason.startswith("no tuned diagram has a shared node")
    assert contrast_of(tuned, "monks3").reason.endswith("no diagram has a shared node")


def test_a_tree_without_a_diagram_is_no_contrast():
    assert contrast_of([result("monks3", is_tree=True)], "monks3") is None
    assert contrast_of([result("iris")], "monks3") is None


def test_a_pair_that_ran_under_another_setting_only_is_not_shown():
    pair = trees_and_diagrams({1: SHARED}, seconds=60.0)
    assert contrast_of(pair, "monks3") is not None
    assert contrast_of([*pair, *(result(seed=seed) for seed in (1, 2, 3))], "monks3") is None


def test_the_drawing_has_every_node_in_its_layer_and_an_end_for_every_final_arc():
    scene = scene_of(read_flows(SHARED))
    assert scene.row == (0, 1, 1, 2, 2, 2, 3, 3)
    assert scene.codes == (0, 1, 0, 1)
    arcs = sorted((link.start, link.end) for link in scene.links if link.end < 4)
    assert arcs == [(0, 1), (0, 2), (1, 3), (2, 3)]
    for layer in range(4):
        places = sorted(x for x, row in zip(scene.x, scene.row, strict=True) if row == layer)
        assert all(after - before > 0.2 for before, after in pairwise(places))


def test_more_samples_make_a_darker_node():
    assert shade(0.0) == "#ffffff"
    assert shade(1.0) < shade(0.5) < shade(0.25)
