"""Brute force judges fits of hyperplanes to skewed columns, far outliers and codes for missing values."""

import warnings

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.errors import OddlearnWarning
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.scaled_problem import scale_problem
from oddlearn.table.training_table import check_training_table
from tests.oracles.brute_force import optimal_objective

OPTIONS = {"split": "multivariate", "alpha": 0.1, "max_iter": 30, "time_limit": None, "random_state": 0}


def draw(seed):
    """Return up to 6 rows of 2 columns, each of another kind, and labels.

    With outliers of 1e9 the linear program of the oracle itself finds no optimum.
    """
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 7))
    kinds = [
        random.lognormal(8, 2, n),
        np.where(np.arange(n) == 0, random.choice([1e3, 1e5, -1e6]), random.normal(size=n)),
        np.where(random.random(n) < 0.4, -999.0, random.normal(size=n)),
        random.integers(0, 2, n).astype(float),
        5 + 1e-12 * random.integers(0, 9, n),
        1.6e9 + random.integers(0, 100, n),
        random.standard_cauchy(n),
    ]
    y = random.integers(0, 3, n)
    y[:2] = 0, 1
    return np.column_stack([kinds[place] for place in random.choice(len(kinds), 2, replace=False)]), y


@pytest.mark.parametrize(("exact", "n_tables"), [(None, 25), ("milp", 6)])
def test_no_bound_is_above_the_best_and_no_objective_below(exact, n_tables):
    n_optimal = 0
    for seed in range(n_tables):
        X, y = draw(seed)
        model = OptimalDecisionDiagramClassifier("1-2", exact=exact, **OPTIONS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OddlearnWarning)
            settings = validate_parameters(model.get_params(deep=False), model._skeleton())
            prepared = scale_problem(check_training_table(model, X, y, None), settings)
            best = optimal_objective(prepared.problem)
            model.set_params(exact=exact if model_takes(exact, prepared.problem) else None).fit(X, y)
        assert model.lower_bound_ <= best + 1e-9, seed
        assert model.objective_ >= best - 1e-9, seed
        n_optimal += model.is_optimal_ or model.objective_ <= best + 1e-9
    assert n_optimal >= 0.9 * n_tables


def model_takes(exact, problem):
    from oddlearn.solve.milp.solver import Milp

    return exact is None or not Milp().unsupported_reasons(problem)
