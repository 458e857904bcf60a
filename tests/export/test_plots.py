import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    from_json,
    plot_diagram,
    plot_fragmentation,
    plot_history,
)
from oddlearn.errors import InvalidInputError, UnsupportedError
from tests.diagram.drawings import crossed
from tests.export.examples import drawn

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def model():
    model = OptimalDecisionDiagramClassifier("1-2-4", alpha=0.01, max_iter=5, random_state=0)
    return model.fit(IRIS, SPECIES)


def words(ax):
    """Return all lines of text in a picture, and the artists they are drawn by."""
    named = {artist: artist.get_gid() for artist in ax.patches if artist.get_gid()}
    return {artist: name for artist, name in named.items() if not name.startswith("arc ")}


def arcs(ax):
    return [artist for artist in ax.patches if (artist.get_gid() or "").startswith("arc ")]


@pytest.mark.parametrize("seed", range(3))
def test_every_node_class_and_arc_is_drawn(seed):
    diagram, metadata, X = drawn(seed)
    ax = plot_diagram(diagram, metadata, X)
    written = list(words(ax).values())
    for node in range(diagram.n_nodes):
        assert sum(line.split(" · ")[0] == f"node {node}" for line in written) == 1
    assert {"one", "<two>", "three"} <= set(written)
    assert len(arcs(ax)) == diagram.n_arcs


def test_arcs_are_as_wide_as_samples_take_them():
    diagram, metadata, X = drawn(0)
    widths = [arc.get_linewidth() for arc in arcs(plot_diagram(diagram, metadata, X))]
    flows = metadata.arc_weights.sum(axis=1)
    assert (np.diff(np.array(widths)[np.argsort(flows)]) >= 0).all()


@pytest.mark.parametrize("size", [(20, 12), (3, 2), (2, 9)])
def test_the_picture_fits_into_axes_of_any_size(size):
    diagram, metadata, X = drawn(4, widths=(1, 2, 4, 4))
    ax = plot_diagram(diagram, metadata, X, ax=pyplot.figure(figsize=size).add_subplot())
    room = ax.get_window_extent()
    for patch in words(ax):
        extent = patch.get_window_extent()
        assert room.x0 <= extent.x0 <= extent.x1 <= room.x1
        assert room.y0 <= extent.y0 <= extent.y1 <= room.y1


def test_letters_are_no_wider_than_their_boxes_were_made_for():
    from matplotlib.textpath import TextPath

    from oddlearn.view.text_metrics import text_width

    for text in ("Mean Width of WWW @ 100 %", "illicit", "0.12345 >= -1e-05", "Ångström · µ…", "iris_Setosa"):
        assert np.ptp(TextPath((0, 0), text, size=13).vertices[:, 0]) <= text_width(text, 13)


def test_dollar_signs_are_no_formulas():
    diagram, metadata, X = drawn(0, "univariate", names=("$a$", "b$", "$\\frac$", "d"))
    assert any("$" in line for line in words(plot_diagram(diagram, metadata, X)).values())


def test_a_diagram_without_notes_is_drawn_too():
    assert len(arcs(plot_diagram(crossed()))) == 8


def test_the_history_ends_at_objective_and_bound(model):
    for given in (model, from_json(model.to_json())):
        objective, bound = plot_history(given).get_lines()
        assert objective.get_ydata()[-1] == model.history_["objective"][-1]
        assert bound.get_ydata()[-1] == model.history_["lower_bound"][-1]


def test_what_has_no_history_is_refused():
    with pytest.raises(InvalidInputError, match="no history"):
        plot_history(crossed())


def test_fragmentation_shows_the_share_of_every_node(model):
    tree = OptimalDecisionTreeClassifier(2, alpha=0.01, max_iter=5, random_state=0).fit(IRIS, SPECIES)
    for X in (None, IRIS):
        axes = plot_fragmentation(model, tree, X)
        for ax, shown in zip(axes, (model, tree), strict=True):
            boxes = [line for line in words(ax).values() if line.endswith("%")]
            assert len(boxes) == shown.n_nodes_ + (shown.diagram_.arc_class >= 0).sum()
            assert "100 %" in boxes
            assert f"{shown.n_nodes_} node" in ax.get_title()


def test_a_figure_of_two_diagrams_is_as_high_as_the_higher_one():
    options = {"node_price": 0.0, "max_iter": 5, "random_state": 0}
    low, high = (OptimalDecisionTreeClassifier(depth, **options).fit(IRIS, SPECIES) for depth in (1, 3))
    heights = [plot_fragmentation(*pair)[0].figure.get_figheight() for pair in ((low, high), (high, high))]
    assert heights[0] == heights[1] > plot_fragmentation(low, low)[0].figure.get_figheight()


def test_without_matplotlib_a_sentence_says_what_is_missing(monkeypatch, model):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (plot_diagram, plot_history, lambda given: plot_fragmentation(given, given)):
        with pytest.raises(UnsupportedError, match=r"oddlearn\[plot\]"):
            draw(model)
