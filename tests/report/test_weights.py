"""Weights on the page: a row of weight 3 counts as three rows, and the page says that it is weighted."""

import re

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, export_dot, export_rules, export_svg, export_text
from oddlearn.errors import InvalidInputError
from oddlearn.report import html_page
from oddlearn.report.page_tables import group_rates
from tests.report.pages import embedded


@pytest.fixture(scope="module")
def weighted():
    random = np.random.default_rng(0)
    X = random.random((80, 3))
    y = np.where((X[:, 0] > 0.5) ^ (random.random(80) < 0.2), "in", "out")
    weights = random.integers(0, 6, 80).astype(float)
    model = OptimalDecisionDiagramClassifier("1-2", alpha=0.01, max_iter=20, random_state=0)
    return model.fit(X, y, sample_weight=weights), X, y, weights


def cells(page):
    """Return all cells of all tables, in order."""
    return re.findall(r"<td>(.*?)</td>", page)


def test_a_weight_counts_as_so_many_rows(weighted):
    model, X, y, weights = weighted
    groups = np.where(X[:, 2] > 0.4, "a", "b")
    times = weights.astype(int)
    repeated = [np.repeat(values, times, axis=0) for values in (X, y, groups)]
    page = html_page(model, X, y, sample_weight=weights, sensitive_features=groups)
    plain = html_page(model, repeated[0], repeated[1], sensitive_features=repeated[2])
    assert cells(page) == cells(plain)
    flows = [[node["flow"] for node in embedded(one)["nodes"]] for one in (page, plain)]
    assert flows[0] == flows[1]


def test_the_page_says_that_it_is_weighted(weighted):
    model, X, y, weights = weighted
    options = {"X_test": X, "y_test": y, "sample_weight_test": weights[::-1], "sensitive_features": y}
    page = html_page(model, X, y, sample_weight=weights, **options)
    share = np.average(model.predict(X) == y, weights=weights)
    assert f"Accuracy on 80 training samples, weighted: {100 * share:.1f} %." in page
    for caption in (
        "Confusion matrix of the training samples, weighted",
        "Confusion matrix of the test samples, weighted",
        "Rates of “out” by group, training samples, weighted",
    ):
        assert f"<caption>{caption}</caption>" in page
    assert embedded(page)["unit"] == "training weight"
    assert ", weighted" not in html_page(model, X, y)


def test_groups_have_the_rates_of_their_weight():
    codes, predicted = np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])
    found = group_rates(codes, predicted, ["a"] * 4, 1, np.array([3.0, 1.0, 0.0, 4.0]))
    assert found == {"a": [8.0, 1 / 8, 3 / 8, 1 / 4, 0.0]}


@pytest.mark.parametrize(
    ("weights", "said"),
    [([1.0], "one weight per row of X, here 80"), ([-1.0] * 80, "below 0"), (["x"] * 80, "as numbers")],
)
def test_bad_weights_are_refused_in_a_sentence(weighted, weights, said):
    model, X, y, _ = weighted
    with pytest.raises(InvalidInputError, match=re.escape(said)):
        html_page(model, X, y, sample_weight=weights)
    with pytest.raises(InvalidInputError, match="sample_weight_test was given without its rows: give X_test"):
        html_page(model, X, y, sample_weight_test=weights)


def leaf_counts(text):
    """Return all pairs "3 of 4 right", sorted: texts and pictures have them in another order."""
    return sorted(re.findall(r"([\d.,]+) of ([\d.,]+) right", text))


@pytest.mark.parametrize("class_weight", [None, "balanced", {"in": 7, "out": 0.3}])
@pytest.mark.parametrize("has_weights", [False, True])
def test_texts_pictures_and_pages_count_alike(class_weight, has_weights):
    random = np.random.default_rng(3)
    X = random.random((90, 2)).round(2)
    y = np.where((X[:, 0] > 0.7) ^ (random.random(90) < 0.2), "in", "out")
    weights = random.integers(1, 5, 90).astype(float) if has_weights else np.ones(90)
    model = OptimalDecisionDiagramClassifier(
        "1-2", node_price=0.01, class_weight=class_weight, max_iter=20, random_state=0
    )
    model.fit(X, y, sample_weight=weights if has_weights else None)
    given = {"sample_weight": weights} if has_weights else {}
    arcs, right = model.apply(X), model.predict(X) == y
    wanted = sorted(
        (f"{weights[(arcs == arc) & right].sum():.0f}", f"{weights[arcs == arc].sum():.0f}")
        for arc in np.unique(arcs)
    )
    picture = export_svg(model, X=X)
    for text in (export_text(model, X=X), export_dot(model)):
        assert set(leaf_counts(text)) == set(wanted)
        assert ("weight" in re.sub("weights?=|class_weight", "", text)) == has_weights
    assert set(leaf_counts(picture)) == set(wanted)
    assert ("Numbers are training weight" in picture) == has_weights
    pages = [html_page(model), html_page(model, X, y, **given)]
    for page in pages:
        assert set(leaf_counts(page)) == set(wanted)
    assert embedded(pages[0])["unit"] == embedded(pages[1])["unit"]
    assert [rule.support for rule in export_rules(model)] == [
        weights[arcs == rule.arc].sum() for rule in export_rules(model)
    ]


def test_without_their_weights_rows_are_not_called_those_of_training(weighted):
    model, X, y, _ = weighted
    page = html_page(model, X, y)
    assert embedded(page)["unit"] == "samples"
    assert "Weighted accuracy on training samples of weight" in html_page(model)
    assert "of the training samples of weight" in html_page(model)


def test_class_weights_leave_intervals_to_the_rows():
    X, y = np.arange(40.0)[:, None], np.repeat(["rare", "common"], [8, 32])
    y[[3, 30]] = ["common", "rare"]
    model = OptimalDecisionDiagramClassifier("1", class_weight="balanced", max_iter=5, random_state=0)
    found = model.fit(X, y).arc_intervals_
    assert sorted(found["n_rows"]) == [8, 32]
    assert sorted(found["share"]) == [7 / 8, 31 / 32]
    assert ((found["low"] < found["share"]) & (found["share"] < found["high"])).all()


@pytest.mark.parametrize(
    ("options", "head", "hint"),
    [
        ({}, "Error", "the training error rises"),
        ({"class_weight": "balanced"}, "Error", "the weighted training error rises"),
        ({"cost_matrix": [[0, 5], [1, 0]]}, "Cost", "the mean training cost rises"),
    ],
)
def test_importances_are_named_after_what_training_counts(options, head, hint):
    X, y = np.arange(40.0)[:, None], np.repeat(["a", "b"], [15, 25])
    model = OptimalDecisionDiagramClassifier("1", max_iter=5, random_state=0, **options).fit(X, y)
    section = html_page(model, X, y).split("<h2>What matters</h2>")[1].split("</section>")[0]
    value = float(model.feature_importances_[0])
    shown = f"{value:.4g}" if head == "Cost" else f"{100 * value:.1f} %"
    assert f"How much {hint}" in section and f">{head}</th>" in section and f"+ {shown}" in section
