import numpy as np
import pytest

from oddlearn.solve.root_bounds import inseparable_rows
from oddlearn.solve.root_bounds.inseparable_rows import close_pairs, single_linkage_blocks


def slow_pairs(X, radius):
    count = range(len(X))
    return {(i, j) for i in count for j in count if i < j and np.abs(X[i] - X[j]).max() <= radius}


@pytest.mark.parametrize("radius", [0.001, 0.03, 0.2])
def test_close_pairs_are_those_of_two_loops(radius):
    for seed in range(30):
        random = np.random.default_rng(seed)
        X = random.integers(0, 4, (40, 3)) / 3 + random.choice([0.0, 0.0007, 0.02], (40, 3))
        found = {tuple(sorted(pair)) for pair in close_pairs(X, radius).tolist()}
        assert found == slow_pairs(X, radius)


def test_rows_on_a_grid_are_all_alone():
    X = np.array([[a, b] for a in range(5) for b in range(5)]) / 4
    assert len(set(single_linkage_blocks(X, 0.01).tolist())) == 25
    assert len(close_pairs(X, 0.01)) == 0


def test_rows_without_features_share_a_block():
    assert single_linkage_blocks(np.empty((3, 0)), 0.1).tolist() == [0, 0, 0]


def test_of_too_many_close_pairs_none_are_listed(monkeypatch):
    X = np.array([[0.0], [0.1], [0.2], [5.0]])
    assert sorted(map(sorted, close_pairs(X, 0.15).tolist())) == [[0, 1], [1, 2]]
    monkeypatch.setattr(inseparable_rows, "MAX_PAIRS", 7)  # three rows with themselves, two pairs both ways
    assert len(close_pairs(X, 0.15)) == 2
    monkeypatch.setattr(inseparable_rows, "MAX_PAIRS", 6)
    assert close_pairs(X, 0.15).shape == (0, 2)
    monkeypatch.undo()
    monkeypatch.setattr(inseparable_rows, "MAX_CANDIDATES", 3)
    assert len(close_pairs(X, 0.15)) == 2
    monkeypatch.setattr(inseparable_rows, "MAX_CANDIDATES", 2)
    assert close_pairs(X, 0.15).shape == (0, 2)
