import numpy as np
import pytest

from oddlearn.report.group_outcomes import group_outcomes, read_groups


def rates(one):
    return one.error_rate, one.selection_rate, one.false_negative_rate, one.false_positive_rate


def test_group_rates_are_those_of_the_textbook():
    codes = np.array([1, 1, 0, 0, 1, 0, 0])
    predicted = np.array([1, 0, 1, 0, 1, 0, 0])
    first, second = group_outcomes(codes, predicted, ["f", "f", "f", "f", "m", "m", "m"], 1)
    assert (first.group, first.size, second.group, second.size) == ("f", 4, "m", 3)
    assert rates(first) == (0.5, 0.5, 0.5, 0.5)
    assert (rates(second)[0], *rates(second)[2:]) == (0.0, 0.0, 0.0)
    assert second.selection_rate == pytest.approx(1 / 3)


def test_a_group_without_a_class_has_no_rate_of_it():
    outcomes = group_outcomes(np.array([0, 0]), np.array([0, 0]), ["a", "a"], 1)
    assert np.isnan(outcomes[0].false_negative_rate)
    assert outcomes[0].false_positive_rate == 0


def test_sensitive_features_come_as_a_column_a_frame_or_a_dict():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"sex": ["f", "m"], "old": [True, False]})
    wanted = {"sex": ["f", "m"], "old": ["True", "False"]}
    assert read_groups(frame, 2) == wanted
    assert read_groups({"sex": ["f", "m"], "old": [True, False]}, 2) == wanted
    assert read_groups(frame["sex"], 2) == {"sex": ["f", "m"]}
    assert read_groups(np.array(["f", "m"]), 2) == {"group": ["f", "m"]}
