import sys
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest

from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.study.figures import draw_figures, save_figure
from oddlearn.study.figures.fragmentation_figures import (
    build_flow_scene,
    draw_fragmentation_figure,
    select_pair,
)
from oddlearn.study.figures.run_figures import (
    compute_accuracy_curves,
    compute_gap,
    compute_improved_shares,
    compute_proved_shares,
    draw_box_figure,
    draw_size_figure,
    draw_sorted_figure,
    draw_time_figure,
)
from oddlearn.study.flow_text import parse_flows, parse_shape
from tests.described_figures import describe_figure
from tests.stored_texts import compare_text
from tests.study.examples import SHARED, TREE, chance_grid, result

pytest.importorskip("matplotlib")


def test_every_figure_is_drawn_as_svg_and_png(tmp_path):
    names = ["teaching-assistant-evaluation", "parkinsons"]
    grid = chance_grid(names, seeds=(1,))
    steps = chance_grid(names, seeds=(1,), seed=1, method="construct", seconds=0.1)
    paths = draw_figures(grid + steps, tmp_path / "new folder")
    expected = {"accuracy_box", "accuracy_sorted", "proved_by_size", "proved_over_time"}
    expected |= {f"fragmentation_{name}" for name in names}
    assert {path.stem for path in paths} == expected
    assert {path.suffix for path in paths} == {".svg", ".png"}
    assert len(paths) == 2 * len(expected) and all(path.stat().st_size > 5000 for path in paths)


def test_figures_show_what_they_showed(monkeypatch):
    curves = {"ODD": (0.5, 0.7, 0.8, 0.9), "ODT": (0.4, 0.6, 0.8)}  # not the paper's
    monkeypatch.setattr("oddlearn.study.figures.run_figures.read_sorted_accuracy", lambda: curves)
    grid = chance_grid(["teaching-assistant-evaluation", "parkinsons"], seeds=(1, 2))
    steps = chance_grid(["parkinsons"], seeds=(1,), seed=1, method="construct", seconds=0.1)
    results = grid + steps
    drawings = (draw_box_figure, draw_sorted_figure, draw_size_figure, draw_time_figure)
    figures = [draw(results) for draw in drawings]
    figures += [draw_fragmentation_figure(results, "parkinsons"), draw_size_figure(grid)]
    text = "\n\n".join(map(describe_figure, figures))
    compare_text(Path(__file__).with_name("figures.txt"), text)


def test_without_trials_no_figure_is_drawn(tmp_path):
    assert draw_figures([], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_the_same_results_give_the_same_bytes(tmp_path):
    written = [
        [
            path.read_bytes()
            for path in save_figure(draw_time_figure([result(is_optimal=True)]), tmp_path / name, "time")
        ]
        for name in "ab"
    ]
    assert written[0] == written[1]


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match=r"cannot be written to .*file"):
        draw_figures([result("parkinsons")], tmp_path / "file")


def test_a_figure_that_cannot_be_written_leaves_the_earlier_one_whole(tmp_path, monkeypatch):
    written = draw_figures([result("parkinsons")], tmp_path)
    before = [path.read_bytes() for path in written]

    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InvalidInputError, match="No space left on device"):
        draw_figures([result("parkinsons", is_optimal=True)], tmp_path)
    assert [path.read_bytes() for path in written] == before
    assert len(list(tmp_path.iterdir())) == len(written)


def test_without_matplotlib_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UnsupportedError, match=r'pip install "oddlearn\[plot\]"'):
        draw_figures([], tmp_path)


def test_curves_are_single_runs_on_selected_data_sets_beside_the_papers():
    tuned = [result("parkinsons", seed, split="multivariate", test=0.1 * seed) for seed in (3, 1, 2)]
    others = [result("iris", split="multivariate", test=0.9), result("parkinsons", test=0.9)]
    curves = compute_accuracy_curves(tuned + others, "multivariate")
    assert curves["ODD", "ours"] == pytest.approx([0.1, 0.2, 0.3])
    assert len(curves["ODD", "paper"]) == 90
    assert list(compute_accuracy_curves(tuned + others, "univariate")) == [("ODD", "ours")]
    (ax,) = draw_sorted_figure(tuned).axes
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
    assert compute_proved_shares(grid)["iris", "univariate"] == fmean(one.outcome.is_optimal for one in mine)
    assert compute_improved_shares(grid + steps)["iris", "univariate"] == fmean(below)
    assert ("wine", "univariate") not in compute_improved_shares(grid + steps)


def test_a_gap_is_a_share_of_the_objective():
    assert compute_gap(result(objective=0.2, lower_bound=0.15).outcome) == pytest.approx(0.25)
    assert compute_gap(result(objective=0.2, lower_bound=0.2 - 1e-12, is_optimal=True).outcome) == 0.0
    assert compute_gap(result(objective=0.0, lower_bound=0.0).outcome) == 0.0


def test_a_node_under_two_arcs_is_shared_and_a_class_is_not():
    assert not parse_shape(SHARED).is_tree
    assert parse_shape(TREE).is_tree
    assert parse_shape("").is_tree


def trees_and_diagrams(flows_by_seed, **given):
    diagrams = [result("monks3", seed, flows=flows, **given) for seed, flows in flows_by_seed.items()]
    return diagrams + [result("monks3", seed, is_tree=True, **given) for seed in flows_by_seed]


def test_tuned_diagrams_with_a_shared_node_are_shown_first():
    pair = select_pair(trees_and_diagrams({1: TREE, 2: SHARED, 3: SHARED}), "monks3")
    assert (pair.odd.trial.seed, pair.odt.trial.seed) == (2, 2)
    assert pair.reason == "both tuned on the validation rows"
    assert (pair.odd.trial.model, pair.odt.trial.model) == ("ODD", "ODT")


def test_an_untuned_diagram_is_shown_and_named_so_when_no_tuned_one_shares():
    tuned = trees_and_diagrams({1: TREE}, alpha=0.1, validation=0.9)
    others = trees_and_diagrams({1: SHARED}, alpha=0.01, validation=0.5)
    pair = select_pair(tuned + others, "monks3")
    assert pair.odd.trial.alpha == pair.odt.trial.alpha == 0.01
    assert pair.reason.startswith("no tuned diagram has a shared node")
    assert select_pair(tuned, "monks3").reason.endswith("no diagram has a shared node")


def test_a_tree_without_a_diagram_is_no_contrast():
    assert select_pair([result("monks3", is_tree=True)], "monks3") is None
    assert select_pair([result("iris")], "monks3") is None


def test_a_pair_that_ran_under_another_setting_only_is_not_shown():
    pair = trees_and_diagrams({1: SHARED}, seconds=60.0)
    assert select_pair(pair, "monks3") is not None
    assert select_pair([*pair, *(result(seed=seed) for seed in (1, 2, 3))], "monks3") is None


def test_the_drawing_has_every_node_in_its_layer_and_an_end_for_every_final_arc():
    scene = build_flow_scene(parse_flows(SHARED), 2)
    assert [box.content.class_code for box in scene.boxes] == [None] * 4 + [0, 1, 0, 1]
    heights = sorted({box.y for box in scene.boxes})
    assert [heights.index(box.y) for box in scene.boxes] == [0, 1, 1, 2, 2, 2, 3, 3]
    arcs = sorted((band.start, band.end) for band in scene.bands if band.end < 4)
    assert arcs == [(0, 1), (0, 2), (1, 3), (2, 3)]
    for height in heights:
        row = sorted((box for box in scene.boxes if box.y == height), key=lambda box: box.x)
        assert all(before.left + before.width < after.left for before, after in pairwise(row))


def test_a_node_shows_its_share_of_the_samples():
    scene = build_flow_scene(parse_flows(SHARED), 2)
    assert [box.content.lines for box in scene.boxes[:4]] == [("100 %",), ("38 %",), ("62 %",), ("50 %",)]


def test_a_classifier_without_nodes_has_a_title_and_no_drawing(tmp_path):
    assert build_flow_scene((), 2) is None
    pair = [result("monks3", flows="", n_nodes=0, is_tree=is_tree) for is_tree in (False, True)]
    figure = draw_fragmentation_figure(pair, "monks3")
    assert [ax.get_title().splitlines()[1] for ax in figure.axes] == 2 * [
        "no split: one class for every sample"
    ]
    assert all(path.stat().st_size > 1000 for path in save_figure(figure, tmp_path, "none"))
