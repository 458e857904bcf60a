"""Symmetry and node limits of constraint rows, against dense rows moved by hand."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.row_structure import NodeLimits, sides_are_symmetric, slots_are_symmetric
from oddlearn.problem.training_problem import build_problem

DATA = TrainingData.collect(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]), 2)
SKELETON = Skeleton.parse("1-2-3")


class Given:
    """Rows as a test has them."""

    def __init__(self, matrix, upper=1.0, lower=-np.inf, penalty=np.inf):
        self.matrix, n = np.atleast_2d(matrix), len(np.atleast_2d(matrix))
        self.lower, self.upper = np.full(n, lower), np.full(n, upper)
        self.penalty = np.full(n, penalty)

    def rows(self, data, layout):
        labels = tuple(map(str, range(len(self.matrix))))
        return LinearRows(self.matrix, self.lower, self.upper, labels, self.penalty)


def constrained(*given):
    return build_problem(DATA, SKELETON, 0.1, "univariate", constraints=given)


LAYOUT = constrained().layout


def bag(matrix):
    return Counter(map(tuple, np.asarray(matrix).tolist()))


def slow_sides(matrix):
    """positive[i, v] becomes reached[i, v] - positive[i, v], for each node alone."""
    for slot in range(LAYOUT.n_slots):
        turned = matrix.copy()
        for i in range(LAYOUT.n_rows):
            p, r = LAYOUT.positive[i, slot], LAYOUT.reached[i, slot]
            turned[:, r] = matrix[:, r] + matrix[:, p]
            turned[:, p] = -matrix[:, p]
        if bag(turned) != bag(matrix):
            return False
    return True


def slow_slots(matrix):
    """Any two slots of a layer change places."""
    for one, two in product(range(LAYOUT.n_slots), repeat=2):
        if one < two and SKELETON.layer_of[one] == SKELETON.layer_of[two]:
            moved = matrix.copy()
            for kind in (LAYOUT.reached, LAYOUT.positive, LAYOUT.used[None]):
                moved[:, kind[:, one]] = matrix[:, kind[:, two]]
                moved[:, kind[:, two]] = matrix[:, kind[:, one]]
            if bag(moved) != bag(matrix):
                return False
    return True


@pytest.mark.parametrize("place", range(LAYOUT.size))
def test_a_row_on_one_observable_is_as_symmetric_as_that_observable(place):
    matrix = np.zeros((1, LAYOUT.size))
    matrix[0, place] = 1.0
    problem = constrained(Given(matrix))
    assert sides_are_symmetric(problem) == slow_sides(matrix) == (place not in LAYOUT.positive)
    slotted = [LAYOUT.reached[:, 1:], LAYOUT.positive[:, 1:], LAYOUT.used[1:]]
    assert slots_are_symmetric(problem) == slow_slots(matrix)
    assert slow_slots(matrix) == (place not in np.concatenate([kind.ravel() for kind in slotted]))


def test_rows_that_speak_of_all_alike_are_symmetric_and_no_longer_when_one_is_changed():
    for seed in range(20):
        random = np.random.default_rng(seed)
        # one row per side of each node, with the same coefficients: limits of the flow through each arc
        weight, rows = random.integers(1, 4, LAYOUT.n_rows), []
        for slot in range(LAYOUT.n_slots):
            above, below = np.zeros((2, LAYOUT.size))
            above[LAYOUT.positive[:, slot]] = weight
            below[LAYOUT.reached[:, slot]], below[LAYOUT.positive[:, slot]] = weight, -weight
            rows += [above, below]
        matrix = np.array(rows)
        assert sides_are_symmetric(constrained(Given(matrix))) and slow_sides(matrix)
        assert slots_are_symmetric(constrained(Given(matrix))) and slow_slots(matrix)
        row, place = random.integers(len(matrix)), random.integers(LAYOUT.size)
        matrix[row, place] += 1
        assert sides_are_symmetric(constrained(Given(matrix))) == slow_sides(matrix)
        assert slots_are_symmetric(constrained(Given(matrix))) == slow_slots(matrix)


@pytest.mark.parametrize("changed", ["lower", "upper", "penalty"])
def test_rows_that_differ_in_a_limit_or_a_penalty_are_not_exchanged(changed):
    matrix = np.zeros((2, LAYOUT.size))
    matrix[0, LAYOUT.used[1]] = matrix[1, LAYOUT.used[2]] = 1.0
    given = Given(matrix, lower=0.0, penalty=1.0)
    assert slots_are_symmetric(constrained(given))
    getattr(given, changed)[1] += 0.5
    assert not slots_are_symmetric(constrained(given))


def used_row(*coefficients):
    matrix = np.zeros(LAYOUT.size)
    matrix[LAYOUT.used] = coefficients
    return matrix


def test_node_limits_are_the_hard_upper_limits_alike_in_a_layer():
    a_reached, a_root, nothing = np.zeros((3, LAYOUT.size))
    a_reached[LAYOUT.reached[0, 0]] = a_root[LAYOUT.root_splits] = 1.0
    limit = used_row(1, 2, 2, 0, 0, 0)
    problem = constrained(
        Given(limit, 3.0),
        Given(limit, 2.0, penalty=1.0),  # soft
        Given(limit, 4.0, lower=1.0),  # a lower limit too
        Given(limit, np.inf),  # no limit
        Given(used_row(1, 1, 2, 0, 0, 0)),  # tells slots of a layer apart
        Given(used_row(1, 1, 1, -1, -1, -1)),  # pays back
        Given(a_reached),
        Given(a_root),
        Given(limit, 5.0, lower=0.0),
        Given(nothing, 0.5),
    )
    limits = NodeLimits.from_problem(problem)
    assert limits.numbers == [0, 8, 9]
    assert limits.coefficients.tolist() == [[1, 2, 0], [1, 2, 0], [0, 0, 0]]
    assert limits.limits.tolist() == [3.0, 5.0, 0.5]


def test_node_limits_allow_what_the_rows_allow():
    matrix = np.array([used_row(1, 1, 1, 1, 1, 1), used_row(0, 0, 0, 1, 1, 1)])
    given = Given(matrix, 4.0)
    given.upper[1] = 2.0
    limits = NodeLimits.from_problem(constrained(given))
    for counts in product([1], range(3), range(4)):
        assert limits.allows(counts) == (sum(counts) <= 4 and counts[2] <= 2), counts
    assert limits.allows((1, 2))
