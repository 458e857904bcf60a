import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddlearn import (
    DemographicParity,
    OptimalDecisionDiagramClassifier,
    export_dot,
    export_plane,
    export_svg,
    from_json,
    plot_diagram,
)
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
    diagram, metadata, X = drawn(1)
    wanted = dict(zip(("one", "<two>", "three"), class_colours(3), strict=True))
    svg = export_svg(diagram, metadata, X)
    swatches = re.findall(r'class="swatch" style="fill:(#\w+)"', svg)
    assert swatches == list(wanted.values())
    ends = re.findall(r'label="([^"\\]+)\\n[^"]*right".*fillcolor="(#\w+)"', export_dot(diagram, metadata, X))
    assert len(ends) == len(diagram.final_arcs)
    assert all(fill == wanted[label] for label, fill in ends)
    page = html_page(diagram, X, metadata=metadata)
    rules = dict(re.findall(r"\.c(\d)\{fill:(#\w+)", page))
    assert [rules[str(code)] for code in range(3)] == list(wanted.values())
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = plot_diagram(diagram, metadata, X)
    fills = {matplotlib.colors.to_hex(patch.get_facecolor()) for patch in ax.patches}
    assert set(wanted.values()) <= fills
    matplotlib.pyplot.close("all")


def test_colours_repeat_beyond_ten_classes():
    assert len(set(class_colours(10))) == 10
    assert np.array_equal(class_colours(12)[10:], CLASS_COLOURS[:2])


FAVOURABLE = [(2, 0), (2, 1), (3, 0), (3, 2), (12, 11)]


@pytest.mark.parametrize(("n_classes", "favourable"), FAVOURABLE)
def test_the_favourable_class_is_blue_and_the_other_of_two_orange(n_classes, favourable):
    colours = class_colours(n_classes, favourable)
    assert colours[favourable] == CLASS_COLOURS[0]
    assert n_classes > 2 or colours[1 - favourable] == CLASS_COLOURS[1]
    assert len(set(colours)) == min(n_classes, 10)


def hirings(**options):
    """Return a model whose constraint has a favourable class, its rows and labels."""
    random = np.random.default_rng(0)
    X, sex = random.random((200, 2)), random.choice(["f", "m"], 200)
    y = np.where(X[:, 0] > 0.5, "hired", "refused")
    parity = DemographicParity(0.5, **options)
    model = OptimalDecisionDiagramClassifier("1-2", constraints=[parity], max_iter=5, random_state=0)
    return model.fit(X, y, sensitive_features=sex), X, y


def test_pictures_and_page_take_the_favourable_class_of_a_constraint_also_from_a_file():
    model, X, y = hirings(favourable="hired")
    blue, orange = CLASS_COLOURS[:2]
    assert class_colours(2, hirings()[0].metadata_.favourable_class) == (orange, blue)
    for one in (model, from_json(model.to_json()), make_pipeline(StandardScaler(), clone(model))):
        if hasattr(one, "steps"):
            one.fit(X, y, **{f"{one.steps[-1][0]}__sensitive_features": np.arange(200) % 2})
        svg = export_svg(one)
        assert re.findall(r'class="swatch" style="fill:(#\w+)"', svg) == [blue, orange]
        assert f'fill="{blue}"' in export_plane(one, X, y).split("hired")[0]
        assert dict(re.findall(r"\.c(\d)\{fill:(#\w+)", html_page(one, X, y)))["0"] == blue
        page = html_page(one, X, y, favourable="refused")
        assert dict(re.findall(r"\.c(\d)\{fill:(#\w+)", page))["0"] == orange
