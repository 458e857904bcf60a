"""The sections under the diagram, as a reader sees them in a browser."""

import re

import numpy as np
import pandas as pd
import pytest

from oddlearn import DemographicParity, OptimalDecisionDiagramClassifier, export_rules, export_svg

RANDOM = np.random.default_rng(1)
LOANS = pd.DataFrame({"income": (RANDOM.random(300) * 0.2).round(4), "debts": RANDOM.integers(0, 9, 300)})
PAID = np.where((LOANS.income > 0.1) | (LOANS.debts < 2), "paid", "defaulted")
PAID[::12] = "paid"
SEX = pd.Series(RANDOM.choice(["f", "m"], 300), name="sex")
TRAIN, TEST = slice(0, 200), slice(200, 300)
COLOUR = "(element) => getComputedStyle(element).fill"


@pytest.fixture(scope="module")
def model():
    parity = DemographicParity(0.5, favourable="paid")
    options = {"constraints": [parity], "node_price": 0.001, "max_iter": 20, "random_state": 0}
    fitted = OptimalDecisionDiagramClassifier("1-2-2", **options)
    return fitted.fit(LOANS[TRAIN], PAID[TRAIN], sensitive_features=SEX[TRAIN])


@pytest.fixture
def page(opened, model):
    groups = {"sensitive_features": SEX[TRAIN], "sensitive_features_test": SEX[TEST]}
    return opened(model, LOANS[TRAIN], PAID[TRAIN], X_test=LOANS[TEST], y_test=PAID[TEST], **groups)


def test_rates_of_groups_stand_there_for_training_and_test_rows(page):
    captions = page.locator(".fairness caption").all_inner_texts()
    assert [caption.split(", ")[1] for caption in captions] == ["training samples", "test samples"]
    assert all("“paid”" in caption and "sex" in caption for caption in captions)
    assert page.locator(".fairness").nth(1).locator("tbody th").all_inner_texts()[:2] == ["f", "m"]


def test_metrics_stand_beside_those_of_a_constant_and_above_the_confusion_matrices(page, model):
    table = page.get_by_role("region", name="Metrics")
    heads = [text.replace("\n", " ") for text in table.locator("thead th").all_inner_texts()]
    assert heads == ["", "Training samples", "always paid", "Test samples", "always paid"]
    (row,) = [text for text in table.locator("tbody tr").all_inner_texts() if text.startswith("accuracy")]
    shown = [float(share) for share in re.findall(r"([\d.]+) %", row)]
    scores = [model.score(LOANS[part], PAID[part]) for part in (TRAIN, TEST)]
    assert shown[::2] == pytest.approx([100 * score for score in scores], abs=0.051)
    assert page.locator(".confusion").count() == 2


def test_columns_are_ranked_and_rules_can_be_unfolded(page, model):
    assert set(page.locator(".importance tbody th").all_inner_texts()) == {"income", "debts"}
    rules = page.locator(".rules li")
    assert not rules.first.is_visible()
    page.get_by_text(re.compile("The diagram as .* rules")).click()
    assert rules.all_inner_texts() == [str(rule) for rule in export_rules(model, X=LOANS[TRAIN])]


def test_what_is_proved_is_short_and_the_rest_is_folded_away(page):
    section = page.locator("section", has=page.get_by_role("heading", name="What is proved"))
    assert len(section.locator(".badge + p").inner_text()) < 400
    assert not section.locator("details > *:not(summary)").first.is_visible()
    section.locator("summary").click()
    assert section.locator("details > *:not(summary)").first.is_visible()


def test_numbers_have_no_noise_of_floating_point(page):
    page.locator('[data-node="0"]').click()
    assert re.findall(r"\d\.\d{9,}", page.locator("body").inner_text()) == []


def test_the_favourable_class_is_as_blue_on_the_page_as_in_a_picture(page, model):
    ends = page.locator(".end")
    names = [ends.nth(place).locator(".label").first.text_content() for place in range(ends.count())]
    fills = [ends.nth(place).locator(".box").evaluate(COLOUR) for place in range(ends.count())]
    colours = dict(zip(names, fills, strict=True))
    assert colours == {"paid": "rgb(0, 114, 178)", "defaulted": "rgb(210, 122, 0)"}
    assert re.findall(r'class="swatch" style="fill:(#\w+)"', export_svg(model)) == ["#d27a00", "#0072b2"]
