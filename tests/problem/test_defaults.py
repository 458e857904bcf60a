"""The defaults that users meet: a change of one is a change of every fit without parameters."""

from inspect import signature

import numpy as np
import pytest

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionDiagramClassifierCV,
    OptimalDecisionTreeClassifier,
)
from oddlearn.problem.defaults import ALPHA_GRID

GRID = ("1-2-4-8", "1-2-4-4-4", "1-2-3-3-3-3", "1-2-2-2-2-2-2-2")


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (OptimalDecisionDiagramClassifier, {"skeleton": "1-2-4-4-4", "alpha": None, "time_limit": 10.0}),
        (OptimalDecisionTreeClassifier, {"max_depth": 4, "alpha": None, "time_limit": 10.0}),
        (
            OptimalDecisionDiagramClassifierCV,
            # the grid of the paper
            {"skeletons": GRID, "alphas": None, "time_limit": 60.0},
        ),
    ],
)
def test_the_defaults_are_the_documented_ones(estimator, expected):
    given = signature(estimator).parameters
    assert {name: given[name].default for name in expected} == expected


def test_without_a_penalty_a_node_costs_one_percent_and_a_search_tries_the_alphas_of_the_paper():
    X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 1, 1, 0] * 5
    options = {"skeleton": "1-2", "exact": None, "max_iter": 5, "time_limit": None, "random_state": 0}
    model = OptimalDecisionDiagramClassifier(**options).fit(X, y)
    same = OptimalDecisionDiagramClassifier(node_price=0.01, **options).fit(X, y)
    assert model.certificate_.digest == same.certificate_.digest
    assert ALPHA_GRID == (0.01, 0.1, 0.2, 0.5, 1.0)


@pytest.mark.parametrize(
    ("n_rare", "n_rows", "price"),
    [
        (100, 1000, 0.01),  # a tenth is not rare
        (49, 1000, 0.01),  # two rows weigh 2 %
        (150, 4000, 2 / 300),  # half of all weight is that of 150 rows
        (900, 20000, 0.003),
    ],
)
@pytest.mark.parametrize("repeats", [1, 2])
def test_balanced_rare_classes_have_a_lower_price(n_rare, n_rows, price, repeats):
    X, y = np.arange(float(n_rows))[:, None], np.arange(n_rows) < n_rare
    model = OptimalDecisionDiagramClassifier(
        "1", class_weight="balanced", max_iter=1, exact=None, random_state=0
    )
    if repeats == 1:
        model.fit(X, y)
    else:  # a weight of 1/2 for each of two equal rows
        model.fit(np.repeat(X, 2, axis=0), np.repeat(y, 2), np.full(2 * n_rows, 0.5))
    assert model.certificate_.node_price == pytest.approx(price)


def test_a_price_that_is_given_is_taken_with_balanced_classes_too():
    X, y = np.arange(4000.0)[:, None], np.arange(4000) < 100
    model = OptimalDecisionDiagramClassifier(
        "1", class_weight="balanced", node_price=0.01, max_iter=1, exact=None, random_state=0
    )
    assert model.fit(X, y).certificate_.node_price == 0.01
