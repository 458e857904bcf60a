"""Conflict sets against linear programs of their hulls, and cuts and bounds against scipy."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes import hitting_set_program
from oddlearn.solve.hyperplanes.conflict_sets import ConflictOracle, ConflictSet, Direction
from oddlearn.solve.hyperplanes.hitting_set_program import Cut, HittingSetProgram
from tests.oracles.brute_force import largest_gap_by_program

BUDGET = Budget.of(None)


def draw_rows(seed, margin=1e-4):
    """Return rows, on a grid, on a line, or near to each other, and sides, some of them free."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(2, 25)), int(random.integers(1, 7))
    kind = random.integers(4)
    X = random.random((n, d)) if kind else random.integers(0, 3, (n, d)) / 2.0
    if kind == 1:  # on a line
        X = random.random((n, 1)) * random.standard_normal(d)
    if kind == 2:  # pairs that are closer than the margin, or a little further apart
        X[n // 2 :] = X[: n - n // 2] + margin * random.choice([0.5, 0.999, 1.001, 2.0], (n - n // 2, 1))
    sides = random.choice([-1, 1, 0], n, p=[0.45, 0.45, 0.1]).astype(np.int8)
    if random.random() < 0.4:  # separable, or almost
        key = X @ random.standard_normal(d)
        sides = np.where(key > np.median(key), 1, -1).astype(np.int8)
    return X, sides


def gap_of(X, sides):
    return largest_gap_by_program(X[sides > 0], X[sides < 0])


@pytest.mark.parametrize("seed", range(200))
def test_a_conflict_set_is_one_and_a_direction_separates_the_rows(seed):
    X, sides = draw_rows(seed)
    answer = ConflictOracle(X, 1e-4).decide(sides, BUDGET)
    if not (sides > 0).any() or not (sides < 0).any():
        assert isinstance(answer, Direction)
        return
    gap = gap_of(X, sides)
    if isinstance(answer, ConflictSet):
        assert (answer.sides == sides[answer.rows]).all() and answer.sides.all()
        assert gap_of(X[answer.rows], answer.sides) < 1e-4
        assert answer.rows.size <= X.shape[1] + 2
    else:
        assert gap >= 1e-4 - 1e-8
        key = X @ answer.weights / np.abs(answer.weights).sum()
        assert key[sides > 0].min() - key[sides < 0].max() >= 1e-4 - 1e-8


@pytest.mark.parametrize("seed", range(60))
def test_a_conflict_set_of_the_kernel_is_irreducible_whatever_the_scale(seed):
    X, sides = draw_rows(seed)
    random, oracle = np.random.default_rng(seed), ConflictOracle(X, 1e-9)
    for _ in range(6):  # each query starts with the rows of the last
        scale = np.exp(random.standard_normal(len(X)))
        answer = oracle.find(sides, BUDGET, scale / scale.max())
        if not isinstance(answer, ConflictSet):
            break
        for left_out in range(answer.rows.size):
            rest = np.delete(answer.rows, left_out)
            if (sides[rest] > 0).any() and (sides[rest] < 0).any():
                assert gap_of(X[rest], sides[rest]) > 1e-12
        sides[answer.rows[random.integers(answer.rows.size)]] *= random.choice([0, -1])


def test_a_gap_below_the_margin_is_a_conflict_that_only_the_program_sees():
    # the hulls are apart by less than the margin in the largest difference, and by more in the norm
    X = np.vstack([np.zeros((1, 9)), np.full((1, 9), 8e-5)])
    sides = np.array([1, -1], dtype=np.int8)
    answer = ConflictOracle(X, 1e-4).decide(sides, BUDGET)
    assert isinstance(answer, ConflictSet)
    assert isinstance(ConflictOracle(X, 7e-5).decide(sides, BUDGET), Direction)


@pytest.mark.parametrize("seed", range(60))
def test_where_the_kernel_is_not_sure_the_program_decides(seed, monkeypatch):
    X, sides = draw_rows(seed)
    if not (sides > 0).any() or not (sides < 0).any():
        return
    unsure = Direction(np.zeros(X.shape[1]))
    monkeypatch.setattr(ConflictOracle, "find", lambda *given: unsure)
    answer = ConflictOracle(X, 1e-4).decide(sides, BUDGET)
    if isinstance(answer, ConflictSet):
        assert (answer.sides == sides[answer.rows]).all() and answer.sides.all()
        assert gap_of(X[answer.rows], answer.sides) < 1e-4
    else:
        key = X @ answer.weights / np.abs(answer.weights).sum()
        assert key[sides > 0].min() - key[sides < 0].max() >= 1e-4 - 1e-8
    assert ConflictOracle(X, 1e-4).decide(sides, Budget.of(0.0)) is None


def test_rows_of_one_side_or_none_are_no_conflict():
    for X in (np.random.default_rng(0).random((5, 3)), np.array([[-1.0], [1.0], [0.0]])):
        oracle = ConflictOracle(X, 1e-4)
        for side in (-1, 0, 1):
            assert isinstance(oracle.decide(np.full(len(X), side, dtype=np.int8), BUDGET), Direction)


def draw_cuts(random, n, count):
    cuts = []
    for _ in range(count):
        rows = random.permutation(n)[: random.integers(2, 5)]
        cuts.append(Cut(rows, random.random(rows.size) < 0.3))
    return cuts


def is_kept(cut, values):
    return np.where(cut.is_flipped, -values[cut.rows], values[cut.rows]).sum() >= cut.limit - 1e-7


@pytest.mark.parametrize("slack_rounds", [0, 8])
@pytest.mark.parametrize("seed", range(30))
def test_the_relaxation_is_that_of_a_general_solver_and_below_all_hitting_sets(
    seed, slack_rounds, monkeypatch
):
    monkeypatch.setattr(hitting_set_program, "MAX_SLACK_ROUNDS", slack_rounds)
    monkeypatch.setattr(hitting_set_program, "MIN_DROPPED", 1)
    random = np.random.default_rng(seed)
    n = 8
    cost = random.integers(1, 5, n).astype(float)
    program, cuts = HittingSetProgram(cost), []
    lower, upper = random.random(n) < 0.15, random.random(n) < 0.85
    upper |= lower
    for _ in range(6):
        new = draw_cuts(random, n, 3)
        cuts += new
        program.add(new)
        program.limit(lower, upper)
        program.drop_slack_cuts()
        relaxed = program.solve(BUDGET)
        missing = [cut for cut in cuts if not is_kept(cut, relaxed.values)]
        while missing and relaxed.bound < np.inf:
            program.add(missing)  # cuts that were dropped
            relaxed = program.solve(BUDGET)
            missing = [cut for cut in cuts if not is_kept(cut, relaxed.values)]
        matrix = np.zeros((len(cuts), n))
        for row, cut in zip(matrix, cuts, strict=True):
            row[cut.rows] = np.where(cut.is_flipped, 1.0, -1.0)
        limits = np.array([-cut.limit for cut in cuts])
        theirs = linprog(cost, matrix, limits, bounds=list(zip(lower, upper, strict=True)))
        assert relaxed.bound == pytest.approx(theirs.fun if theirs.status == 0 else np.inf, abs=1e-6)
        for bits in product([False, True], repeat=n):
            values = np.array(bits)
            if (values >= lower).all() and (values <= upper).all() and (matrix @ values <= limits).all():
                assert cost @ values >= relaxed.bound
                moved = np.where(values, upper & ~values, values & ~lower)
                assert cost @ values >= relaxed.bound + np.abs(relaxed.reduced_cost[moved]).sum() - 1e-9
        if relaxed.bound == np.inf:
            break


def test_without_time_there_is_no_relaxation():
    program = HittingSetProgram(np.ones(40))
    program.add(draw_cuts(np.random.default_rng(0), 40, 200))
    assert program.solve(Budget.of(0.0)) is None


@pytest.mark.parametrize(("n_slack", "rounds", "n_left"), [(49, 9, 60), (50, 9, 10), (60, 8, 60), (60, 9, 0)])
def test_cuts_are_dropped_once_fifty_were_slack_for_more_than_eight_rounds(n_slack, rounds, n_left):
    program = HittingSetProgram(np.ones(60))
    program.add([Cut(np.array([row]), np.array([False])) for row in range(60)])
    program._slack_rounds[:n_slack] = rounds
    program.drop_slack_cuts()
    assert len(program._cuts) == program._slack_rounds.size == n_left
    assert program.solve(Budget.of(None)).bound == pytest.approx(n_left, abs=1e-6)
