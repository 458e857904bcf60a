"""Features by rank: their distinct values in ascending order."""

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.cpsat.context import RankedFeature, rank_features


def test_every_value_has_a_rank_however_close():
    values = [0.5, np.nextafter(0.5, 1.0), 1.0]
    column = np.array([values[2], values[0], values[1], values[0]])
    made = RankedFeature.from_columns(RankedColumns(column[:, None]), 0)
    assert made.values.tolist() == values


def test_every_row_has_its_rank():
    made = RankedFeature.from_columns(RankedColumns(np.array([[10.0, 0.0, 1.0, 10.0]]).T), 0)
    assert [sorted(rows.tolist()) for rows in made.rows] == [[1], [2], [0, 3]]


def test_features_that_part_no_rows_or_the_same_are_left_out():
    X = np.array([[0.0, 0.0, 0.5, 1.0], [0.3, 0.6, 0.5, 0.5], [1.0, 1.0, 0.5, 0.0]])
    data = TrainingData.collect(X, np.array([0, 1, 0]), 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.1, "univariate")
    assert [made.index for made in rank_features(problem)] == [0, 3]
