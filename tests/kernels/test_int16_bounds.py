"""Bounds in 16-bit integers against sums made one by one."""

import numpy as np
import pytest

from oddlearn.kernels.local_search.int16_bounds import INT16_INF, min_of_bins, min_of_path


def draw_costs(random, n, n_targets, top):
    """Return costs and prices of each target, and the arrays as the kernel reads them."""
    few = n_targets <= 4
    cost = random.integers(0, top, (n, n_targets))
    cost[random.random(n) < 0.3] = 0
    price = random.integers(0, 3 * top, n_targets)
    steps, every = np.zeros((n, 8), dtype=np.int16), np.zeros(8, dtype=np.int16)
    begin = np.full(16, INT16_INF, dtype=np.int16)
    total, after = cost.sum(axis=0), 4 if few else 8
    steps[:, :n_targets], every[:n_targets] = cost, total
    if few:
        steps[:, 4 : 4 + n_targets], every[4 : 4 + n_targets] = -cost, -total
    begin[:n_targets], begin[after : after + n_targets] = price, price + total
    return cost, price, steps, every, begin, few


def value(cost, price, before):
    """Return what a split costs with these samples before it."""
    return (cost[before].sum(axis=0) + price).min() + (cost[~before].sum(axis=0) + price).min()


@pytest.mark.parametrize("n_targets", range(1, 9))
def test_the_bound_on_a_path_is_the_smallest_value_of_any_split_between_different_values(n_targets):
    for seed in range(40):
        random = np.random.default_rng([n_targets, seed])
        n = int(random.integers(1, 40))
        cost, price, steps, _, begin, few = draw_costs(random, n, n_targets, 30)
        order = random.permutation(n).astype(np.int32)
        tied = (INT16_INF * (random.random(n) < 0.4)).astype(np.int16)
        splits = [value(cost, price, np.isin(np.arange(n), order[: k + 1])) for k in range(n) if tied[k] == 0]
        assert min_of_path(order, tied, steps, begin, few) == min(splits, default=INT16_INF)


@pytest.mark.parametrize("n_targets", range(1, 9))
def test_a_path_may_lead_through_some_of_the_samples_only(n_targets):
    random = np.random.default_rng(n_targets)
    cost, price, steps, _, begin, few = draw_costs(random, 30, n_targets, 30)
    cost[10:] = steps[10:] = 0
    after = 4 if few else 8
    begin[after : after + n_targets] = price + cost.sum(axis=0)
    tied = np.zeros(30, dtype=np.int16)
    all_of_them = random.permutation(30).astype(np.int32)
    members = all_of_them[all_of_them < 10]
    through = min_of_path(members, tied[:10], steps, begin, few)
    assert min_of_path(all_of_them, tied, steps, begin, few) == through


@pytest.mark.parametrize("n_targets", range(1, 9))
@pytest.mark.parametrize("n_bins", [1, 2, 3, 4, 7, 64])
def test_the_bound_between_bins_is_the_smallest_value_of_any_split(n_targets, n_bins):
    for seed in range(20):
        random = np.random.default_rng([n_targets, n_bins, seed])
        n = int(random.integers(1, 60))
        cost, price, steps, every, begin, few = draw_costs(random, n, n_targets, 30)
        bins = random.integers(0, n_bins, n).astype(np.uint8)
        least = min(value(cost, price, bins <= b) for b in range(n_bins))
        everybody = np.arange(n, dtype=np.int32)
        assert min_of_bins(bins, everybody, n_bins, -1, steps, every, begin, few) == least
        rare = everybody[bins != bins[0]]
        if rare.size:
            assert min_of_bins(bins, rare, n_bins, int(bins[0]), steps, every, begin, few) == least


def test_the_largest_sums_do_not_overflow():
    cost = np.array([[INT16_INF // 2, 0], [INT16_INF // 2, 1], [0, INT16_INF - 1]])
    steps, begin = np.zeros((3, 8), dtype=np.int16), np.full(16, INT16_INF, dtype=np.int16)
    steps[:, :2], steps[:, 4:6] = cost, -cost
    begin[:2], begin[4:6] = 0, cost.sum(axis=0)
    path, tied = np.arange(3, dtype=np.int32), np.zeros(3, dtype=np.int16)
    assert min_of_path(path, tied, steps, begin, True) == 1
    assert min_of_path(path[::-1].copy(), tied, steps, begin, True) == 1
