"""Rows in the units of the solvers: repeated rows count once in a scale, features are named in warnings."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.scaled_problem import _feature_names, _weighable, scale_problem
from oddlearn.problem.scaling import UnitScaling
from oddlearn.table.training_table import check_training_table


def scale(X, y, weight=None):
    model = OptimalDecisionDiagramClassifier("1-2", split="multivariate")
    settings = validate_parameters(model.get_params(deep=False), model._skeleton())
    return scale_problem(check_training_table(model, X, y, weight), settings)


def test_repeated_rows_do_not_move_the_box_of_hyperplanes():
    X = np.append(np.arange(20.0), [40.0, 400.0])[:, None]
    y, weight = np.arange(22) % 2, np.ones(22)
    weight[0] = 200
    one = scale(X, y, weight)
    repeated = np.repeat(np.arange(22), weight.astype(int))
    other = scale(X[repeated], y[repeated])
    assert one.scaling.low.tolist() == other.scaling.low.tolist() == [0.0]
    assert one.scaling.high.tolist() == other.scaling.high.tolist()
    assert one.problem.margin == other.problem.margin
    assert np.array_equal(one.problem.data.X, other.problem.data.X)
    assert one.problem.total_weight == other.problem.total_weight


def test_features_are_named_by_place_where_there_are_no_names():
    assert _feature_names(np.array([0, 3]), None) == [0, 3]


@pytest.mark.parametrize("column", [np.full(22, 7.0), np.zeros(22)])
def test_features_that_do_not_vary_are_not_used(column):
    found = scale(np.column_stack([np.arange(22.0), column]), np.arange(22) % 2)
    assert found.is_usable.tolist() == [True, False]
    assert not found.problem.data.X[:, 1].any()


@pytest.mark.parametrize(
    ("low", "high", "margin", "expected"),
    [
        (0.0, 1.0, 1e-4, True),
        (-1.0, 1.0, 1e-4, True),
        (1e12, 1e12 + 1, 1e-4, False),  # terms of 1e12 are off by some 1e-4
        (1e10, 1e10 + 1, 1e-4, True),
        (-1e12, -1e12 + 1, 1e-4, False),
        (1e10, 1e10 + 1, 1e-6, False),
    ],
)
def test_features_far_from_0_are_weighed_if_rounding_keeps_the_margin(low, high, margin, expected):
    scaling = UnitScaling(np.array([low]), np.array([high]))
    assert _weighable(scaling, np.array([[low], [high]]), margin).tolist() == [expected]


def test_rounding_adds_up_over_the_features():
    low, high = np.full(100, 1e10), np.full(100, 1e10 + 1)
    assert not _weighable(UnitScaling(low, high), np.stack([low, high]), 1e-4).any()


def test_rows_that_differ_by_less_than_the_margin_are_not_weighed():
    scaling = UnitScaling(np.array([0.0]), np.array([1.0]))
    found = [_weighable(scaling, np.array([[0.0], [apart]]), 0.1).tolist() for apart in (0.09, 0.11)]
    assert found == [[False], [True]]
