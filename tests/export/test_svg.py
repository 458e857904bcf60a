from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from oddlearn.diagram import DecisionDiagram, Notes
from oddlearn.export import to_svg
from oddlearn.export.totals import arc_totals
from tests.diagram.drawings import crossed, random_diagram

SVG = "{http://www.w3.org/2000/svg}"


def drawn(seed, kind="mixed"):
    """Return a random diagram, its notes and the rows they tell of."""
    random = np.random.default_rng(seed)
    diagram, X = random_diagram(random, kind=kind), random.random((300, 4))
    weights = np.zeros((diagram.n_arcs, 3))
    np.add.at(weights, (diagram.route(X).final_arc, random.integers(0, 3, 300)), 1.0)
    names = ("a < b", 'say "x"', "&", "long name of a feature")
    return diagram, Notes(names, ("one", "<two>", "three"), weights), X


def boxes(text):
    """Return x, y, width and height of every box but the background."""
    rects = ElementTree.fromstring(text).findall(f".//{SVG}g/{SVG}rect")
    return [tuple(float(rect.get(name)) for name in ("x", "y", "width", "height")) for rect in rects]


@pytest.mark.parametrize("seed", range(20))
def test_no_two_boxes_overlap_and_all_are_inside(seed):
    diagram, notes, X = drawn(seed)
    text = to_svg(diagram, notes, X)
    found = boxes(text)
    assert len(found) == diagram.n_nodes + (diagram.arc_class >= 0).sum()
    for (x, y, width, height), (u, v, breadth, tallness) in combinations(found, 2):
        assert x + width <= u + 0.2 or u + breadth <= x + 0.2 or y + height <= v or v + tallness <= y
    root = ElementTree.fromstring(text)
    assert all(x >= 0 and x + width <= float(root.get("width")) for x, _, width, _ in found)
    assert all(y + height <= float(root.get("height")) for _, y, _, height in found)


def test_every_split_is_named_and_names_are_escaped():
    diagram, notes, X = drawn(1, "univariate")
    titles = [title.text for title in ElementTree.fromstring(to_svg(diagram, notes, X)).iter(f"{SVG}title")]
    assert titles[: diagram.n_nodes] == [split.describe(notes.feature_names) for split in diagram.splits]


def test_the_constant_diagram_is_one_box():
    text = to_svg(DecisionDiagram.constant(1, 2, 1), Notes(None, ("a", "b"), np.array([[1, 2]])))
    assert len(boxes(text)) == 1
    assert "2 of 3 right" in text


@pytest.mark.parametrize("seed", range(10))
def test_totals_from_notes_agree_with_counting_wherever_they_are_known(seed):
    diagram, notes, X = drawn(seed)
    known, counted = arc_totals(diagram, notes), arc_totals(diagram, notes, X)
    assert (known[diagram.arc_class >= 0] == counted[diagram.arc_class >= 0]).all()
    assert (np.isnan(known) | (known == counted)).all()


def test_arcs_to_a_shared_node_are_unknown_without_rows():
    # node 3 is shared: arcs 2 (from node 1) and 5 (from node 2)
    weights = np.array([[0, 0], [0, 0], [0, 0], [1, 4], [5, 0], [0, 0], [2, 1], [0, 3]])
    total = arc_totals(crossed(), Notes(None, ("a", "b"), weights))
    assert np.flatnonzero(np.isnan(total)).tolist() == [0, 1, 2, 5]


@pytest.mark.parametrize("seed", range(10))
def test_arcs_of_weighted_samples_show_weights_as_the_terminals_do(seed):
    diagram, notes, X = drawn(seed)
    doubled = Notes(notes.feature_names, notes.class_labels, 2.5 * notes.arc_weights)
    known = arc_totals(diagram, doubled, X)
    assert np.array_equal(known, arc_totals(diagram, doubled), equal_nan=True)
    text = to_svg(diagram, doubled, X)
    assert "numbers are training weight" in text
    assert "numbers are training samples" in to_svg(diagram, notes, X)
    assert "numbers are training weight" in to_svg(diagram, notes)


def test_the_legend_tells_of_rounding_where_sums_are_shown():
    assert "rounded" in to_svg(*drawn(1, "multivariate"))
    assert "rounded" not in to_svg(*drawn(1, "univariate"))
