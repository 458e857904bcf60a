"""Importances of columns in weighted sums, against rows in which a column has its mean."""

import numpy as np
import pytest

from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem import feature_importance
from oddlearn.problem.feature_importance import measure_importances
from tests.diagram.drawings import random_diagram


def hyperplanes(seed, n_features=4, n_rows=80):
    random = np.random.default_rng(seed)
    plain = random_diagram(random, n_features=n_features)
    weights = random.normal(size=(plain.n_nodes, n_features)) * (
        random.random((plain.n_nodes, n_features)) < 0.7
    )
    diagram = plain.with_splits(tuple(MultivariateSplit(own, random.normal()) for own in weights))
    X = random.normal(size=(n_rows, n_features))
    return diagram, X, random.random((n_rows, diagram.n_classes)), random.random(n_rows)


@pytest.mark.parametrize("seed", range(10))
def test_the_importance_is_what_rows_cost_more_with_the_mean_of_a_column(seed):
    diagram, X, cost, weight = hyperplanes(seed)
    found = measure_importances(diagram, X, cost, weight, range(4))
    before = cost[np.arange(len(X)), diagram.predict(X)].sum()
    for column in range(4):
        changed = X.copy()
        changed[:, column] = np.average(X[:, column], weights=weight)
        rise = cost[np.arange(len(X)), diagram.predict(changed)].sum() - before
        assert found[column] == pytest.approx(rise / weight.sum(), abs=1e-12)


def test_of_many_columns_those_with_the_largest_terms_are_measured(monkeypatch):
    diagram, X, cost, weight = hyperplanes(3)
    every = measure_importances(diagram, X * [1, 100, 1, 1], cost, weight, range(4))
    monkeypatch.setattr(feature_importance, "MAX_COLUMNS", 1)
    one = measure_importances(diagram, X * [1, 100, 1, 1], cost, weight, range(4))
    assert one.tolist() == [0, every[1], 0, 0]
