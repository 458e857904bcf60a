"""Rows in the wrong place are ranked as difficult, however little time there is."""

import numpy as np

from oddlearn.solve.branch_and_bound.row_subsets import rank_rows_by_difficulty
from oddlearn.solve.budget import Budget


def blobs(n=300):
    """Two classes, separated at one half; every 20th row is on the wrong side."""
    random = np.random.default_rng(1)
    X = random.random((n, 3))
    is_wrong = np.arange(n) % 20 == 0
    gain = np.eye(2)[((X[:, 0] > 0.5) ^ is_wrong).astype(int)]
    return X, gain, is_wrong


def test_rows_on_the_wrong_side_come_first():
    X, gain, is_wrong = blobs()
    first = rank_rows_by_difficulty(X, gain, 0, Budget.of(60.0))[: is_wrong.sum()]
    assert is_wrong[first].mean() > 0.8


def test_rows_next_to_the_border_come_before_those_far_from_it():
    X, gain, _ = blobs()
    order = rank_rows_by_difficulty(X, gain, 0, Budget.of(60.0))
    distance = np.abs(X[:, 0] - 0.5)[order]
    assert distance[15:60].mean() < 0.7 * distance[-100:].mean()


def test_the_order_holds_every_row_once_with_or_without_time():
    X, gain, _ = blobs(50)
    for seconds in (60.0, 0.0):
        assert sorted(rank_rows_by_difficulty(X, gain, 0, Budget.of(seconds))) == list(range(50))


def test_the_order_follows_from_the_seed():
    X, gain, _ = blobs(60)
    first, second, other = (
        rank_rows_by_difficulty(X, gain, seed, Budget.of(60.0)).tolist() for seed in (3, 3, 4)
    )
    assert first == second != other


def test_rows_that_gain_the_same_from_every_class_do_no_harm():
    X, gain, _ = blobs(40)
    gain[::3] = 0.0
    gain[1::3] = 1.0
    assert sorted(rank_rows_by_difficulty(X, gain, 0, Budget.of(60.0))) == list(range(40))
