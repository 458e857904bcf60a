"""Logistic regressions as a start: never more errors than one of them, within skeleton, margin and time."""

import tracemalloc

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct import logistic_start
from oddlearn.solve.construct.logistic_start import LogisticStart
from oddlearn.solve.state import SolveState

WITHOUT_SEARCH = {"alpha": 0.0, "exact": None, "max_iter": 1, "time_limit": None, "random_state": 0}


def draw(seed, n_rows=300, n_classes=2):
    """Return rows with a tail on some columns, labels by a noisy sum, and weights."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    X[:, 1] = np.exp(3 * X[:, 1])
    X[0, 2] = 1e6
    X[:, 3] = np.where(random.random(n_rows) < 0.1, -999, X[:, 3])
    score = X[:, 0] + 0.3 * np.log(X[:, 1]) + random.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return X, y, random.choice([1.0, 2.0, 0.5], n_rows) if seed % 2 else np.ones(n_rows)


def regression(X, y, weight):
    model = make_pipeline(StandardScaler(), LogisticRegression())
    return model.fit(X, y, standardscaler__sample_weight=weight, logisticregression__sample_weight=weight)


def problem_of(seed, skeleton, n_classes=2, alpha=0.0, margin=1e-5, costs=None, n_rows=300):
    X, y, weight = draw(seed, n_rows, n_classes)
    unit = (X - np.median(X, axis=0)) / 8
    data = TrainingData.collect(unit, y, n_classes, weight)
    return build_problem(data, Skeleton.parse(skeleton), alpha, "multivariate", margin, costs)


def start(problem, budget=None):
    return LogisticStart().run(SolveState.initial(problem), budget or Budget.of(None), lambda event: None)


@pytest.mark.parametrize("seed", range(12))
def test_a_fit_with_one_node_has_no_more_errors_than_a_logistic_regression(seed):
    X, y, weight = draw(seed)
    model = OptimalDecisionDiagramClassifier("1", split="multivariate", **WITHOUT_SEARCH).fit(X, y, weight)
    assert model.score(X, y, weight) >= regression(X, y, weight).score(X, y, weight) - 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_alone_it_costs_no_more_than_the_regression_of_any_two_classes(seed):
    problem = problem_of(seed, "1", n_classes=4)
    X, weight = problem.data.X, problem.data.class_weight
    cost = start(problem).evaluation.cost
    for pair in ([0, 1], [1, 2], [0, 3]):
        place, label = np.nonzero(weight[:, pair])
        model = regression(X[place], label, weight[place][np.arange(place.size), np.array(pair)[label]])
        predicted = np.array(pair)[model.predict(X)]
        assert cost <= problem.cost[np.arange(len(X)), predicted].sum() + 1e-9


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("skeleton", ["1", "1-1-1", "1-2-4", "1-2-2-2"])
def test_it_fits_every_skeleton_and_margin_and_more_nodes_cost_no_more(seed, skeleton):
    margin, alpha = (1e-7, 1e-4, 1e-2)[seed % 3], (0.0, 0.1)[seed % 2]
    costs = [[0, 1, 5], [2, 0, 1], [1, 1, 0]] if seed % 4 < 2 else None
    problem = problem_of(seed, skeleton, 3, alpha, margin, costs)
    found = start(problem)
    evaluate(problem, found.diagram)  # raises where the diagram does not fit the skeleton or its margin
    alone = start(problem_of(seed, "1", 3, alpha, margin, costs))
    assert found.objective <= alone.objective + 1e-12 < SolveState.initial(problem).objective


def test_its_choices_do_not_depend_on_the_time():
    problem = problem_of(3, "1-2-2", 3)
    assert start(problem, Budget.of(1e4)).diagram == start(problem).diagram


def test_a_table_too_large_for_the_time_is_sampled_and_one_far_too_large_is_left_alone():
    problem = problem_of(1, "1", n_rows=30_000)
    state = SolveState.initial(problem)
    assert start(problem, Budget.of(1e-9)).diagram == state.diagram
    sampled = LogisticStart()._sample_rows(problem, Budget.of(0.01))
    assert 1000 <= sampled.sum() < problem.data.n_rows


def test_univariate_problems_are_refused_with_a_sentence():
    problem = build_problem(problem_of(0, "1").data, Skeleton.parse("1"), 0.0, "univariate")
    assert "multivariate splits only" in LogisticStart().unsupported_reasons(problem)[0]
    assert start(problem).diagram.n_nodes == 0


# the standardised rows are one copy, their keys and sums a little; it was five
def test_a_regression_of_all_rows_takes_few_copies_of_them():
    random = np.random.default_rng(0)
    X = random.random((500, 2_000))
    problem = build_problem(
        TrainingData.collect(X, (X[:, 0] > 0.5).astype(int), 2), Skeleton.parse("1-2"), 0.1, "multivariate"
    )
    rows = np.arange(500)
    next(logistic_start.fit_regressions(problem, rows, [0, 1]))  # imports are not counted
    tracemalloc.start()
    logistic_start.find_logistic_split(problem, rows, np.ones(500, dtype=bool), Budget.of(None))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1.5 * X.nbytes


def test_rows_of_both_classes_count_in_each_and_rows_of_neither_in_none():
    random = np.random.default_rng(0)
    X, weight = random.random((40, 3)), random.integers(0, 3, (40, 2)).astype(float)
    weight[:2], weight[2:4] = 0, 1  # as many pairs of row and class as rows would be, and others
    place, label = np.nonzero(weight)
    (found,) = logistic_start._fit_regression(X, weight)
    scaler = StandardScaler().fit(X, sample_weight=weight.sum(axis=1))
    model = LogisticRegression().fit(scaler.transform(X)[place], label, sample_weight=weight[place, label])
    expected = model.coef_[0] / scaler.scale_
    assert found == pytest.approx(expected / np.abs(expected).sum())
