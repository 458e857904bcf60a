"""A new hyperplane of a node is accepted if the diagram is no worse with it."""

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.polish import accept_if_no_worse
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.schedule import build_schedule


class AtMost:
    """At most so many rows of the second class."""

    def __init__(self, limit):
        self.limit = limit

    def rows(self, data, layout):
        matrix = np.zeros((1, layout.size))
        matrix[0, layout.assigned[:, 1]] = 1.0
        return LinearRows(matrix, [-np.inf], [self.limit], ("second class",))


def line(*constraints):
    """Classes 0 0 1 1 0 at 0, 1/4, ..., 1."""
    data = TrainingData.collect(np.linspace(0, 1, 5)[:, None], np.array([0, 0, 1, 1, 0]), 2)
    return build_problem(data, Skeleton.parse("1"), 0.0, "multivariate", 0.01, constraints=constraints)


def stump(threshold):
    return DecisionDiagram((MultivariateSplit([1.0], threshold),), [1], [2], [0], 2, 1)


@pytest.mark.parametrize(
    ("threshold", "is_accepted"),
    [
        (0.35, True),  # as good
        (0.1, False),  # one error more
        (0.6, False),
        (0.5 + 1e-9, False),
        (0.501, False),  # within the margin of a row
    ],
)
def test_a_split_is_accepted_if_it_costs_no_more(threshold, is_accepted):
    problem, diagram = line(), stump(0.4)
    value = evaluate(problem, diagram)
    changed, new = accept_if_no_worse(problem, diagram, value, 0, MultivariateSplit([1.0], threshold))
    assert changed == (stump(threshold) if is_accepted else diagram)
    assert new == (evaluate(problem, changed) if is_accepted else value)


def test_a_better_split_that_violates_a_constraint_is_not_accepted():
    problem, diagram = line(AtMost(2)), stump(0.6)
    value = evaluate(problem, diagram)
    assert value.violation == 0 and evaluate(problem, stump(0.4)).violation == 1
    assert evaluate(problem, stump(0.4)).objective < value.objective
    kept, _ = accept_if_no_worse(problem, diagram, value, 0, MultivariateSplit([1.0], 0.4))
    assert kept == diagram
    # one that violates it less is taken only if it costs no more
    worse = evaluate(problem, stump(0.1))
    taken, _ = accept_if_no_worse(problem, stump(0.1), worse, 0, MultivariateSplit([1.0], 0.4))
    assert taken == stump(0.4)


def test_hyperplanes_are_polished_in_a_small_part_of_the_time():
    for seconds, reserve in ((1.0, 0.08), (10.0, 0.8), (100.0, 1.0)):
        budget = Budget.of(seconds)
        schedule = build_schedule("multivariate", LocalSearch(), None, budget)
        assert schedule.reserve.seconds(budget) == pytest.approx(reserve, rel=0.05)
    assert build_schedule("univariate", LocalSearch(), None, Budget.of(10.0)).reserve is None
