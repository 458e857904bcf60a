import numpy as np
import pytest

from oddlearn.report.page_tables import group_outcomes


def rates(one):
    return one.error_rate, one.selection_rate, one.false_negative_rate, one.false_positive_rate


def test_group_rates_are_those_of_the_textbook():
    codes = np.array([1, 1, 0, 0, 1, 0, 0])
    predicted = np.array([1, 0, 1, 0, 1, 0, 0])
    first, second = group_outcomes(codes, predicted, list("ffffmmm"), 1, np.ones(7))
    assert (first.group, first.size, second.group, second.size) == ("f", 4, "m", 3)
    assert rates(first) == (0.5, 0.5, 0.5, 0.5)
    assert (rates(second)[0], *rates(second)[2:]) == (0.0, 0.0, 0.0)
    assert second.selection_rate == pytest.approx(1 / 3)


def test_a_group_without_a_class_has_no_rate_of_it():
    outcomes = group_outcomes(np.array([0, 0]), np.array([0, 0]), ["a", "a"], 1, np.ones(2))
    assert np.isnan(outcomes[0].false_negative_rate)
    assert outcomes[0].false_positive_rate == 0
