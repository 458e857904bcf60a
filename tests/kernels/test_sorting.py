"""Keys sorted by the kernel, against numpy."""

import numpy as np
import pytest

from oddlearn.kernels.common.sorting import sort_arrays


def draw_keys(kind, n, random):
    """Return keys of a shape that quicksort may find hard."""
    if kind == "sorted":
        return np.sort(random.random(n))
    if kind == "reversed":
        return np.sort(random.random(n))[::-1].copy()
    return random.integers(0, 3, n).astype(float) if kind == "tied" else random.random(n)


@pytest.mark.parametrize("kind", ["random", "sorted", "reversed", "tied"])
@pytest.mark.parametrize("n", [0, 1, 2, 23, 24, 25, 26, 100, 1000])
def test_ids_follow_their_keys(kind, n):
    given = draw_keys(kind, n, np.random.default_rng(n))
    keys, ids = given.copy(), np.arange(n, dtype=np.int32)
    sort_arrays(keys, ids)
    np.testing.assert_array_equal(keys, np.sort(given))
    np.testing.assert_array_equal(given[ids], keys)
    assert sorted(ids.tolist()) == list(range(n))
