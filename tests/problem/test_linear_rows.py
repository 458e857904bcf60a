import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.problem import LinearRows
from oddlearn.problem.linear_rows import stack

ROWS = LinearRows(np.array([[1.0, 2.0], [0.0, 1.0]]), [1.0, -np.inf], [2.0, 0.5], ("a", "b"))


@pytest.mark.parametrize(("seen", "violation"), [([1, 0], 0), ([0, 0], 1), ([1, 1], 1), ([0, 1], 0.5)])
def test_violation_is_the_largest_distance_to_a_limit(seen, violation):
    assert ROWS.violation(np.array(seen, dtype=float)) == violation


def test_stacked_rows_keep_their_order():
    both = stack([ROWS, ROWS], 2)
    assert both.labels == ("a", "b", "a", "b")
    assert both.matrix.shape == (4, 2)
    assert len(stack([], 2)) == 0
    assert stack([], 2).violation(np.zeros(2)) == 0.0


def test_rows_over_other_observables_are_refused():
    with pytest.raises(InvalidInputError, match="same 3"):
        stack([ROWS], 3)
    with pytest.raises(InvalidInputError, match="as many"):
        LinearRows(np.zeros((1, 2)), [0.0], [1.0, 2.0], ("a",))


def test_soft_rows_are_paid_for_and_hard_rows_are_kept():
    mixed = LinearRows(ROWS.matrix, ROWS.lower, ROWS.upper, ROWS.labels, [np.inf, 3.0])
    seen = np.array([0.0, 2.0])
    # the first row is 2 above its limit and must be kept, the second 1.5 above and costs 3 a unit
    assert (mixed.violation(seen), mixed.penalty(seen)) == (2.0, 4.5)
    assert (mixed.is_soft.tolist(), mixed.any_soft, mixed.n_hard) == ([False, True], True, 1)
    assert not ROWS.any_soft and ROWS.penalty(seen) == 0.0
    assert stack([ROWS, mixed], 2).price.tolist() == [np.inf, np.inf, np.inf, 3.0]


@pytest.mark.parametrize("price", [[1.0], [-1.0, 1.0], [np.nan, 1.0]])
def test_prices_are_one_for_each_row_and_not_negative(price):
    with pytest.raises(InvalidInputError, match="price"):
        LinearRows(ROWS.matrix, ROWS.lower, ROWS.upper, ROWS.labels, price)
