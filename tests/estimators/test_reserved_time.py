"""Seconds set aside for the steps after the search, as measured: by rows, nodes, values and passes."""

from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.estimators import reserved_time
from oddlearn.estimators.reserved_time import check_seconds, finishing_seconds, has_time_to_centre
from oddlearn.problem import TrainingData
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import build_problem
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.table.groups import SampleGroups


def time_left(seconds):
    return SimpleNamespace(remaining=lambda: seconds)


@pytest.fixture
def slow_passes(monkeypatch):
    """Let a pass that evaluates take a second, and reading a quarter of one."""
    monkeypatch.setattr(reserved_time, "pass_seconds", lambda problem: 1.0)
    monkeypatch.setattr(MemoryRows, "pass_seconds", 0.25)


def make_problem(n_rows=50, n_features=4, split="univariate", is_large=False):
    """Return a problem with seven nodes."""
    X, codes = np.arange(n_rows * n_features, dtype=float).reshape(n_rows, n_features), np.arange(n_rows) % 2
    if is_large:
        rows = MemoryRows.from_arrays(X, codes, np.ones(n_rows))
        data = LargeData(rows, 1 - np.eye(2), SampleGroups(codes, np.ones(n_rows), (0, 1)))
    else:
        data = TrainingData.collect(X / X.max(), codes, 2)
    return build_problem(data, Skeleton.parse("1-2-4"), 0.1, split)


def test_a_small_table_takes_time_by_rows_nodes_and_values():
    budget = time_left(10.0)
    per_row = 7 * 1e-7 + 4 * 2.5e-8
    assert finishing_seconds(make_problem(), budget) == pytest.approx(0.01 + 50 * per_row)
    weighed = per_row + 7 * 4 * (4e-9 + 3e-8)
    found = finishing_seconds(make_problem(split="multivariate"), budget)
    assert found == pytest.approx(0.01 + 50 * weighed)


def test_importances_of_weighted_sums_take_a_small_part_of_the_time():
    problem = make_problem(split="multivariate")
    found = finishing_seconds(problem, time_left(1e-4))
    terms = 50 * 7 * 4
    assert found == pytest.approx(0.01 + 50 * (7 * 1e-7 + 4 * 2.5e-8) + terms * 4e-9 + 0.15e-4)


@pytest.mark.parametrize(("seconds", "is_centred"), [(10.1, True), (9.9, False)])
def test_a_large_table_is_centred_if_a_pass_takes_a_tenth_of_the_time_at_most(
    slow_passes, seconds, is_centred
):
    problem, hashing = make_problem(is_large=True), 2 * 0.25 + 50 * 4 * 1.2e-9
    found = finishing_seconds(problem, time_left(seconds))
    assert found == pytest.approx(0.15 + hashing + is_centred)


def test_there_is_time_to_centre_if_a_pass_and_the_digest_fit(slow_passes):
    problem = make_problem(is_large=True)
    needed = 1.0 + 0.5 + 50 * 4 * 1.2e-9
    assert has_time_to_centre(problem, time_left(needed + 1e-3))
    assert not has_time_to_centre(problem, time_left(needed - 1e-3))


def test_the_check_of_single_nodes_takes_time_by_cells_and_at_most_a_share():
    assert check_seconds(make_problem(), time_left(10.0)) == pytest.approx(50 * 4 * 7 * 4e-7)
    assert check_seconds(make_problem(), time_left(0.001)) == pytest.approx(0.05 * 0.001)
    assert check_seconds(make_problem(is_large=True), time_left(10.0)) == 0.0
    assert check_seconds(make_problem(split="multivariate"), time_left(10.0)) == 0.0
    wide = SimpleNamespace(n_rows=10**6, n_features=100, is_merged=True)
    huge = SimpleNamespace(data=wide, split="univariate", skeleton=Skeleton.parse("1-2"))
    assert check_seconds(huge, time_left(1000.0)) == pytest.approx(2_000_000 * 4e-7)
