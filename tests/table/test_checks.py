import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.table import checks
from oddlearn.table.checks import check_int, list_names


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "a"), (5, "a, b, c, d, e"), (6, "a, b, c, d, e and 1 more"), (8, "a, b, c, d, e and 3 more")],
)
def test_a_message_names_five_and_counts_the_others(count, text):
    assert list_names(list("abcdefgh")[:count]) == text


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "1", None])
def test_what_is_no_whole_number_of_at_least_one_is_refused(value):
    with pytest.raises(InvalidInputError, match="at least 1"):
        check_int("n", value)


def test_the_least_whole_number_is_allowed():
    assert (check_int("n", 1), check_int("n", 0, low=0)) == (1, 0)


@pytest.mark.parametrize(
    ("value", "text"), [(2**70, "a whole number of 71 bits"), (2**64 - 1, str(2**64 - 1)), (1e300, "1e+300")]
)
def test_a_number_of_many_digits_is_told_by_its_length(value, text):
    assert checks._short(value) == text
    with pytest.raises(InvalidInputError, match=text.replace("+", ".")):
        checks.check_number("a", value, high=10.0)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.25), np.int64(1)])
def test_shares_lie_between_0_and_1(value):
    assert checks.check_share("a", value) == value


@pytest.mark.parametrize("value", [-0.01, 1.01, True, "0.5", None, float("nan")])
def test_what_is_no_share_is_refused(value):
    with pytest.raises(InvalidInputError, match="give a number from 0 to 1"):
        checks.check_share("a", value)


@pytest.mark.parametrize("value", [0, -1.0, True, "1", float("nan"), float("inf"), 2 * checks.LARGEST_WEIGHT])
def test_what_is_no_price_of_a_constraint_is_refused(value):
    with pytest.raises(InvalidInputError, match="give a number above 0, at most"):
        checks.check_penalty_weight("a", value)
    assert checks.check_penalty_weight("a", checks.LARGEST_WEIGHT) == checks.LARGEST_WEIGHT


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "has shape"),
        ([[0, -1], [1, 0]], "negative or non-finite"),
        ([[0, np.nan], [1, 0]], "negative or non-finite"),
        ([[0, 2 * checks.LARGEST_SCALE], [1, 0]], "largest cost is"),
        ([[0, checks.SMALLEST_SCALE / 2], [0, 0]], "largest cost is"),
    ],
)
def test_costs_that_make_no_sense_are_refused(matrix, message):
    with pytest.raises(InvalidInputError, match=message):
        checks.check_costs(matrix, 2)


def test_costs_are_errors_unless_they_are_given():
    assert checks.check_costs(None, 2).tolist() == [[0, 1], [1, 0]]
    for largest in (checks.SMALLEST_SCALE, checks.LARGEST_SCALE):
        assert checks.check_costs([[0, largest], [0, 0]], 2)[0, 1] == largest
    assert checks.check_costs(np.zeros((2, 2)), 2).tolist() == [[0, 0], [0, 0]]
