"""Splits by single features as the first incumbent of hyperplanes."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct import start_steps
from oddlearn.solve.construct.feature_start import FeatureStart, to_hyperplanes
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState


def crossed(seed, n_rows=400, margin=1e-4, split="multivariate"):
    """Return a problem whose classes are the sides of two features, on values that are not evenly spread."""
    X = np.random.default_rng(seed).random((n_rows, 4)) ** 3
    y = ((X[:, 1] > 0.3) ^ (X[:, 2] > 0.1)).astype(int)
    return build_problem(TrainingData.collect(X, y, 2), Skeleton.parse("1-2-2"), 0.05, split, margin)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_diagram_of_single_features_is_offered(seed):
    problem = crossed(seed)
    state = FeatureStart().run(SolveState.initial(problem), Budget.of(None, 300), ignore)
    plain = crossed(seed, split="univariate")
    found = LocalSearch().search(plain, None, Budget.of(None, 300), ignore).diagram
    assert state.objective <= evaluate(plain, found).objective + 2 / 400
    assert all(np.count_nonzero(split.weights) == 1 for split in state.diagram.splits)


@pytest.mark.parametrize("seed", range(6))
def test_hyperplanes_keep_the_margin_and_the_rows_that_are_not_within_it(seed):
    problem = crossed(seed, n_rows=60, margin=2e-3)
    plain = LocalSearch(seed=seed).search(
        crossed(seed, 60, 0.0, split="univariate"), None, Budget.of(None, 200), ignore
    )
    planes = to_hyperplanes(problem, plain.diagram)
    assert evaluate(problem, planes).violation == 0  # it fits: no row is within the margin
    before, after = (route_reference(diagram, problem.data.X) for diagram in (plain.diagram, planes))
    threshold = plain.diagram.splits[0].threshold
    distance = np.abs(problem.data.X[:, plain.diagram.splits[0].feature] - threshold)
    is_far = distance > np.abs(planes.splits[0].threshold - threshold)
    assert np.array_equal(before.sides[is_far, 0], after.sides[is_far, 0])


def test_univariate_problems_are_refused():
    assert FeatureStart().unsupported_reasons(crossed(0, split="univariate"))
    assert not FeatureStart().unsupported_reasons(crossed(0))


@pytest.mark.parametrize(("least", "n_runs"), [(1_000, 1), (10**9, 0)])
def test_a_table_of_many_values_is_searched_by_single_features_first(monkeypatch, least, n_runs):
    objectives, run = [], FeatureStart.run

    def record(self, state, budget, emit):
        after = run(self, state, budget, emit)
        objectives.append((state.objective, after.objective))
        return after

    monkeypatch.setattr(FeatureStart, "run", record)
    monkeypatch.setattr(start_steps, "MIN_FEATURE_CELLS", least)
    monkeypatch.setattr(start_steps, "MIN_FEATURE_CELL_SECONDS", 0)
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 8))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.2) ^ (random.random(1500) < 0.1)
    model = OptimalDecisionDiagramClassifier("1-2-2", split="multivariate", max_iter=20, random_state=0)
    model.fit(X, y)
    assert len(objectives) == n_runs
    for before, after in objectives:
        assert model.objective_ <= after < before - 0.2
