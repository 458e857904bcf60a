"""Places of a feature: values in a row, drawn as distances of 0.4 margins."""

import numpy as np
import pytest

from oddlearn.diagram import Skeleton
from oddlearn.problem import TrainingData, pose
from oddlearn.solve.cpsat.context import RankedFeature, rank_features

STEP = 0.0004


def feature(steps):
    return RankedFeature.from_column(0, np.array(steps) * STEP, 0.001)


@pytest.mark.parametrize(
    ("steps", "low", "nearest", "skippable"),
    [
        ([0, 5, 10], [0, 5, 10], [0, 1, 2], [False, False, False]),
        ([0, 1, 10], [0, 10], [0, 1], [False, False]),
        ([0, 1, 2, 10], [0, 10], [0, 1], [False, False]),
        ([0, 1, 3, 10], [0, 1, 3, 10], [1, 2, 2, 3], [False, True, False, False]),
        ([0, 2, 4, 6], [0, 2, 4, 6], [1, 2, 3, 3], [False, True, True, False]),
    ],
)
def test_values_that_cannot_be_parted_share_a_place(steps, low, nearest, skippable):
    made = feature(steps)
    np.testing.assert_allclose(made.low, np.array(low) * STEP)
    assert made.nearest.tolist() == nearest
    assert made.skippable.tolist() == skippable


def test_every_row_has_its_place():
    made = feature([10, 0, 1, 10])
    assert [sorted(rows.tolist()) for rows in made.rows] == [[1, 2], [0, 3]]


def test_features_that_part_no_rows_or_the_same_are_left_out():
    X = np.array([[0.0, 0.0, 0.5, 1.0], [0.3, 0.6, 0.5, 0.5], [1.0, 1.0, 0.5, 0.0]])
    data = TrainingData.collect(X, np.array([0, 1, 0]), 2)
    problem = pose(data, Skeleton.parse("1"), 0.1, "univariate")
    assert [made.index for made in rank_features(problem)] == [0, 3]


def test_without_a_margin_every_value_is_a_place():
    assert RankedFeature.from_column(0, np.array([0.0, 1e-12, 1.0]), 0.0).n_places == 3
