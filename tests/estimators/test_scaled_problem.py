"""Rows in the units of the solvers: repeated rows count once in a scale, features are named in warnings."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.scaled_problem import _feature_names, scale_problem
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
