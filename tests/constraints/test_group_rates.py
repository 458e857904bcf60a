"""Rates of predictions against counting by hand."""

import math

import numpy as np
import pytest

from oddlearn.constraints.group_rates import RATES, rate_of_predictions

TRUE = np.array([0, 0, 1, 1, 1, 2])
PREDICTED = np.array([0, 1, 1, 0, 1, 1])
WEIGHT = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


def by_hand(kind, favourable):
    """Return the weight of the samples where it happens over that of those that count, in a plain loop."""
    rate, counted, happened = RATES[kind], 0.0, 0.0
    for true, predicted, weight in zip(TRUE, PREDICTED, WEIGHT, strict=True):
        one = np.array([true]), np.array([predicted])
        if rate.is_counted(one[0], favourable)[0]:
            counted += weight
            happened += weight * bool(rate.happens(*one, favourable)[0])
    return happened / counted


@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("favourable", [0, 1])
def test_a_rate_is_a_share_of_the_weight_that_counts(kind, favourable):
    found = rate_of_predictions(kind, TRUE, PREDICTED, WEIGHT, favourable)
    assert found == pytest.approx(by_hand(kind, favourable))


@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("rows", [slice(0, 0), slice(None)])
def test_a_rate_of_nobody_is_not_a_number(kind, rows):
    """No samples at all, or none with weight: nothing is divided by zero."""
    nobody = rate_of_predictions(kind, TRUE[rows], PREDICTED[rows], 0 * WEIGHT[rows], 1)
    assert math.isnan(nobody)
