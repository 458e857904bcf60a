import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from tests.oracles.missing import RawTable, optimal_objective_on_raw_rows, tiny_table


def table(column, codes, skeleton="1", alpha=0.0):
    n_classes = max(codes) + 1
    X = np.array(column, dtype=float)[:, None]
    costs = 1.0 - np.eye(n_classes)
    return RawTable(X, np.array(codes), np.ones(len(codes)), costs, Skeleton.parse(skeleton), alpha)


@pytest.mark.parametrize(
    ("column", "codes", "expected"),
    [
        ([1, 2, None, None], [0, 1, 1, 1], 0.0),  # a threshold with missing values on the positive side
        ([1, 2, None, None], [0, 1, 0, 0], 0.0),  # on the negative side
        ([1, 2, None, None], [0, 0, 1, 1], 0.0),  # is missing?
        ([1, 2, 3, None], [0, 1, 0, 1], 0.25),
    ],
)
def test_one_node_learns_where_missing_values_go(column, codes, expected):
    assert optimal_objective_on_raw_rows(table(column, codes)) == pytest.approx(expected)


def test_three_groups_need_two_nodes():
    given = table([1, 2, None], [0, 1, 2], "1-1", alpha=0.1)
    assert optimal_objective_on_raw_rows(given) == pytest.approx(0.1)


def test_tiny_tables_have_missing_values_in_all_the_ways_that_matter():
    missing = [np.isnan(tiny_table(seed).X) for seed in range(300)]
    assert sum(holes.any() for holes in missing) > 270
    assert sum(holes.all(axis=0).any() for holes in missing) > 10
    assert sum((holes.sum(axis=0) == len(holes) - 1).any() for holes in missing) > 20
