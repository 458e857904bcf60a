"""The page in a real browser: Debian's Chromium, driven by Playwright."""

import re

import numpy as np
import pandas as pd
import pytest

from oddlearn import DecisionDiagram, OptimalDecisionDiagramClassifier
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit
from tests.report.pages import NASTY, coloured, drawn, lacking, noted

# what the reader sees, row by row: the class the page gives to each sample that can be picked
PREDICTIONS = """() => {
  const list = document.getElementById("row");
  return [...list.options].slice(1).map((option) => {
    list.value = option.value;
    list.dispatchEvent(new Event("change"));
    return document.getElementById("result").dataset.predicted;
  });
}"""

LIT = """(kind) => [...document.querySelectorAll(`#diagram.following .lit[data-${kind}]`)]
  .map((element) => Number(element.dataset[kind])).sort((a, b) => a - b)"""

# texts that leave the box they stand in
SPILLED = """() => [...document.querySelectorAll(".node, .end")].flatMap((group) => {
  const box = group.querySelector(".box").getBBox();
  return [...group.querySelectorAll("text:not(.number)")].filter((text) => {
    const { x, width } = text.getBBox();
    return x < box.x || x + width > box.x + box.width;
  }).map((text) => text.textContent);
})"""

# names of terms in the details that are broken inside a word: higher than their words need
BROKEN_WORDS = """() => [...document.querySelectorAll("#details .terms th:not(:empty)")].filter((cell) => {
  const [line, words] = [parseFloat(getComputedStyle(cell).lineHeight), cell.textContent.split(" ").length];
  return cell.scrollWidth > cell.clientWidth || cell.clientHeight > line * (words + 0.9);
}).map((cell) => cell.textContent)"""


def test_a_node_tells_its_rule_its_samples_and_its_classes_when_clicked(opened):
    diagram, metadata, X, y = drawn(0, "univariate")
    page = opened(diagram, X, y, metadata=metadata)
    page.locator('[data-node="0"]').click()
    told = page.locator("#details").inner_text()
    assert "Node 0" in told
    assert f"{len(X)} training samples (100.0 % of all)" in told
    assert all(f"{(y == label).sum()} · " in told for label in metadata.class_labels)
    assert metadata.feature_names[diagram.splits[0].feature] in told
    page.mouse.move(0, 0)
    assert "Node 0" in page.locator("#details").inner_text()
    page.locator('[data-node="1"]').hover()
    assert "Node 1" in page.locator("#details").inner_text()
    page.locator("#close").click()
    assert "Point at a node" in page.locator("#details").inner_text()


@pytest.mark.parametrize("kind", ["univariate", "multivariate", "mixed"])
def test_every_row_is_given_the_class_that_predict_gives_it_ties_included(opened, kind):
    diagram, metadata, X, y = drawn(5, kind)
    page = opened(diagram, X, y, metadata=metadata)
    assert page.evaluate(PREDICTIONS) == [metadata.class_labels[code] for code in diagram.predict(X)]


def test_rows_with_categories_and_booleans_are_followed_through_the_form(opened):
    diagram, metadata, X, y = coloured()
    page = opened(diagram, X, y, metadata=metadata)
    assert page.evaluate(PREDICTIONS) == [metadata.class_labels[code] for code in diagram.predict(X)]
    page.get_by_label("colour", exact=True).select_option("blue")
    page.get_by_label("size", exact=True).fill("0.5")
    assert page.locator("#result .verdict").inner_text().startswith("yes, ")  # 0.25 + 1 >= 1.25
    page.get_by_label("colour", exact=True).select_option("green")
    assert page.locator("#result .verdict").inner_text().startswith("no, ")
    page.get_by_label("size", exact=True).fill("")
    assert "Fill in every field" in page.locator("#result").inner_text()


def test_an_empty_field_is_a_missing_value(opened):
    diagram, metadata, X, y = lacking()
    page = opened(diagram, X, y, metadata=metadata)
    assert page.evaluate(PREDICTIONS) == [metadata.class_labels[code] for code in diagram.predict(X)]
    page.get_by_label("age", exact=True).fill("50")
    page.get_by_label("pay", exact=True).fill("")
    assert page.locator("#result .verdict").inner_text().startswith("yes, ")
    assert "yes, pay >= 2 or missing (it is missing)" in page.locator("#result").inner_text()
    page.get_by_label("age", exact=True).fill("")
    page.get_by_label("owner", exact=True).select_option("true")
    assert page.locator("#result .verdict").inner_text().startswith("no, ")
    page.get_by_label("owner", exact=True).select_option("missing")
    assert page.locator("#result .verdict").inner_text().startswith("yes, ")


def test_dates_are_typed_as_dates(opened):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "joined": np.datetime64("2021-03-04") + random.integers(0, 300, 80),
            "seen": np.datetime64("2021-03-04T05:06:07", "us") + random.integers(0, 10**9, 80),
            "wait": random.integers(0, 10**7, 80).astype("m8[us]"),
        }
    )
    labels = (frame.joined > frame.joined[3]) ^ (frame.seen > frame.seen[5]) ^ (frame.wait > frame.wait[7])
    model = OptimalDecisionDiagramClassifier("1-2-4", alpha=0.001, max_iter=50, random_state=0)
    model.fit(frame, labels)
    page = opened(model, frame, labels)
    assert page.evaluate(PREDICTIONS) == [str(label) for label in model.predict(frame)]
    page.get_by_label("joined", exact=True).fill("2021-05-06")
    page.get_by_label("seen", exact=True).fill("2021-03-04 05:06:07.5")
    assert page.locator("#result .verdict").count() == 1
    page.get_by_label("joined", exact=True).fill("soon")
    assert "Fill in every field" in page.locator("#result").inner_text()
    days = {"joined": r"2021-\d\d-\d\d", "seen": r"2021-03-\d\d \d\d:\d\d.*", "wait": r"00:00.*"}
    for node, split in enumerate(model.diagram_.splits):
        page.locator(f'[data-node="{node}"]').click()
        ends = page.locator("#details .histogram text").all_text_contents()
        assert all(re.fullmatch(days[frame.columns[split.feature]], text) for text in ends)
        line = float(page.locator("#details .threshold").get_attribute("x1"))
        assert 0 < line < 320


def test_the_path_of_a_sample_lights_up(opened):
    diagram, metadata, X, y = drawn(1)
    page = opened(diagram, X, y, metadata=metadata)
    trace = diagram.route(X)
    size = page.locator("#diagram").bounding_box()
    for row in (0, 7, 30):
        page.locator("#row").select_option(str(row))
        nodes = np.flatnonzero(trace.reached[[row]].toarray()[0])
        assert page.evaluate(LIT, "node") == nodes.tolist()
        assert page.evaluate(LIT, "end") == [trace.final_arc[row]]
        assert len(page.evaluate(LIT, "arc")) == len(nodes)
        assert page.locator("#result .steps li").count() == len(nodes)
        share = metadata.probabilities(diagram)[trace.final_arc[row], trace.predicted[row]]
        assert f"{100 * share:.1f} %" in page.locator("#result .verdict").inner_text()
    page.locator("#next").click()
    assert page.locator("#row").input_value() == "31"
    page.locator("#clear").click()
    assert page.locator(".lit").count() == 0
    assert page.locator("#diagram").bounding_box()["width"] == size["width"]


def test_only_wrong_samples_can_be_listed(opened):
    diagram, metadata, X, y = drawn(2)
    page = opened(diagram, X, y, metadata=metadata)
    page.locator("#wrong").check()
    wrong = sum(
        metadata.class_labels[code] != label for code, label in zip(diagram.predict(X), y, strict=True)
    )
    assert page.locator("#row option").count() == 1 + wrong
    page.locator("#previous").click()
    assert "Wrong: its class is" in page.locator("#result").inner_text()


def test_the_keyboard_reaches_everything(opened):
    diagram, metadata, X, y = drawn(3)
    page = opened(diagram, X, y, metadata=metadata)
    page.locator("#canvas").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.node") == "0"
    assert "Node 0" in page.locator("#details").inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator('[data-node="1"]').get_attribute("aria-pressed") == "true"
    page.keyboard.press(" ")
    assert page.locator('[data-node="1"]').get_attribute("aria-pressed") == "false"
    page.keyboard.press("Enter")
    page.locator("#row").select_option("4")
    page.keyboard.press("Escape")
    assert page.locator('[aria-pressed="true"]:not(button)').count() == 0
    assert page.locator(".lit").count() == 0
    width = "getComputedStyle(document.activeElement.querySelector('.box')).strokeWidth"
    page.locator("#canvas").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(width) == "4px"


def test_every_entry_and_button_has_a_name(opened):
    diagram, metadata, X, y = coloured()
    page = opened(diagram, X, y, metadata=metadata)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, [role=button]")].filter((element) =>
          !element.labels?.length && !element.ariaLabel && !element.textContent.trim()).length"""
    )
    assert nameless == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_the_readers_and_can_be_turned(opened, scheme):
    diagram, metadata, _, _ = drawn(0)
    page = opened(diagram, metadata=metadata, view={"color_scheme": scheme})
    paper = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == paper[scheme]
    page.locator("#theme").click()
    other = "dark" if scheme == "light" else "light"
    assert page.evaluate(ground) == paper[other]
    page.emulate_media(media="print")
    assert page.evaluate(ground) == paper["light"]


def test_on_a_phone_the_diagram_scrolls_and_the_page_does_not(opened):
    diagram, metadata, X, y = drawn(4)
    view = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
    page = opened(diagram, X, y, metadata=metadata, view=view, sensitive_features=y)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("document.getElementById('canvas').scrollWidth") <= 390
    page.locator('[data-node="0"]').tap()
    assert page.locator("#details").bounding_box()["y"] > 300  # a sheet at the bottom
    page.locator("#close").tap()
    page.locator("#actual").tap()
    assert page.evaluate("document.getElementById('canvas').scrollWidth") > 390


def test_nasty_names_run_nothing(opened):
    diagram, metadata, X, y = drawn(0)
    bad = ModelMetadata(NASTY, NASTY[:3], metadata.arc_weights)
    labels = [NASTY[metadata.class_labels.index(label)] for label in y]
    page = opened(diagram, X, labels, metadata=bad, title=NASTY[1], sensitive_features={NASTY[0]: labels})
    page.locator('[data-node="0"]').click()
    page.locator("#row").select_option("3")
    assert page.evaluate("window.injected") is None
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == NASTY[1]


def test_no_text_leaves_its_box_whatever_the_names(opened):
    names = ("W" * 31, "mean of ΣΔΩ — größe", "特徴量の名前がとても長い場合の表示", "%%%&&&@@@")
    for kind in ("univariate", "multivariate"):
        diagram, metadata, X, y = drawn(6, kind, names, ("M" * 28, "クラス", "w"))
        assert opened(diagram, X, y, metadata=metadata).evaluate(SPILLED) == []


def test_a_sum_of_thirty_terms_is_listed_in_full_on_a_click(opened):
    random = np.random.default_rng(0)
    X = random.random((60, 30))
    diagram = DecisionDiagram((MultivariateSplit(1e-4 * random.normal(size=30), 1e-5),), [1], [2], [0], 2, 30)
    metadata = noted(diagram, X, diagram.predict(X), tuple(f"concentration of {n}" for n in range(30)))
    page = opened(diagram, X, diagram.predict(X), metadata=metadata)
    assert "smaller terms" in page.locator('[data-node="0"]').text_content()
    page.locator('[data-node="0"]').click()
    assert page.locator("#details tr").count() == 1 + 30 + 1
    assert page.evaluate(BROKEN_WORDS) == []
    assert page.locator(".terms").evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")
    assert page.evaluate(PREDICTIONS) == [str(code) for code in diagram.predict(X)]


def test_the_constant_diagram_gives_its_class(opened):
    metadata = ModelMetadata(None, ("a", "b"), np.array([[1.0, 2.0]]))
    page = opened(DecisionDiagram.constant(1, 2, 1), [[0.0]], ["b"], metadata=metadata)
    page.get_by_role("button", name="Follow this sample").click()
    assert page.locator("#result .verdict").inner_text().startswith("b, ")
    assert page.evaluate(LIT, "end") == [0]


def test_without_script_and_in_print_the_words_are_all_there(opened):
    diagram, metadata, X, y = drawn(1)
    page = opened(diagram, X, y, metadata=metadata, view={"java_script_enabled": False})
    assert not page.locator("#form").is_visible()
    assert page.locator(".nodes tbody tr").count() == diagram.n_nodes
    page.emulate_media(media="print")
    assert page.locator("#diagram").is_visible()
    assert page.locator(".confusion").is_visible()
    assert not page.locator("#theme").is_visible()
