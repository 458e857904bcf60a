"""Conflict sets that are compared with the sides of rows."""

import numpy as np
import pytest

from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.conflict_pool import ConflictPool
from oddlearn.solve.hyperplanes.conflict_sets import ConflictSet


@pytest.mark.parametrize("seed", range(10))
def test_the_sets_that_sides_violate_are_those_that_a_loop_finds(seed):
    random = np.random.default_rng(seed)
    pool, sets, budget = ConflictPool(), [], Budget.of(None)
    for _ in range(200):  # more than there is room for at first
        rows = random.permutation(12)[: int(random.integers(1, 5))]
        sets.append(ConflictSet(rows, random.choice([-1, 1], rows.size).astype(np.int8)))
        pool.add(sets[-1])
        sides = random.integers(-1, 2, 12).astype(np.int8)
        violated = [
            each
            for each in sets
            if (sides[each.rows] == each.sides).all() or (sides[each.rows] == -each.sides).all()
        ]
        found = pool.find_violated(sides, budget)
        assert [id(each) for each in found] == [id(each) for each in violated]
    assert len(pool) == 200 and budget.meter.seconds > 0


def test_without_sets_nothing_is_violated():
    assert ConflictPool().find_violated(np.ones(3, dtype=np.int8), Budget.of(None)) == []
