"""Missing values in univariate splits: every solver against brute force on the raw table, and predict."""

import warnings
from functools import cache

import numpy as np
import pytest

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionDiagramClassifierCV,
    UnivariateSplit,
    accuracy_fairness_path,
    from_json,
    verify,
)
from oddlearn.errors import OddlearnWarning, VerificationError
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.scaled_problem import scale_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.schedule import EXACT_SOLVERS, SEARCHES, build_solver
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.table.training_table import check_training_table
from tests.oracles.missing import optimal_objective_on_raw_rows, tiny_table

SECONDS = 60.0
ITERATIONS = 500


@cache
def optimum(seed):
    return optimal_objective_on_raw_rows(tiny_table(seed))


def classifier(table, **options):
    """Return a classifier with the parameters of a tiny table."""
    options = {"alpha": table.alpha, "cost_matrix": table.cost_matrix, "random_state": 0, **options}
    return OptimalDecisionDiagramClassifier(table.skeleton, **options)


def solve_alone(table, name):
    """Run one solver on a tiny table, from the best constant and without bounds.

    Return the objective of its diagram in raw units on the raw rows, and its lower bound.
    """
    model = classifier(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddlearnWarning)
        checked = check_training_table(model, table.X, table.codes, table.weight)
        settings = validate_parameters(model.get_params(deep=False), model._skeleton())
        prepared = scale_problem(checked, settings)
    solver = build_solver({**SEARCHES, **EXACT_SOLVERS}[name], 0, 1)
    budget = Budget.of(SECONDS, ITERATIONS if name in SEARCHES else None)
    state = solver.run(SolveState.initial(prepared.problem), budget, ignore)
    raw_X = prepared.problem.data.raw_representatives(checked.X)
    diagram = prepared.to_raw_units(state.diagram, raw_X)
    return table.objective(diagram.predict(table.X), diagram.n_nodes), state.lower_bound


def check_solver(name, seeds):
    for seed in seeds:
        objective, bound = solve_alone(tiny_table(seed), name)
        assert objective == pytest.approx(optimum(seed), abs=1e-6), seed
        if name in EXACT_SOLVERS:
            # the bound of the MILP is lowered by its tolerance of 1e-6
            assert bound == pytest.approx(optimum(seed), abs=2e-6), seed


@pytest.mark.parametrize("name", ["branch_and_bound", "local_search"])
@pytest.mark.parametrize("first", range(0, 120, 40))
def test_solvers_find_the_optimum_over_the_sides_of_missing_values(name, first):
    check_solver(name, range(first, first + 40))


@pytest.mark.parametrize(("name", "seeds"), [("cpsat", range(3)), ("milp", range(100, 102))])
def test_solvers_in_a_process_of_their_own_do_so_too(name, seeds):
    check_solver(name, seeds)


def test_a_fit_proves_the_optimum_and_is_verified_on_rows_with_missing_values():
    for seed in range(200, 220):
        table = tiny_table(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OddlearnWarning)
            model = classifier(table, exact="branch_and_bound", max_iter=50, time_limit=SECONDS)
            model.fit(table.X, table.codes, table.weight)
        assert model.is_optimal_
        assert model.objective_ == pytest.approx(optimum(seed), abs=1e-9)
        reached = table.objective(model.predict(table.X), model.n_nodes_)
        assert reached == pytest.approx(model.objective_, abs=1e-9)
        assert verify(model, table.X, table.codes, table.weight).objective == model.objective_
        assert np.array_equal(from_json(model.to_json()).apply(table.X), model.apply(table.X))


def exam():
    """Return hours and age of 60 students; who gave no hours passed, and age says nothing."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(0, 20, 60), random.integers(18, 30, 60)]).astype(float)
    passed = X[:, 0] >= 12
    X[random.choice(60, 15, replace=False), 0] = np.nan
    return X, passed | np.isnan(X[:, 0])


def test_a_split_learns_the_side_of_missing_values():
    X, passed = exam()
    model = OptimalDecisionDiagramClassifier("1-2", alpha=0.1, random_state=0).fit(X, passed)
    assert model.diagram_.splits == (UnivariateSplit(0, model.diagram_.splits[0].threshold, True),)
    assert (model.is_optimal_, model.score(X, passed)) == (True, 1.0)
    assert [feature.has_missing for feature in model.metadata_.features] == [True, False]
    assert model.predict_proba([[np.nan, 20.0]])[0, 1] > 0.9
    assert model.decision_path([[np.nan, np.nan]]).toarray().tolist() == [[True]]


def test_a_feature_the_diagram_does_not_ask_about_may_be_missing():
    X, passed = exam()
    model = OptimalDecisionDiagramClassifier("1", random_state=0).fit(X, passed)
    X[:, 1] = np.nan
    assert model.score(X, passed) == 1.0


@pytest.mark.parametrize("heavier", [False, True])
def test_a_value_that_was_never_missing_in_training_takes_the_heavier_side(heavier):
    X, y = np.arange(8.0)[:, None], np.arange(8) >= 4
    weight = np.where(y == heavier, 2.0, 1.0)
    model = OptimalDecisionDiagramClassifier("1", random_state=0).fit(X, y, weight)
    assert model.predict([[np.nan]]).tolist() == [heavier]
    assert not model.metadata_.feature(0).has_missing


def test_alpha_and_fairness_paths_start_from_diagrams_with_missing_values():
    X, passed = exam()
    groups = np.arange(60) % 2
    tuned = OptimalDecisionDiagramClassifierCV(
        skeletons=["1-2"], alphas=[0.01, 0.3], cv=3, max_iter=30, random_state=0
    ).fit(X, passed)
    assert tuned.score(X, passed) == 1.0
    model = OptimalDecisionDiagramClassifier("1-2", alpha=0.01, max_iter=30, random_state=0)
    path = accuracy_fairness_path(model, X, passed, groups, ratios=(0.0, 0.5))
    assert [point.row["accuracy"] for point in path.points] == [1.0, 1.0]


def test_changed_missing_values_are_found_by_verification():
    X, passed = exam()
    model = OptimalDecisionDiagramClassifier("1-2", random_state=0).fit(X, passed)
    assert verify(model, X, passed).is_optimal
    X[np.flatnonzero(np.isnan(X[:, 0]))[0], 0] = 3.0
    with pytest.raises(VerificationError, match="another problem"):
        verify(model, X, passed)
