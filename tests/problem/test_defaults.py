"""The defaults that users meet: a change of one is a change of every fit without parameters."""

from inspect import signature

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
