"""Thresholds on dates are round: the start of a year if one is near, else of a month, else a day."""

import numpy as np
import pytest

from oddlearn.diagram.timestamps import shortest_timestamp, timestamp_text


def number(day):
    return float(np.datetime64(day, "D").astype(int))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("2021-11-20", "2022-01-19", "2022-01-01"),  # the next year is nearer than the last
        ("2021-12-20", "2022-02-28", "2022-01-01"),
        ("2021-03-10", "2021-04-18", "2021-04-01"),
        ("2021-03-02", "2021-03-04", "2021-03-03"),
    ],
)
def test_a_threshold_is_the_roundest_date_between_two_values(low, high, expected):
    middle = (number(low) + number(high)) / 2
    assert timestamp_text(shortest_timestamp(middle, number(low), number(high), "date"), "date") == expected
