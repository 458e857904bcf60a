import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.problem import LinearRows, stack

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
