import numpy as np
import pytest

from oddlearn.report.page_tables import RATES, group_rates


def test_group_rates_are_those_of_the_textbook():
    codes = np.array([1, 1, 0, 0, 1, 0, 0])
    predicted = np.array([1, 0, 1, 0, 1, 0, 0])
    found = group_rates(codes, predicted, list("ffffmmm"), 1, np.ones(7))
    assert RATES == ("error rate", "selection rate", "false negative rate", "false positive rate")
    assert list(found) == ["f", "m"]
    assert found["f"] == [4, 0.5, 0.5, 0.5, 0.5]
    assert found["m"] == [3, 0.0, pytest.approx(1 / 3), 0.0, 0.0]


def test_a_group_without_a_class_has_no_rate_of_it():
    found = group_rates(np.array([0, 0]), np.array([0, 0]), ["a", "a"], 1, np.ones(2))
    assert np.isnan(found["a"][3])
    assert found["a"][4] == 0
