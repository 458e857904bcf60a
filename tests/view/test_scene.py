from itertools import combinations

import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.view.arc_flows import sample_flows
from oddlearn.view.inputs import ModelView
from oddlearn.view.node_labels import FONT_SIZE, label_nodes
from oddlearn.view.number_text import share_text
from oddlearn.view.pictures import node_share_scene, page_scene, picture_scene
from oddlearn.view.predictions import predict_rows
from oddlearn.view.text_metrics import text_width
from tests.report.pages import drawn


def overlap(one, other):
    """Return True when two rectangles (x, y, width, height) share a point."""
    (x, y, width, height), (u, v, breadth, tallness) = one, other
    return x < u + breadth and u < x + width and y < v + tallness and v < y + height


def built(seed, names=None, style="page"):
    """Return a scene and the flows in it."""
    diagram, metadata, X, y = drawn(seed, names=names)
    view = ModelView(diagram, metadata)
    flows = sample_flows(diagram, metadata, predict_rows(diagram, metadata.class_labels, X, y))
    if style == "picture":
        return picture_scene(view, X), flows
    return page_scene(view, label_nodes(diagram, metadata, X), flows), flows


@pytest.mark.parametrize("style", ["page", "picture"])
@pytest.mark.parametrize("names", [None, ("a", "an income after tax and rent", "W" * 60, "名前" * 20)])
@pytest.mark.parametrize("seed", range(5))
def test_no_boxes_or_labels_overlap_and_all_are_inside(seed, names, style):
    scene, _ = built(seed, names, style)
    taken = [(box.left, box.y, box.width, box.height) for box in scene.boxes]
    for band in scene.bands:
        width = text_width(band.label, scene.style.small_font)
        edge = band.width / 2 + scene.style.label_shift
        x = band.x + edge if band.is_positive else band.x - edge - width
        assert band.label_x == pytest.approx(x if band.is_positive else x + width)
        taken.append((x, band.y + 4, width, 14))
    assert not any(overlap(one, other) for one, other in combinations(taken, 2))
    assert all(x >= 0 and x + width <= scene.width for x, _, width, _ in taken)
    assert all(y >= 0 and y + height <= scene.height for _, y, _, height in taken)


@pytest.mark.parametrize("style", ["page", "picture"])
@pytest.mark.parametrize("seed", range(3))
def test_lines_stay_in_their_boxes(seed, style):
    scene, _ = built(seed, style=style)
    for box in scene.boxes:
        for line in box.texts():
            size = FONT_SIZE if line.role in ("", "label") else scene.style.small_font
            if line.role not in ("number", "below"):
                assert box.y < line.y - 0.5 * size < line.y < box.bottom
            assert text_width(line.text, size) <= box.width
        if box.bars():
            assert max(line.y for line in box.texts()) < box.bars()[0].y
            assert box.bars()[-1].x + box.bars()[-1].width <= box.left + box.width


def test_bands_are_as_wide_as_their_share():
    scene, flows = built(3)
    for band in scene.bands:
        wanted = 46 * flows.arc_weight(band.arc) / flows.total
        assert band.width == pytest.approx(max(1.5, wanted) if wanted else 0)
        assert sum(band.strands) == pytest.approx(band.width)
        assert len(band.outlines()) == len(band.strands)


def test_shares_of_nodes_alone_make_a_picture():
    diagram, metadata, X, _ = drawn(1)
    shares = diagram.route(X).reached.mean(axis=0)
    scene = node_share_scene(ModelView(diagram, metadata), shares)
    lines = [box.content.lines for box in scene.boxes]
    assert lines[: diagram.n_nodes] == [(share_text(float(share)),) for share in shares]
    assert {line for (line,) in lines[diagram.n_nodes :]} <= {"one", "two", "three"}
    assert {band.width for band in scene.bands} == {1.0}


def test_final_arcs_and_used_features_are_those_of_the_splits_and_arcs():
    diagram, _, _, _ = drawn(0)
    assert diagram.final_arcs == tuple(arc for arc, code in enumerate(diagram.arc_class) if code >= 0)
    used = {feature for split in diagram.splits for feature in range(4) if split.dense_weights(4)[feature]}
    assert diagram.used_features == tuple(sorted(used))
    constant = DecisionDiagram.constant(1, 2, 3)
    assert (constant.final_arcs, constant.used_features) == ((0,), ())
