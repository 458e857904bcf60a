"""Intervals of the shares on final arcs, against those of scipy."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from oddlearn.diagram.arc_intervals import arc_intervals, wilson_interval
from oddlearn.diagram.metadata import ModelMetadata
from tests.diagram.drawings import crossed


@pytest.mark.parametrize(
    ("count", "total"), [(0, 1), (1, 1), (0, 7), (3, 7), (7, 7), (50, 1000), (999, 1000)]
)
def test_the_interval_is_wilson_s(count, total):
    known = binomtest(count, total).proportion_ci(method="wilson")
    assert wilson_interval(count, total) == pytest.approx((known.low, known.high), abs=1e-12)


def test_nothing_is_known_of_no_rows():
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_every_final_arc_has_its_class_its_rows_and_their_interval():
    diagram = crossed()
    weights = np.zeros((diagram.n_arcs, 2))
    # final arcs: 1 positive (class 1), 2 negative (class 0), 3 negative (class 0), 3 positive (class 1)
    weights[3], weights[4], weights[6] = [1, 4], [6, 2], [3, 0]
    for is_weighted in (False, True):
        metadata = ModelMetadata(None, ("no", "yes"), weights, is_weighted=is_weighted)
        found = arc_intervals(diagram, metadata)
        assert found["arc"].tolist() == [3, 4, 6, 7]
        assert found["class"].tolist() == [1, 0, 0, 1]
        assert found["n_rows"].tolist() == [5.0, 8.0, 3.0, 0.0]
        assert found["share"][:3].tolist() == [0.8, 0.75, 1.0] and math.isnan(found["share"][3])
        if is_weighted:
            assert np.isnan(found["low"]).all() and np.isnan(found["high"]).all()
        else:
            expected = [wilson_interval(*pair) for pair in ((4, 5), (6, 8), (3, 3), (0, 0))]
            assert list(zip(found["low"], found["high"], strict=True)) == expected
