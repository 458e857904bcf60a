import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import BrokenProofError, UnsupportedError
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from tests.fakes import FixedSearch, train


def striped(split="univariate", weight=None):
    """Classes 0 1 0 along one feature: two splits are needed."""
    X = np.array([[0.0], [0.5], [1.0]])
    data = TrainingData.collect(X, np.array([0, 1, 0]), 2, weight)
    return build_problem(data, Skeleton.parse("1-1"), 0.1, split, 1e-4)


def two_splits():
    return DecisionDiagram((UnivariateSplit(0, 0.25), UnivariateSplit(0, 0.75)), [2, 3], [1, 2], [0, 1], 2, 1)


def test_the_engines_diagram_is_kept_and_its_events_told():
    heard = []
    trained = train(striped(), FixedSearch(two_splits()), Budget.of(5.0), heard.append)
    assert trained.diagram == two_splits()
    assert list(trained.events) == heard
    improved = [event.objective for event in heard if isinstance(event, Improved)]
    assert improved == pytest.approx([1 / 3, 0.1])
    assert next(event for event in heard if isinstance(event, Bounded)).lower_bound == trained.lower_bound


def test_the_constant_is_kept_when_the_engine_finds_nothing():
    trained = train(striped(), FixedSearch(None), Budget.of(5.0))
    assert trained.diagram == DecisionDiagram.constant(0, 2, 1)


def test_the_largest_bound_is_kept():
    trained = train(striped(), FixedSearch(two_splits(), lower_bound=0.1), Budget.of(5.0))
    assert trained.lower_bound == pytest.approx(evaluate(striped(), trained.diagram).objective)


def test_a_bound_above_the_objective_is_an_error_of_ours():
    with pytest.raises(BrokenProofError, match="one is wrong"):
        train(striped(), FixedSearch(two_splits(), lower_bound=0.2), Budget.of(5.0))


def test_an_engine_that_objects_is_not_run():
    with pytest.raises(UnsupportedError, match="Not today"):
        train(striped(), FixedSearch(objection="Not today."), Budget.of(5.0))


def test_the_engine_is_not_asked_once_the_bound_is_met():
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-1"), 0.1, "multivariate", 1e-4)
    trained = train(problem, FixedSearch(lower_bound=9.0), Budget.of(5.0))
    assert trained.iterations == 0
    assert trained.lower_bound == evaluate(problem, trained.diagram).objective == 0.0


def test_samples_that_hardly_count_are_not_worth_a_split():
    weight = np.array([1.0, 1e-9, 1.0])
    assert train(striped(weight=weight), FixedSearch(two_splits()), Budget.of(5.0)).diagram.n_nodes == 0


def test_an_interrupt_before_the_search_leaves_the_constant(monkeypatch):
    def interrupted(problem, seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("oddlearn.solve.root_bounds.solver.compute_root_bounds", interrupted)
    trained = train(striped(), FixedSearch(two_splits()), Budget.of(5.0))
    assert trained.interrupted
    assert (trained.diagram.n_nodes, trained.lower_bound) == (0, 0.0)
