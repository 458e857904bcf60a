"""Proofs that are stopped at any moment: they claim nothing false, and lose nothing for when they go on.

The clock moves on by one tick whenever it is read, so that each tick is another place where the time is up.
"""

from itertools import count, product
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.solve import budget
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.branch_and_cut import SingleHyperplaneSearch
from oddlearn.solve.hyperplanes.conflict_sets import ConflictOracle
from oddlearn.solve.hyperplanes.least_hitting_set import HittingSetSearch
from oddlearn.solve.hyperplanes.several_solver import SeveralHyperplanesSearch
from oddlearn.solve.hyperplanes.sparse_solver import SparseSplitSolver
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.oracles import sparse_brute_force as brute
from tests.solve.hyperplanes.test_several_hyperplanes import posed

MAX_STOPS = 25  # moments of a run that are tried
NOISE = 1e-9


@pytest.fixture(autouse=True)
def ticks(monkeypatch):
    """Return the clock, which counts how often it was read."""
    ticks = count(1)
    monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
    return ticks


def list_stops(run, ticks):
    """Return numbers of ticks after which a run is stopped, from the first to the last of a whole one."""
    before = next(ticks)
    run()
    n_ticks = next(ticks) - before
    assert n_ticks > 5
    return np.unique(np.linspace(1, n_ticks, MAX_STOPS).astype(int)).tolist()


def noisy(seed, n_rows=20, d=2):
    random = np.random.default_rng(seed)
    return posed(random.random((n_rows, d)), random.permutation(np.arange(n_rows) % 2), "1-2")


@pytest.mark.parametrize("seed", (0, 1, 3))
def test_a_single_hyperplane(seed, ticks):
    whole = SingleHyperplaneSearch(noisy(seed))
    stops = list_stops(lambda: whole.run(np.inf, Budget.of(None)), ticks)
    assert whole.is_solved and whole.lower_bound > 0
    for stop in stops:
        search = SingleHyperplaneSearch(noisy(seed))
        search.run(np.inf, Budget.of(float(stop)))
        assert search.lower_bound <= whole.lower_bound + NOISE, stop
        search.run(np.inf, Budget.of(None))
        assert search.is_solved and search.lower_bound == pytest.approx(whole.lower_bound), stop


@pytest.mark.parametrize("place", range(3))
def test_a_single_hyperplane_whose_last_gap_was_not_measured_in_time(place, monkeypatch):
    whole, search = SingleHyperplaneSearch(noisy(0)), SingleHyperplaneSearch(noisy(0))
    whole.run(np.inf, Budget.of(None))
    numbers, decide = count(), ConflictOracle.decide
    monkeypatch.setattr(
        ConflictOracle, "decide", lambda *given: None if next(numbers) == place else decide(*given)
    )
    search.run(np.inf, Budget.of(None))
    assert search.is_solved and search.lower_bound == pytest.approx(whole.lower_bound)
    assert next(numbers) > 1


@pytest.mark.parametrize("seed", range(2))
def test_a_topology(seed, ticks):
    def begin():
        return SeveralHyperplanesSearch.from_problem(noisy(seed, 14)).searches[2][0]

    def finish(search):
        while not search.has_ended:  # each diagram ends a run
            search.run(Budget.of(None))

    whole = begin()
    stops = list_stops(lambda: finish(whole), ticks)
    assert whole.is_solved and whole.bound > 0
    for stop in stops:
        search = begin()
        search.run(Budget.of(float(stop)))
        assert search.bound <= whole.bound + NOISE, stop
        assert not search.is_solved or np.ceil(search.bound - NOISE) == np.ceil(whole.bound - NOISE), stop
        finish(search)
        assert search.is_solved and np.ceil(search.bound - NOISE) == np.ceil(whole.bound - NOISE), stop


def test_a_hitting_set(ticks):
    def begin():
        search = HittingSetSearch(np.ones(15), np.ceil)
        for cycle, row in product(range(0, 15, 5), range(5)):
            search.add(cycle + np.array([row, (row + 1) % 5]))
        return search

    whole = []
    stops = list_stops(lambda: whole.append(begin().run(Budget.of(None))), ticks)
    assert whole[0].bound > 8 and whole[0].is_hit.sum() == 9
    for stop in stops:
        search = begin()
        found = search.run(Budget.of(float(stop)))
        assert found is None or found.bound == whole[0].bound
        assert search.run(Budget.of(None)).bound == whole[0].bound


def test_all_splits_of_two_terms(ticks):
    random = np.random.default_rng(0)
    X = random.random((40, 4))
    codes = (X[:, 1] - X[:, 3] + 0.4 * random.random(40) > 0).astype(int)
    problem = brute.pose(X, codes, 2, range(4), 2)

    def run(state, seconds):
        return SparseSplitSolver().run(state, Budget.of(seconds), ignore)

    whole = []
    stops = list_stops(lambda: whole.append(run(SolveState.initial(problem), None)), ticks)
    best = whole[0]
    assert best.is_optimal and best.evaluation.cost > 0
    for stop in stops:
        state = run(SolveState.initial(problem), float(stop))
        assert state.lower_bound <= best.objective + NOISE <= state.objective + 2 * NOISE, stop
        # the split that was found when the time was up may have no hyperplane; its bound holds
        state = run(state, None)
        assert state.lower_bound == pytest.approx(best.objective), stop
