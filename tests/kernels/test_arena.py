"""One block for many arrays: none overlaps another, all are aligned and zero."""

import numpy as np
import pytest

from oddlearn.kernels.common.arena import hand_out

ALIGNMENT = 64


@pytest.mark.parametrize("seed", range(5))
def test_arrays_follow_each_other_aligned_zero_and_without_overlap(seed):
    sizes = np.random.default_rng(seed).integers(0, 300, 20).tolist()
    starts, total, clean = hand_out(sizes)
    assert clean
    assert all(start % ALIGNMENT == 0 for start in starts)
    for start, size, following in zip(starts, sizes, [*starts[1:], total], strict=True):
        assert start + size <= following < start + size + ALIGNMENT


def test_an_empty_list_needs_nothing():
    assert hand_out([]) == ([], 0, True)
