"""Infeasibility by linear programming: each kind of rows that ties the observables together is needed."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.root_bounds import lp_relaxation
from oddlearn.solve.root_bounds.lp_relaxation import lp_infeasible

DATA = TrainingData.collect(np.arange(4.0)[:, None], np.array([0, 1, 0, 1]), 2)
PROBLEM = build_problem(DATA, Skeleton.parse("1-2"), 0.1, "univariate")
LAYOUT = PROBLEM.layout


def with_rows(*rows, penalty=np.inf):
    """Each row is a dict of places and coefficients, a lower and an upper limit."""
    matrix = np.zeros((len(rows), LAYOUT.size))
    for number, (entries, _, _) in enumerate(rows):
        for place, value in entries.items():
            matrix[number, place] = value
    lower, upper = [row[1] for row in rows], [row[2] for row in rows]
    return replace(PROBLEM, rows=LinearRows(matrix, lower, upper, ("row",) * len(rows), penalty))


def ones(places):
    return dict.fromkeys(np.ravel(places).tolist(), 1.0)


INF = np.inf
CASES = {
    "the root is used": ([(ones(LAYOUT.used[0]), -INF, 0.5)], True),
    "another node need not be": ([(ones(LAYOUT.used[1]), -INF, 0.5)], False),
    "all rows reach the root": ([(ones(LAYOUT.reached[:, 0]), -INF, 3.5)], True),
    "not all reach another node": ([(ones(LAYOUT.reached[:, 1]), -INF, 3.5)], False),
    "a row has one class": ([(ones(LAYOUT.assigned[0]), -INF, 0.5)], True),
    "no more than one": ([(ones(LAYOUT.assigned[0]), 1.5, INF)], True),
    "either one": ([(ones(LAYOUT.assigned[:, 0]), 2.0, 2.0)], False),
    "who leaves a node has reached it": (
        [(ones(LAYOUT.positive[0, 1]), 1.0, INF), (ones(LAYOUT.reached[0, 1]), -INF, 0.5)],
        True,
    ),
    "a node that is reached is used": (
        [(ones(LAYOUT.reached[0, 1]), 1.0, INF), (ones(LAYOUT.used[1]), -INF, 0.5)],
        True,
    ),
    "who reaches a node need not leave it there": (
        [(ones(LAYOUT.reached[0, 1]), 1.0, INF), (ones(LAYOUT.positive[0, 1]), -INF, 0.0)],
        False,
    ),
    "large coefficients are scaled": (
        [(dict.fromkeys(LAYOUT.assigned[:, 0], 1000000.0), 4.5e6, INF)],
        True,
    ),
    "a limit from below": ([(dict.fromkeys(LAYOUT.assigned[:, 0], -1.0), 0.5, INF)], True),
    "a limit that can be met from below": (
        [(dict.fromkeys(LAYOUT.assigned[:, 0], -1.0), -0.5, INF)],
        False,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_rows_contradict_what_every_diagram_satisfies(case):
    rows, is_infeasible = CASES[case]
    assert lp_infeasible(with_rows(*rows)) == is_infeasible
    # at a penalty everything is possible
    assert not lp_infeasible(with_rows(*rows, penalty=1.0))


def test_of_rows_of_both_kinds_the_hard_ones_count():
    never = (ones(LAYOUT.used[0]), -INF, 0.5)
    fine = (ones(LAYOUT.used[1]), -INF, 0.5)
    assert not lp_infeasible(with_rows(never, fine, penalty=[1.0, INF]))
    assert lp_infeasible(with_rows(fine, never, penalty=[1.0, INF]))


def test_large_problems_and_those_without_hard_rows_are_not_tried(monkeypatch):
    assert not lp_infeasible(PROBLEM)
    monkeypatch.setattr(lp_relaxation, "MAX_OBSERVABLES", LAYOUT.size - 1)
    assert not lp_infeasible(with_rows((ones(LAYOUT.used[0]), -INF, 0.5)))
    monkeypatch.setattr(lp_relaxation, "MAX_OBSERVABLES", LAYOUT.size)
    assert lp_infeasible(with_rows((ones(LAYOUT.used[0]), -INF, 0.5)))
