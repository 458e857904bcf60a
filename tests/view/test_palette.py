import re

import numpy as np
import pytest

from oddlearn import export_dot, export_svg, plot_diagram
from oddlearn.report import html_page
from oddlearn.report.theme import DARK, LIGHT
from oddlearn.view.palette import CLASS_COLOURS, class_colours, contrast, text_colour
from tests.export.examples import drawn


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground_of_both_themes(theme):
    for ground in ("paper", "card"):
        for text in ("text", "muted", "accent", "good", "bad", "open"):
            assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground)
        assert contrast(theme["edge"], theme[ground]) >= 3
    # the words of the main button stand on the accent
    assert contrast(theme["paper"], theme["accent"]) >= 4.5


@pytest.mark.parametrize("colour", CLASS_COLOURS)
def test_class_colours_stand_out_on_both_papers_and_carry_text(colour):
    assert contrast(colour, LIGHT["paper"]) >= 3
    assert contrast(colour, DARK["paper"]) >= 3
    assert contrast(colour, text_colour(colour)) >= 4.5


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == 21
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_a_class_has_the_same_colour_in_every_picture_and_on_the_page():
    diagram, notes, X = drawn(1)
    wanted = dict(zip(("one", "<two>", "three"), class_colours(3), strict=True))
    svg = export_svg(diagram, notes, X)
    swatches = re.findall(r'class="swatch" style="fill:(#\w+)"', svg)
    assert swatches == list(wanted.values())
    ends = re.findall(r'label="([^"\\]+)\\n[^"]*right".*fillcolor="(#\w+)"', export_dot(diagram, notes, X))
    assert len(ends) == len(diagram.final_arcs)
    assert all(fill == wanted[label] for label, fill in ends)
    page = html_page(diagram, X, notes=notes)
    rules = dict(re.findall(r"\.c(\d)\{fill:(#\w+)", page))
    assert [rules[str(code)] for code in range(3)] == list(wanted.values())
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = plot_diagram(diagram, notes, X)
    fills = {matplotlib.colors.to_hex(patch.get_facecolor()) for patch in ax.patches}
    assert set(wanted.values()) <= fills
    matplotlib.pyplot.close("all")


def test_colours_repeat_beyond_ten_classes():
    assert len(set(class_colours(10))) == 10
    assert np.array_equal(class_colours(12)[10:], CLASS_COLOURS[:2])
