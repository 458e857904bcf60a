"""Bounds by whole numbers against sums made one by one."""

import numpy as np
import pytest

from oddlearn.kernels.whole import least_of, least_of_bins

ENDLESS = 32767


def laid(random, n, n_targets, top):
    """Costs and charges of each target, and the two arrays as the kernel reads them."""
    few = n_targets <= 4
    cost = random.integers(0, top, (n, n_targets))
    cost[random.random(n) < 0.3] = 0
    charge = random.integers(0, 3 * top, n_targets)
    steps, every = np.zeros((n, 8), dtype=np.int16), np.zeros(8, dtype=np.int16)
    begin = np.full(16, ENDLESS, dtype=np.int16)
    total, after = cost.sum(axis=0), 4 if few else 8
    steps[:, :n_targets], every[:n_targets] = cost, total
    if few:
        steps[:, 4 : 4 + n_targets], every[4 : 4 + n_targets] = -cost, -total
    begin[:n_targets], begin[after : after + n_targets] = charge, charge + total
    return cost, charge, steps, every, begin, few


def value(cost, charge, before):
    """What a cut costs with these samples before it."""
    return (cost[before].sum(axis=0) + charge).min() + (cost[~before].sum(axis=0) + charge).min()


@pytest.mark.parametrize("n_targets", range(1, 9))
def test_the_least_cut_on_a_path_is_the_least_of_all_that_are_no_ties(n_targets):
    for seed in range(40):
        random = np.random.default_rng([n_targets, seed])
        n = int(random.integers(1, 40))
        cost, charge, steps, _, begin, few = laid(random, n, n_targets, 30)
        order = random.permutation(n).astype(np.int32)
        joined = (ENDLESS * (random.random(n) < 0.4)).astype(np.int32)
        cuts = [
            value(cost, charge, np.isin(np.arange(n), order[: k + 1])) for k in range(n) if joined[k] == 0
        ]
        assert least_of(order, joined, steps, begin, few) == min(cuts, default=ENDLESS)


@pytest.mark.parametrize("n_targets", range(1, 9))
def test_a_path_may_lead_through_some_of_the_samples_only(n_targets):
    random = np.random.default_rng(n_targets)
    cost, charge, steps, _, begin, few = laid(random, 30, n_targets, 30)
    cost[10:] = steps[10:] = 0
    after = 4 if few else 8
    begin[after : after + n_targets] = charge + cost.sum(axis=0)
    joined = np.zeros(30, dtype=np.int32)
    all_of_them = random.permutation(30).astype(np.int32)
    members = all_of_them[all_of_them < 10]
    through = least_of(members, joined[:10], steps, begin, few)
    assert least_of(all_of_them, joined, steps, begin, few) == through


@pytest.mark.parametrize("n_targets", range(1, 9))
@pytest.mark.parametrize("n_bins", [1, 2, 3, 4, 7, 64])
def test_the_least_cut_between_bins_is_the_least_of_all(n_targets, n_bins):
    for seed in range(20):
        random = np.random.default_rng([n_targets, n_bins, seed])
        n = int(random.integers(1, 60))
        cost, charge, steps, every, begin, few = laid(random, n, n_targets, 30)
        bins = random.integers(0, n_bins, n).astype(np.uint8)
        least = min(value(cost, charge, bins <= b) for b in range(n_bins))
        everybody = np.arange(n, dtype=np.int32)
        assert least_of_bins(bins, everybody, n_bins, -1, steps, every, begin, few) == least
        rare = everybody[bins != bins[0]]
        if rare.size:
            assert least_of_bins(bins, rare, n_bins, int(bins[0]), steps, every, begin, few) == least


def test_the_largest_sums_do_not_overflow():
    cost = np.array([[ENDLESS // 2, 0], [ENDLESS // 2, 1], [0, ENDLESS - 1]])
    steps, begin = np.zeros((3, 8), dtype=np.int16), np.full(16, ENDLESS, dtype=np.int16)
    steps[:, :2], steps[:, 4:6] = cost, -cost
    begin[:2], begin[4:6] = 0, cost.sum(axis=0)
    path, joined = np.arange(3, dtype=np.int32), np.zeros(3, dtype=np.int32)
    assert least_of(path, joined, steps, begin, True) == 1
    assert least_of(path[::-1].copy(), joined, steps, begin, True) == 1
