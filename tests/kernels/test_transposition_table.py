"""The table of bounds keeps what it stores as it grows, and forgets only when it is full."""

import numpy as np
import pytest

from oddlearn.kernels.branch_and_bound.transposition_table import store_all

LOG_ENTRIES = 14


def store_random(n_sets):
    hashes = np.random.default_rng(n_sets).integers(0, 2**64, (n_sets, 2), dtype=np.uint64)
    found, n_entries = store_all(hashes, LOG_ENTRIES)
    return np.array(found), n_entries


@pytest.mark.parametrize("n_sets", [1, 200, 300, 1500, 4000])
def test_a_table_that_grows_loses_hardly_any_bound(n_sets):
    found, n_entries = store_random(n_sets)
    is_kept = found >= 0
    assert (found[is_kept] == np.flatnonzero(is_kept)).all()
    assert is_kept.mean() > 0.98
    assert n_entries >= min(2**LOG_ENTRIES, 3 * n_sets)


def test_a_full_table_replaces_bounds_and_mixes_up_none():
    found, n_entries = store_random(100_000)
    is_kept = found >= 0
    assert (found[is_kept] == np.flatnonzero(is_kept)).all()
    assert n_entries == 2**LOG_ENTRIES
    assert 0.9 * n_entries < is_kept.sum() <= n_entries


def test_sets_whose_first_hashes_share_their_last_bits_are_told_apart():
    hashes = np.zeros((64, 2), dtype=np.uint64)
    hashes[:, 1] = np.arange(64)
    found, _ = store_all(hashes, LOG_ENTRIES)
    is_kept = np.array(found) >= 0
    assert (np.array(found)[is_kept] == np.flatnonzero(is_kept)).all()
