"""The strands of an arc lie side by side, in the order of the classes."""

import numpy as np
import pytest

from oddlearn.view.flow_band import FlowBand

STRANDS = (3.0, 0.0, 2.0, 5.0)


def band(end_x):
    place = {"x": 50.0, "y": 0.0, "turn": 10.0, "end_x": end_x, "end_y": 90.0}
    labels = {"label": "", "label_x": 0.0, "label_y": 0.0}
    return FlowBand(arc=0, start=0, end=1, **place, strands=STRANDS, width=sum(STRANDS), **labels)


@pytest.mark.parametrize("end_x", [50.0, 20.0, 130.0])
def test_strands_begin_and_end_from_left_to_right_in_the_order_of_the_classes(end_x):
    edges = np.concatenate([[0.0], np.cumsum(STRANDS)]) - sum(STRANDS) / 2
    for code, outline in enumerate(band(end_x).outlines()):
        left, right = np.split(outline, 2)
        assert (left[0, 0], right[-1, 0]) == pytest.approx((50 + edges[code], 50 + edges[code + 1]))
        assert (left[-1, 0], right[0, 0]) == pytest.approx((end_x + edges[code], end_x + edges[code + 1]))


@pytest.mark.parametrize("end_x", [-80.0, 50.0, 130.0])
def test_strands_follow_the_bezier_curve_at_their_own_width(end_x):
    outlines, corners = band(end_x).outlines(), band(end_x).control_points()
    assert corners[[0, -1]].tolist() == [[50.0, 10.0], [end_x, 90.0]]
    n_points = len(outlines[0]) // 2
    lines = [outlines[0][:n_points], *(outline[n_points:][::-1] for outline in outlines)]
    for strand, left, right in zip(STRANDS, lines, lines[1:], strict=False):
        np.testing.assert_allclose(np.linalg.norm(left - right, axis=1), strand, atol=1e-9)
    # the middle of the whole band is de Casteljau's point of the curve
    centre = (lines[0] + lines[-1]) / 2
    np.testing.assert_allclose(centre[0], [50.0, 0.0])
    for share, point in zip(np.linspace(0, 1, n_points - 1), centre[1:], strict=True):
        points = corners
        while len(points) > 1:
            points = (1 - share) * points[:-1] + share * points[1:]
        np.testing.assert_allclose(point, points[0], atol=1e-9)
