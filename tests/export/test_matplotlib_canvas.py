"""A scene on matplotlib's axes: the colours of boxes, and widths of lines in axes of any shape."""

import numpy as np
import pytest

from oddlearn.export.matplotlib_canvas import Canvas
from oddlearn.view.inputs import ModelView
from oddlearn.view.palette import NODE_FILL, SOFT_TEXT, class_colours
from oddlearn.view.pictures import picture_scene
from tests.export.examples import drawn

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


def draw_on(size):
    """Return the scene of a diagram and the axes of a figure of this size with it."""
    diagram, metadata, X = drawn(0)
    scene = picture_scene(ModelView(diagram, metadata), X)
    figure = pyplot.figure(figsize=size)
    ax = figure.add_axes((0, 0, 1, 1))
    Canvas(ax, scene, class_colours(diagram.n_classes)).draw()
    figure.canvas.draw()
    pyplot.close(figure)
    return scene, ax


@pytest.mark.parametrize("size", [(12, 3), (3, 12), (6, 6)])
def test_an_arc_is_as_wide_in_points_as_its_band_in_the_picture(size):
    scene, ax = draw_on(size)
    (_, low), (_, high) = ax.transData.transform([(0, 0), (0, 1)])
    points = abs(high - low) * 72 / ax.figure.dpi
    drawn_arcs = {patch.get_gid(): patch for patch in ax.patches}
    for band in scene.bands:
        width = drawn_arcs[f"arc {band.arc}"].get_linewidth()
        assert width == pytest.approx(points * band.width, rel=1e-3)


def test_a_box_has_the_colour_of_its_class_and_a_node_the_one_of_nodes():
    from matplotlib.colors import to_hex
    from matplotlib.patches import FancyBboxPatch

    scene, ax = draw_on((6, 6))
    patches = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    colours = class_colours(3)
    codes = set()
    for box in scene.boxes:
        (patch,) = [
            one
            for one in patches
            if np.allclose((one.get_x(), one.get_y(), one.get_width()), (box.left, box.y, box.width))
        ]
        code = box.content.class_code
        expected = (NODE_FILL, SOFT_TEXT) if code is None else (colours[code], colours[code])
        assert (to_hex(patch.get_facecolor()), to_hex(patch.get_edgecolor())) == expected
        codes.add(code)
    assert codes == {None, 0, 1, 2}
