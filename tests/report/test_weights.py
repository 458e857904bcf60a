"""Weights on the page: a row of weight 3 counts as three rows, and the page says that it is weighted."""

import re

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.errors import InvalidInputError
from oddlearn.report import html_page
from oddlearn.report.page_tables import group_outcomes
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
    (rates,) = group_outcomes(codes, predicted, ["a"] * 4, 1, np.array([3.0, 1.0, 0.0, 4.0]))
    assert (rates.size, rates.error_rate, rates.selection_rate) == (8.0, 1 / 8, 3 / 8)
    assert (rates.false_negative_rate, rates.false_positive_rate) == (1 / 4, 0.0)


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
