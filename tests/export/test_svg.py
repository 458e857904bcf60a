from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from oddlearn import export_svg
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.view.conditions import condition_text
from oddlearn.view.node_labels import FONT_SIZE
from oddlearn.view.rounding import round_splits
from oddlearn.view.scene import PICTURE
from oddlearn.view.text_metrics import text_width
from tests.export.examples import drawn

SVG = "{http://www.w3.org/2000/svg}"


def numbers(element, *names):
    return tuple(float(element.get(name)) for name in names)


def boxes(text):
    """Return x, y, width and height of the box of every node and end."""
    groups = ElementTree.fromstring(text).findall(f"{SVG}g[@data-node]")
    groups += ElementTree.fromstring(text).findall(f"{SVG}g[@data-end]")
    return [numbers(group.find(f"{SVG}rect"), "x", "y", "width", "height") for group in groups]


def lettering(text):
    """Return x, y, width and height of every line of text, as wide as its font may be."""
    found = []
    for line in ElementTree.fromstring(text).iter(f"{SVG}text"):
        size = PICTURE.small_font if line.get("class") in ("small", "side") else FONT_SIZE
        x, y = numbers(line, "x", "y")
        width = text_width(line.text or "", size)
        left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[line.get("text-anchor")] * width
        found.append((left, y - 0.75 * size, width, size))
    return found


def overlap(one, other):
    (x, y, width, height), (u, v, breadth, tallness) = one, other
    return x + width > u + 0.2 and u + breadth > x + 0.2 and y + height > v + 0.2 and v + tallness > y + 0.2


@pytest.mark.parametrize("kind", ["univariate", "mixed"])
@pytest.mark.parametrize("seed", range(10))
def test_no_two_boxes_and_no_two_texts_overlap_and_all_are_inside(seed, kind):
    diagram, metadata, X = drawn(seed, kind, widths=(1, 2, 4, 4))
    text = export_svg(diagram, metadata, X)
    assert len(boxes(text)) == diagram.n_nodes + (diagram.arc_class >= 0).sum()
    for found in (boxes(text), lettering(text)):
        assert not any(overlap(one, other) for one, other in combinations(found, 2))
    whole = numbers(ElementTree.fromstring(text), "width", "height")
    for x, y, width, height in boxes(text) + lettering(text):
        assert 0 <= x <= x + width <= whole[0]
        assert 0 <= y <= y + height <= whole[1]


def test_large_numbers_beside_the_arcs_of_small_boxes_have_their_room():
    diagram, metadata, _ = drawn(0, "univariate", widths=(1, 2, 4, 4), names=("a", "b", "c", "d"))
    many = ModelMetadata(metadata.feature_names, metadata.class_labels, 1234567 * metadata.arc_weights)
    found = lettering(export_svg(diagram, many))
    assert not any(overlap(one, other) for one, other in combinations(found, 2))


@pytest.mark.parametrize("seed", range(5))
def test_every_arc_is_drawn_and_the_wider_the_more_samples_take_it(seed):
    diagram, metadata, X = drawn(seed)
    arcs = ElementTree.fromstring(export_svg(diagram, metadata, X)).findall(f"{SVG}g[@data-arc]")
    assert [int(arc.get("data-arc")) for arc in arcs] == list(range(diagram.n_arcs))
    lines = [arc.findall(f"{SVG}path") for arc in arcs]
    assert [len(paths) for paths in lines] == [1] * diagram.n_arcs
    widths = np.array([float(path.get("stroke-width")) for (path,) in lines])
    flows = metadata.arc_weights.sum(axis=1)
    assert (np.diff(widths[np.argsort(flows)]) >= 0).all()
    assert [arc.get("class") for arc in arcs] == ["arc no", "arc yes"] * diagram.n_nodes


def test_every_condition_is_in_a_tooltip_whole():
    diagram, metadata, X = drawn(1)
    root = ElementTree.fromstring(export_svg(diagram, metadata, X))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    shown = round_splits(diagram, X, digits=4)
    assert titles[: diagram.n_nodes] == [
        f"node {n}: {condition_text(s, metadata)}" for n, s in enumerate(shown)
    ]


def test_every_class_is_in_the_legend():
    diagram, metadata, X = drawn(1)
    root = ElementTree.fromstring(export_svg(diagram, metadata, X))
    lines = [line.text for line in root.findall(f"{SVG}text")]
    assert {"one", "<two>", "three"} <= set(lines)
    assert len(root.findall(f"{SVG}rect[@class='swatch']")) == 3


def test_the_bar_of_a_node_has_the_shares_of_its_classes():
    diagram, metadata, X = drawn(1)
    group = ElementTree.fromstring(export_svg(diagram, metadata, X)).find(f"{SVG}g[@data-node]")
    widths = [float(bar.get("width")) for bar in group.findall(f"{SVG}rect[@class='share']")]
    weights = metadata.arc_weights[:2].sum(axis=0)
    assert np.array(widths) / sum(widths) == pytest.approx(weights / weights.sum(), abs=0.01)


def test_what_is_not_known_is_not_drawn():
    diagram, metadata, _ = drawn(1)
    assert 'class="share"' in export_svg(diagram, metadata)
    bare = export_svg(diagram)
    assert 'class="share"' not in bare
    assert "nan" not in bare
    assert "right" not in bare
    assert "training" not in bare


def test_the_legend_says_what_is_counted_rounded_and_left_out():
    diagram, metadata, X = drawn(1, "multivariate")
    assert "rounded" in export_svg(diagram, metadata)
    assert "rounded" not in export_svg(*drawn(1, "univariate"))
    assert "Numbers are training samples" in export_svg(diagram, metadata, X)
    weighted = ModelMetadata(metadata.feature_names, metadata.class_labels, 2.3 * metadata.arc_weights)
    assert "Numbers are training weight" in export_svg(diagram, weighted, X)


def test_the_constant_diagram_is_one_box():
    text = export_svg(DecisionDiagram.constant(1, 2, 1), ModelMetadata(None, ("a", "b"), np.array([[1, 2]])))
    assert len(boxes(text)) == 1
    assert "2 of 3 right" in text
