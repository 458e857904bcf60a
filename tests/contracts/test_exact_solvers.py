"""Every registered prover gives the same optimum: branch and bound, HiGHS, SCIP, Gurobi, CP-SAT."""

from itertools import cycle

import pytest

from oddlearn.problem.evaluate import best_constant
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.cpsat.solver import CpSat
from oddlearn.solve.milp.backends import BACKENDS
from oddlearn.solve.schedule import EXACT_SOLVERS, solver_class
from tests.fakes import run_exact
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem
from tests.solve.cpsat import proving as cpsat_proving
from tests.solve.milp import proving as milp_proving

# what a solver of floating-point programs may be wrong by where objectives can have any value
CLOSE = 2e-6

UNIVARIATE = range(5000, 5050)
MULTIVARIATE = range(6000, 6030)

# problems that one test solves: few enough for its name to say which went wrong
BATCH = 25


def batches(seeds):
    return [seeds[first : first + BATCH] for first in range(0, len(seeds), BATCH)]


def problems_of(seeds, split):
    """Return tiny problems, every third one of trees, with weights, costs and near-duplicates."""
    shapes = zip(seeds, cycle([False, False, True]), strict=False)
    return [tiny_problem(seed, split, tree_only=tree_only) for seed, tree_only in shapes]


def check(problem, proof, objective, close):
    """The optimum is reached, and the bound meets it without ever being above."""
    best = optimal_objective(problem)
    assert objective == pytest.approx(best, abs=close)
    assert best - close <= proof.bounds.lower_bound(problem) <= best + 1e-9


def test_the_provers_below_are_all_there_are():
    assert set(EXACT_SOLVERS) == {"branch_and_bound", "milp", "cpsat"}
    assert set(BACKENDS) == {"highs", "scip", "gurobi"}
    assert all(solver_class(EXACT_SOLVERS[name])().name == name for name in EXACT_SOLVERS)


@pytest.mark.parametrize("seeds", batches(UNIVARIATE), ids=str)
@pytest.mark.parametrize("solver", BACKENDS)
def test_solvers_reach_the_univariate_optimum(solver, seeds, monkeypatch):
    prove_by_milp(solver, problems_of(seeds, "univariate"), monkeypatch)


@pytest.mark.parametrize("seeds", batches(MULTIVARIATE), ids=str)
@pytest.mark.parametrize("solver", BACKENDS)
def test_solvers_reach_the_multivariate_optimum(solver, seeds, monkeypatch):
    prove_by_milp(solver, problems_of(seeds, "multivariate"), monkeypatch)


def prove_by_milp(solver, problems, monkeypatch):
    milp_proving.in_process(monkeypatch)
    made = milp_proving.usable(solver=solver)
    for problem in problems:
        proof, objective = milp_proving.prove(made, problem)
        check(problem, proof, objective, CLOSE)


@pytest.mark.parametrize("seeds", batches(UNIVARIATE), ids=str)
def test_cpsat_reaches_the_univariate_optimum(seeds):
    problems = problems_of(seeds, "univariate")
    proofs = cpsat_proving.prove_all([(CpSat(), problem) for problem in problems])
    for problem, proof in zip(problems, proofs, strict=True):
        check(problem, proof, cpsat_proving.objective_of(problem, proof), 1e-9)


@pytest.mark.parametrize("seeds", batches(UNIVARIATE), ids=str)
def test_branch_and_bound_reaches_the_univariate_optimum(seeds):
    for problem in problems_of(seeds, "univariate"):
        proof = cpsat_proving.prove(BranchAndBound(), problem)
        check(problem, proof, cpsat_proving.objective_of(problem, proof), 1e-9)


@pytest.mark.parametrize("name", EXACT_SOLVERS)
def test_a_proof_is_told_in_full(name):
    problem = tiny_problem(UNIVARIATE[0])
    if objections := solver_class(EXACT_SOLVERS[name])().unsupported_reasons(problem):
        pytest.skip(" ".join(objections))
    proof = cpsat_proving.prove(solver_class(EXACT_SOLVERS[name])(), problem)
    (evidence,) = proof.evidence
    assert (evidence.solver, evidence.status) == (name, "optimal")
    assert evidence.bound == proof.bounds.lower_bound(problem)
    assert evidence.text
    # what stands behind a solver's word: which one it was, what it was told, what it was given
    if name != "branch_and_bound":
        assert evidence.version and evidence.options and evidence.size


@pytest.mark.parametrize("name", EXACT_SOLVERS)
def test_what_is_proved_already_is_left_alone(name):
    problem = tiny_problem(UNIVARIATE[0])
    first = cpsat_proving.prove(solver_class(EXACT_SOLVERS[name])(), problem)
    best = first.diagram or best_constant(problem)
    budget = cpsat_proving.Budget.of(10.0)
    again = run_exact(solver_class(EXACT_SOLVERS[name])(), problem, best, first.bounds, budget)
    assert again.diagram is None
    assert again.bounds.lower_bound(problem) == first.bounds.lower_bound(problem)
