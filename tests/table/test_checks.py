import pytest

from oddlearn.errors import InvalidInputError
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
