"""The check of single nodes after a search: what it finds is an event, and only that."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.estimators.scaled_problem import ScaledProblem, check_single_nodes
from oddlearn.problem import TrainingData
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.scaling import RankScaling
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import SolveResult
from oddlearn.solve.state import SolveState


def result_of(codes, threshold, classes=(0, 1)):
    """Return the problem of a column 0, 1, ... and the result of a search that found one split."""
    X = np.arange(float(len(codes)))[:, None]
    problem = build_problem(
        TrainingData.collect(X, np.array(codes), 2), Skeleton.parse("1"), 0.0, "univariate"
    )
    arcs = (np.array([1 + classes[0]]), np.array([1 + classes[1]]), np.array([0]))
    state = SolveState.initial(problem).offer(DecisionDiagram((UnivariateSplit(0, threshold),), *arcs, 2, 1))
    prepared = ScaledProblem(problem, RankScaling.rank(X)[0], np.array([True]))
    return prepared, SolveResult(state, ("before",))


def test_a_better_split_is_an_event_with_its_objective():
    prepared, result = result_of([0, 0, 0, 1, 1, 1, 0], 1.5)
    checked, is_optimal = check_single_nodes(prepared, result, Budget.of(60.0))
    assert is_optimal
    assert checked.state.objective < result.state.objective
    before, improved = checked.events
    assert before == "before"
    assert (improved.objective, improved.n_nodes) == (checked.state.objective, 1)


def test_without_a_better_one_nothing_is_told():
    prepared, result = result_of([0, 0, 0, 1, 1, 1, 0], 2.5)
    checked, is_optimal = check_single_nodes(prepared, result, Budget.of(60.0))
    assert is_optimal and checked.events == ("before",)
    assert checked.state.objective == result.state.objective


@pytest.mark.parametrize("is_interrupted", [True, False])
def test_what_is_proved_or_interrupted_is_not_checked(is_interrupted):
    # of one proved optimal there is nothing to find, and the user waits for one that was interrupted
    prepared, result = result_of([0, 0, 0, 1, 1, 1, 0], 1.5 if is_interrupted else 2.5)
    state = result.state
    if is_interrupted:
        state = replace(state, interrupted=True)
    else:
        state = state.tighten(NodeCountBounds(np.array([state.evaluation.cost])))
        assert state.is_optimal
    result = replace(result, state=state)
    assert check_single_nodes(prepared, result, Budget.of(60.0)) == (result, False)
