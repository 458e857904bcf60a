"""Ways of rows as a formula, against all routes of all rows."""

from itertools import product

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.conflict_sets import ConflictSet
from oddlearn.solve.hyperplanes.routing_formula import RoutingFormula
from oddlearn.solve.hyperplanes.topologies import list_topologies

TOPOLOGIES = [topology for k in (2, 3) for topology in list_topologies(Skeleton.parse("1-2-4"), k, 3)]


def end_of(topology, sides):
    node = 0
    while node >= 0:
        node = topology.targets[node][sides[node]]
    return -1 - node


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_routed_if_their_sides_can_be_chosen_without_conflict(seed):
    random = np.random.default_rng(seed)
    topology = TOPOLOGIES[int(random.integers(len(TOPOLOGIES)))]
    n, k = 4, topology.n_nodes
    is_cheapest = random.random((n, len(topology.codes))) < 0.4
    is_cheapest[np.arange(n), random.integers(0, len(topology.codes), n)] = True
    formula, budget = RoutingFormula(topology, is_cheapest), Budget.of(None)
    conflicts = []
    for _ in range(int(random.integers(1, 6))):
        rows = random.permutation(n)[: int(random.integers(1, 4))]
        conflicts.append(ConflictSet(rows, random.choice([-1, 1], rows.size).astype(np.int8)))
        formula.add(conflicts[-1])
    kept = np.flatnonzero(random.random(n) < 0.8)
    answer = formula.solve(kept, 10**6, budget)
    is_routed = any(
        not has_conflict(conflicts, np.array(sides) * 2 - 1, kept)
        for sides in product(product((0, 1), repeat=k), repeat=n)
        if all(is_cheapest[row, topology.codes.index(end_of(topology, sides[row]))] for row in kept)
    )
    assert answer or not is_routed  # the formula asks for less
    if not answer:
        assert set(formula.core_rows().tolist()) <= set(kept.tolist())
        return
    chosen = formula.needed_sides(np.isin(np.arange(n), kept))
    assert not chosen[np.setdiff1d(np.arange(n), kept)].any()
    for row in kept:
        ends = [
            end_of(topology, sides)
            for sides in product((0, 1), repeat=k)
            if all(need == 0 or (need > 0) == side for need, side in zip(chosen[row], sides, strict=True))
        ]
        assert all(is_cheapest[row, topology.codes.index(end)] for end in ends)
    assert not has_conflict(conflicts, chosen, kept)


def has_conflict(conflicts, sides, kept):
    """Return True if kept rows have all sides of a conflict set at a node, or all the opposite ones."""
    return any(
        np.isin(each.rows, kept).all()
        and np.abs((sides[each.rows, node] * each.sides).sum()) == each.rows.size
        for each in conflicts
        for node in range(sides.shape[1])
    )


def test_rows_take_the_way_that_is_preferred():
    (chain,) = (each for each in list_topologies(Skeleton.parse("1-1"), 2, 2) if each.targets[0][0] == -2)
    formula = RoutingFormula(chain, np.array([[False, True]] * 2))
    for distances, side in ((np.array([[-2.0, 1], [-1, -3]]), [[-1, 0], [0, -1]]),):
        formula.prefer(distances)
        assert formula.solve(np.arange(2), 100, Budget.of(None))
        assert formula.needed_sides(np.ones(2, dtype=bool)).tolist() == side
