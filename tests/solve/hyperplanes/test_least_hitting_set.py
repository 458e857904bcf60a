"""Least hitting sets against all sets of rows."""

from itertools import product

import numpy as np
import pytest

from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.least_hitting_set import HittingSetSearch


@pytest.mark.parametrize("seed", range(60))
def test_sets_and_bounds_are_those_of_all_sets_while_cores_are_added(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 9))
    is_integer = bool(random.random() < 0.5)
    cost = random.integers(0, 4, n).astype(float) if is_integer else random.random(n)
    search = HittingSetSearch(cost, (lambda bound: float(np.ceil(bound - 1e-9))) if is_integer else float)
    sets, hits = np.array(list(product([False, True], repeat=n))), np.ones(2**n, dtype=bool)
    for _ in range(4):
        for _ in range(int(random.integers(1, 5))):
            core = random.permutation(n)[: int(random.integers(1, 4))]
            search.add(core)
            hits &= sets[:, core].any(axis=1)
        found = search.run(Budget.of(None))
        least = float((sets[hits] @ cost).min())
        assert found.bound <= least + 1e-9
        assert search._round_up(found.bound) == pytest.approx(least, abs=1e-8)
        assert float(cost[found.is_hit].sum()) == pytest.approx(least)
        assert hits[(sets == found.is_hit).all(axis=1)].all()


def test_pairs_of_an_odd_cycle_need_a_branch():
    search = HittingSetSearch(np.ones(7), float)
    for row in range(7):
        search.add(np.array([row, (row + 1) % 7]))
    found = search.run(Budget.of(None))
    assert found.bound == pytest.approx(4) and found.is_hit.sum() == 4


def test_without_time_there_is_no_set():
    search = HittingSetSearch(np.ones(2), float)
    search.add(np.array([0, 1]))
    assert search.run(Budget.of(0.0)) is None


@pytest.mark.parametrize(("is_solved", "seconds"), [(False, None), (True, 0.0)])
def test_a_program_that_was_not_solved_or_only_late_proves_nothing(monkeypatch, is_solved, seconds):
    search = HittingSetSearch(np.ones(3), float)
    search.add(np.array([0, 1]))
    if is_solved:
        budget = Budget.of(None)
        solve = search._program.solve
        monkeypatch.setattr(search._program, "solve", lambda _: solve(budget))
    else:
        monkeypatch.setattr(search._program, "solve", lambda _: None)
    assert search.run(Budget.of(seconds)) is None
