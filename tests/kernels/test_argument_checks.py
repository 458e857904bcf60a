"""What would read or write beyond an array is refused by the kernels, and nothing less is."""

import numpy as np
import pytest

from oddlearn.kernels.histogram.layer_histogram import RowPass
from tests.solve.branch_and_bound.drawn import build_kernel, drawn_problem

N_ROWS, N_CLASSES = 6, 2


def ints(*values):
    return np.array(values, dtype=np.int32)


def one_node(*bins):
    """Return the passes of a diagram of one node, which sends bins up to 1 to class 0."""
    bytes_ = [np.array(column, dtype=np.uint8) for column in bins]
    low, high, active = (np.array([value], dtype=np.uint8) for value in (0, 1, 1))
    return RowPass(bytes_, np.array([[1, 2]], dtype=np.int32), ints(0), low, high, active, N_CLASSES)


def add_sums(**changes):
    """Add the costs of two targets and the flow, with some arguments changed; return the sums."""
    given = {
        "last": N_ROWS,
        "targets": ints(1, 2),
        "cost": np.ones((N_CLASSES, N_CLASSES)) - np.eye(N_CLASSES),
        "codes": np.array([0, 1] * 3, dtype=np.uint8),
        "weight": np.empty(0),
        "flow": np.ones(N_ROWS),
        "columns": ints(0),
        "sums": np.zeros((1, 1, 256, 3), dtype=np.int64),
    } | changes
    last, *others = given.values()
    one_node(range(N_ROWS)).add_sums(0, last, 1, 1, ints(0), ints(-1, -1), *others)
    return given["sums"]


def test_costs_and_flows_of_all_rows_are_added_by_bin():
    sums = add_sums()[0, 0, :N_ROWS]
    assert sums.tolist() == [[0, 1, 1], [1, 0, 1]] * 3


@pytest.mark.parametrize("name", ["codes", "weight", "flow"])
@pytest.mark.parametrize("n_rows", [N_ROWS - 1, N_ROWS + 1])
def test_values_of_other_numbers_of_rows_are_refused(name, n_rows):
    values = np.ones(n_rows, dtype=np.uint8 if name == "codes" else np.float64)
    with pytest.raises(ValueError, match="not as many classes, weights or flows"):
        add_sums(**{name: values})


@pytest.mark.parametrize(
    "changes",
    [
        {"sums": np.zeros((1, 1, 256, 2), dtype=np.int64)},  # two costs and no lane for the flow
        {"flow": np.empty(0), "sums": np.zeros((1, 1, 256, 1), dtype=np.int64)},
        {"last": N_ROWS + 1},
        {"columns": ints(0, 0)},
    ],
)
def test_too_few_lanes_columns_or_rows_are_refused(changes):
    with pytest.raises(ValueError, match="too few lanes or columns"):
        add_sums(**changes)


def test_as_many_lanes_as_costs_do_without_flows():
    sums = add_sums(flow=np.empty(0), sums=np.zeros((1, 1, 256, 2), dtype=np.int64))
    assert sums[0, 0, :N_ROWS].tolist() == [[0, 1], [1, 0]] * 3


def test_fewer_costs_than_classes_are_refused():
    with pytest.raises(ValueError, match="not as many costs"):
        add_sums(cost=np.zeros((N_CLASSES - 1, N_CLASSES)))
    with pytest.raises(ValueError, match="not as many costs"):
        add_sums(cost=np.zeros((N_ROWS - 1, N_CLASSES)), codes=np.empty(0, dtype=np.uint8))


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="different numbers of rows"):
        one_node(range(5), range(6))


def test_a_bound_of_more_levels_than_there_is_room_for_is_refused():
    _, kernel = build_kernel(drawn_problem(3, 8), 2)
    kernel.bound(np.zeros(2), ints(0, 0), np.inf, 1.0)
    with pytest.raises(ValueError, match="3 levels; at most 2"):
        kernel.bound(np.zeros(3), ints(0, 0, 0), np.inf, 1.0)
