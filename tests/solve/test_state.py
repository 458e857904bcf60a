"""The keeper of incumbent and bounds: what is accepted, what is proved, what is contradicted."""

import math

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import BrokenProofError, DiagramMisfitError
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve import state as state_module
from oddlearn.solve.state import MIN_SAVING, SolveState


class MaxOf:
    """At most so many rows of the second class."""

    def __init__(self, limit):
        self.limit = limit

    def rows(self, data, layout):
        matrix = np.zeros((1, layout.size))
        matrix[0, layout.assigned[:, 1]] = 1.0
        return LinearRows(matrix, [-np.inf], [self.limit], ("second class",))


def stripes(*constraints, weight=None, alpha=0.1):
    """Classes 0 1 0 1 0 0 along one feature; the constant has 2 errors of 6."""
    X, codes = np.linspace(0, 1, 6)[:, None], np.array([0, 1, 0, 1, 0, 0])
    data = TrainingData.collect(X, codes, 2, weight)
    return build_problem(data, Skeleton.parse("1-1-1"), alpha, "univariate", constraints=constraints)


def stump(threshold, negative=0, positive=1):
    return DecisionDiagram((UnivariateSplit(0, threshold),), [1 + negative], [1 + positive], [0], 2, 1)


def between(low, high):
    """Class 1 between two thresholds."""
    splits = (UnivariateSplit(0, low), UnivariateSplit(0, high))
    return DecisionDiagram(splits, [2, 3], [1, 2], [0, 1], 2, 1)


def constant(code):
    return DecisionDiagram.constant(code, 2, 1)


def bounds(*costs):
    return NodeCountBounds(np.array(costs, dtype=float))


def test_the_first_state_has_the_best_constant_and_no_bounds():
    state = SolveState.initial(stripes())
    assert state.diagram == constant(0)
    assert (state.objective, state.lower_bound) == (pytest.approx(2 / 6), 0.0)
    assert state.bounds.cost.tolist() == [0.0, 0.0, 0.0]
    assert state.unresolved_node_counts == (1, 2, 3)
    assert not (state.is_optimal or state.is_resolved or state.is_finished or state.is_infeasible)
    given = SolveState.initial(stripes(), stump(0.1), bounds(2, 1, 0), between(0.1, 0.7))
    assert (given.diagram, given.warm_start) == (stump(0.1), between(0.1, 0.7))
    assert given.bounds.cost.tolist() == [2.0, 1.0, 0.0]


def test_a_diagram_is_taken_over_unless_it_is_worse():
    problem = stripes()
    state = SolveState.initial(problem, between(0.1, 0.7))  # 1 error, 1 node paid for
    assert state.objective == pytest.approx(1 / 6 + 0.05)
    assert state.offer(stump(0.1)) is state  # 3 errors
    assert state.offer(constant(1)) is state
    assert state.offer(None) is state
    # as good: the latest is kept
    other = state.offer(between(0.15, 0.75))
    assert other.diagram == between(0.15, 0.75)
    better = SolveState.initial(problem, stump(0.1)).offer(between(0.1, 0.7))
    assert better.diagram == between(0.1, 0.7)
    assert better.evaluation == evaluate(problem, better.diagram)
    assert better.bounds is not None and better.problem is problem


@pytest.mark.parametrize(("light", "is_taken"), [(0.5 * MIN_SAVING, False), (2 * MIN_SAVING, True)])
def test_the_first_split_must_save_a_little(light, is_taken):
    # 1 light row of class 1 at the top, 1 heavy one of class 0
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, np.array([1 - light, light]))
    problem = build_problem(data, Skeleton.parse("1-1"), 0.0, "univariate")
    state = SolveState.initial(problem)
    assert (state.offer(stump(0.5)).diagram.n_nodes == 1) == is_taken
    # an incumbent with a split is replaced by anything that is no worse
    assert SolveState.initial(problem, stump(0.5)).offer(stump(0.25)).diagram == stump(0.25)
    # an equal constant does not replace a constant
    assert state.offer(constant(0)) is state


def test_satisfied_constraints_come_before_the_objective():
    problem = stripes(MaxOf(2))
    violating, kept = between(0.1, 0.7), stump(0.7)
    assert evaluate(problem, violating).violation == 1
    assert evaluate(problem, kept).objective > evaluate(problem, violating).objective
    state = SolveState.initial(problem, violating)
    assert (state.is_feasible, state.objective) == (False, math.inf)
    assert state.unresolved_node_counts == (1, 2, 3)
    satisfied = state.offer(kept)
    assert satisfied.diagram == kept and satisfied.is_feasible
    assert satisfied.objective == evaluate(problem, kept).objective
    assert satisfied.offer(violating) is satisfied
    # of two that violate it, the one that violates it less
    worse = SolveState.initial(problem, constant(1))
    assert worse.offer(violating).diagram == violating
    assert state.offer(constant(1)) is state
    # bounds of 0 prove nothing of an incumbent that violates
    assert not state.is_optimal


def test_a_diagram_that_is_no_solution_is_an_error_unless_its_finder_rounds():
    plane = DecisionDiagram((MultivariateSplit([1.0], 0.5),), [1], [2], [0], 2, 1)
    state = SolveState.initial(stripes())
    with pytest.raises(DiagramMisfitError):
        state.offer(plane)
    assert state.offer(plane, trusted=False) is state


def test_an_interrupt_does_not_lose_the_diagram_that_is_offered(monkeypatch):
    calls = []

    def evaluate_once_interrupted(problem, diagram):
        calls.append(diagram)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return evaluate(problem, diagram)

    state = SolveState.initial(stripes())
    monkeypatch.setattr(state_module, "evaluate", evaluate_once_interrupted)
    after = state.offer(between(0.1, 0.7))
    assert after.diagram == between(0.1, 0.7) and after.interrupted and after.is_finished
    assert len(calls) == 2


def test_bounds_are_merged_and_the_evidence_of_a_solver_replaced():
    state = SolveState.initial(stripes())
    first, other, again = (
        Evidence(name, bound, name, 0.0)
        for name, bound in (("one", 0.1), ("two", -math.inf), ("one", math.inf))
    )
    state = state.tighten(bounds(2, 1, 0), first, other)
    state = state.tighten(bounds(1, 2, 0), again)
    assert state.bounds.cost.tolist() == [2.0, 2.0, 0.0]
    assert [(entry.solver, entry.bound) for entry in state.evidence] == [("two", 0.0), ("one", 0.0)]
    assert state.tighten(bounds(0, 0, 3)).evidence == state.evidence
    # 2 of 6, 2 of 6 and the price of a node, 0 and that of two
    assert state.lower_bound == pytest.approx(0.1)


def test_an_incumbent_that_meets_the_bound_is_optimal():
    state = SolveState.initial(stripes(), between(0.1, 0.7), bounds(2, 1, 1))
    assert state.lower_bound == pytest.approx(1 / 6 + 0.05)
    assert state.is_optimal and state.is_resolved and state.is_finished and not state.is_infeasible
    # 1 node could do with 1 error
    open_state = SolveState.initial(stripes(), between(0.1, 0.7), bounds(1, 1, 1))
    assert not (open_state.is_optimal or open_state.is_resolved or open_state.is_finished)
    assert open_state.unresolved_node_counts == (1,)


def test_an_infinite_bound_is_infeasibility():
    state = SolveState.initial(stripes(MaxOf(-1)), None, bounds(np.inf, np.inf, np.inf))
    assert state.is_infeasible and state.is_finished and not state.is_optimal
    assert not SolveState.initial(stripes(MaxOf(-1)), None, bounds(np.inf, 0, np.inf)).is_infeasible
    assert state.check() is state


@pytest.mark.parametrize(
    ("costs", "is_broken"),
    [
        ((3, 3, 3), True),  # for every number of nodes more than the 1 error of 2 nodes
        ((2, 1, 1), False),
        ((9, 9, 0), True),  # what 3 nodes might cost says nothing of 1 and 2
        ((1, 9, 9), False),  # a node that no row reaches may be left out
    ],
)
def test_a_bound_above_the_incumbent_is_a_broken_proof(costs, is_broken):
    state = SolveState.initial(stripes(), between(0.1, 0.7), bounds(*costs))
    if is_broken:
        with pytest.raises(BrokenProofError, match="one is wrong"):
            state.check()
    else:
        assert state.check() is state


def test_the_constant_is_checked_as_one_node():
    assert SolveState.initial(stripes(), None, bounds(2, 9, 9)).check()
    with pytest.raises(BrokenProofError):
        SolveState.initial(stripes(), None, bounds(3, 0, 0)).check()


def test_a_search_that_can_be_resumed_replaces_the_last_one_of_its_solver():
    state = SolveState.initial(stripes()).store_resumable("a", 1).store_resumable("b", 2)
    assert state.resumable == {"a": 1, "b": 2}
    assert state.store_resumable("a", 3).resumable == {"a": 3, "b": 2}
    assert state.store_resumable("a", None).resumable == {"b": 2}
    assert state.store_resumable("c", None).resumable == {"a": 1, "b": 2}
