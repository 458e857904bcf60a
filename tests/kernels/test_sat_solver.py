"""The solver of formulas against all assignments."""

from itertools import combinations, product

import numpy as np
import pytest

from oddlearn.kernels.hyperplanes.sat_solver import SatSolver


def literals(*values):
    return np.array(values, dtype=np.int32)


def draw_literals(random, n, count):
    variables = random.permutation(n)[:count]
    return (2 * variables + random.integers(0, 2, variables.size)).astype(np.int32)


def is_true(assignments, literal):
    return assignments[:, literal >> 1] ^ bool(literal & 1)


@pytest.mark.parametrize("seed", range(150))
def test_answers_models_and_cores_are_right_while_clauses_are_added(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 10))
    assignments = np.array(list(product([False, True], repeat=n)))
    solver, is_solution = SatSolver(n), np.ones(len(assignments), dtype=bool)
    for _ in range(int(random.integers(1, 7))):
        for _ in range(int(random.integers(1, 12))):
            clause = draw_literals(random, n, int(random.integers(1, 5)))
            solver.add_clause(clause)
            is_solution &= np.any([is_true(assignments, literal) for literal in clause], axis=0)
        assumed = draw_literals(random, n, int(random.integers(0, n + 1)))
        solver.set_phases((2 * np.arange(n) + random.integers(0, 2, n)).astype(np.int32))
        left = is_solution & np.all([is_true(assignments, literal) for literal in [*assumed]] or True, axis=0)
        answer = solver.solve(assumed, 10**9)
        assert answer == left.any()
        if answer:
            assert left[(assignments == solver.model()).all(axis=1)].all()
        else:
            core = solver.core()
            assert set(core.tolist()) <= set(assumed.tolist())
            kept = np.all([is_true(assignments, literal) for literal in [*core]] or True, axis=0)
            assert not (is_solution & kept).any()


def test_pigeons_do_not_fit_into_fewer_holes():
    n_holes = 6
    solver = SatSolver((n_holes + 1) * n_holes)
    for pigeon in range(n_holes + 1):
        solver.add_clause(literals(*(2 * (pigeon * n_holes + hole) for hole in range(n_holes))))
    for hole, (one, other) in product(range(n_holes), combinations(range(n_holes + 1), 2)):
        solver.add_clause(literals(2 * (one * n_holes + hole) + 1, 2 * (other * n_holes + hole) + 1))
    assert solver.solve(literals(), 1) is None  # not after one conflict
    assert solver.solve(literals(), 10**9) is False
    assert not solver.is_consistent


def test_a_clause_without_literals_has_no_solution():
    solver = SatSolver(1)
    solver.add_clause(literals(0))
    assert solver.solve(literals(1), 10) is False
    assert solver.core().tolist() == [1]
    solver.add_clause(literals(1))
    assert solver.solve(literals(), 10) is False


def test_an_answer_is_right_after_learnt_clauses_were_forgotten():
    n_holes = 8
    solver = SatSolver((n_holes + 1) * n_holes)
    for pigeon in range(n_holes + 1):
        solver.add_clause(literals(*(2 * (pigeon * n_holes + hole) for hole in range(n_holes))))
    for hole, (one, other) in product(range(n_holes), combinations(range(1, n_holes + 1), 2)):
        solver.add_clause(literals(2 * (one * n_holes + hole) + 1, 2 * (other * n_holes + hole) + 1))
    assert solver.solve(literals(), 10**9) is True  # pigeon 0 is in nobody's way
    for hole, other in product(range(n_holes), range(1, n_holes + 1)):
        solver.add_clause(literals(2 * hole + 1, 2 * (other * n_holes + hole) + 1))
    assert solver.solve(literals(), 10**9) is False
    assert solver.n_conflicts > 3000
