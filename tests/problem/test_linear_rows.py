import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.problem import LinearRows
from oddlearn.problem.linear_rows import concatenate_rows

ROWS = LinearRows(np.array([[1.0, 2.0], [0.0, 1.0]]), [1.0, -np.inf], [2.0, 0.5], ("a", "b"))


@pytest.mark.parametrize(("seen", "violation"), [([1, 0], 0), ([0, 0], 1), ([1, 1], 1), ([0, 1], 0.5)])
def test_violation_is_the_largest_distance_to_a_limit(seen, violation):
    assert ROWS.max_violation(np.array(seen, dtype=float)) == violation


def test_stacked_rows_keep_their_order():
    both = concatenate_rows([ROWS, ROWS], 2)
    assert both.labels == ("a", "b", "a", "b")
    assert both.matrix.shape == (4, 2)
    assert len(concatenate_rows([], 2)) == 0
    assert concatenate_rows([], 2).max_violation(np.zeros(2)) == 0.0


def test_rows_over_other_observables_are_refused():
    with pytest.raises(InvalidInputError, match="same 3"):
        concatenate_rows([ROWS], 3)
    with pytest.raises(InvalidInputError, match="as many"):
        LinearRows(np.zeros((1, 2)), [0.0], [1.0, 2.0], ("a",))


def test_soft_rows_are_paid_for_and_hard_rows_are_kept():
    mixed = LinearRows(ROWS.matrix, ROWS.lower, ROWS.upper, ROWS.labels, [np.inf, 3.0])
    seen = np.array([0.0, 2.0])
    # the first row is 2 above its limit and must be kept, the second 1.5 above and costs 3 a unit
    assert (mixed.max_violation(seen), mixed.total_penalty(seen)) == (2.0, 4.5)
    assert (mixed.is_soft.tolist(), mixed.any_soft, mixed.n_hard) == ([False, True], True, 1)
    assert not ROWS.any_soft and ROWS.total_penalty(seen) == 0.0
    assert concatenate_rows([ROWS, mixed], 2).penalty.tolist() == [np.inf, np.inf, np.inf, 3.0]


@pytest.mark.parametrize("penalty", [[1.0], [-1.0, 1.0], [np.nan, 1.0]])
def test_penalties_are_one_for_each_row_and_not_negative(penalty):
    with pytest.raises(InvalidInputError, match="penalties"):
        LinearRows(ROWS.matrix, ROWS.lower, ROWS.upper, ROWS.labels, penalty)


def test_rows_are_selected_with_all_that_belongs_to_them():
    mixed = LinearRows(ROWS.matrix, ROWS.lower, ROWS.upper, ROWS.labels, [np.inf, 3.0])
    turned = mixed.select([1, 0, 1])
    assert turned.labels == ("b", "a", "b")
    assert turned.matrix.toarray().tolist() == [[0, 1], [1, 2], [0, 1]]
    assert turned.lower.tolist() == [-np.inf, 1.0, -np.inf]
    assert turned.upper.tolist() == [0.5, 2.0, 0.5]
    assert turned.penalty.tolist() == [3.0, np.inf, 3.0]
    both = concatenate_rows([mixed.select([1]), ROWS], 2)
    assert both.matrix.toarray().tolist() == [[0, 1], [1, 2], [0, 1]]
    assert both.lower.tolist() == [-np.inf, 1.0, -np.inf] and both.upper.tolist() == [0.5, 2.0, 0.5]


def test_columns_and_coefficients_leave_out_stored_zeros():
    from scipy.sparse import csr_array

    matrix = csr_array((np.array([5.0, 0.0, -2.0, 1.0]), [0, 1, 3, 2], [0, 3, 4]), shape=(2, 4))
    rows = LinearRows(matrix, [0.0, 0.0], [1.0, 1.0], ("a", "b"))
    assert [rows.columns_of(number).tolist() for number in (0, 1)] == [[0, 3], [2]]
    assert [rows.coefficients(number).tolist() for number in (0, 1)] == [[5.0, -2.0], [1.0]]


def test_a_penalty_of_nothing_is_soft_and_free():
    free = LinearRows(ROWS.matrix, ROWS.lower, ROWS.upper, ROWS.labels, 0.0)
    assert (free.n_hard, free.any_soft) == (0, True)
    assert free.max_violation(np.array([9.0, 9.0])) == free.total_penalty(np.array([9.0, 9.0])) == 0.0
    assert LinearRows.none(2).matrix.shape == (0, 2)


@pytest.mark.parametrize("part", ["lower", "upper", "penalty", "labels"])
def test_every_part_has_one_entry_for_each_row(part):
    parts = {"lower": [0.0], "upper": [1.0], "labels": ("a",), "penalty": [1.0]}
    LinearRows(np.zeros((1, 2)), **parts)
    with pytest.raises(InvalidInputError, match="as many"):
        LinearRows(np.zeros((1, 2)), **{**parts, part: parts[part] * 2})
