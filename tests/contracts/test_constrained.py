"""Every engine gives the same optimum under constraints, and says so when there is none."""

import math
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.problem import LinearRows
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.cpsat.solver import CpSat
from oddlearn.solve.schedule import SEARCHES, solver_class
from oddlearn.solve.solver import ignore
from tests.oracles.constrained import feasible_objectives
from tests.oracles.tiny_constrained import constrained_problem
from tests.solve.cpsat import proving as cpsat_proving
from tests.solve.milp import proving as milp_proving

# what a solver of floating-point programs may be wrong by where objectives can have any value
CLOSE = 2e-6

UNIVARIATE = range(100, 120)
MULTIVARIATE = range(200, 210)


def problems_of(seeds, split="univariate"):
    """Return tiny problems under constraints of every kind; every fourth also asks for what may not exist."""
    made = [constrained_problem(seed, split) for seed in seeds]
    return [demanding(problem) if k % 4 == 3 else problem for k, problem in enumerate(made)]


def demanding(problem):
    """Return the problem with one demand, in place of its constraints: that three samples get class 0."""
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.assigned[:, 0]] = problem.data.class_weight.sum(axis=1)
    rows = LinearRows(matrix, [3.0], [3.0], ("a weight of 3 for class 0",))
    return replace(problem, rows=rows, constraint_blocks=())


def check(problem, proof, close):
    """The optimum under the constraints is reached and proved; no floor is above what a diagram has."""
    truth = feasible_objectives(problem)
    best = truth.min()
    value = evaluate(problem, proof.diagram or best_constant(problem))
    objective = value.objective if value.violation == 0 else math.inf
    bound = proof.bounds.lower_bound(problem)
    assert objective == pytest.approx(best, abs=close)
    assert bound == pytest.approx(best, abs=close)
    assert bound <= best + 1e-9
    bounds = proof.bounds.objectives(problem)
    assert all(bounds[:count].min() <= truth[count - 1] + 1e-9 for count in range(1, truth.size + 1))


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_highs_reaches_the_optimum_under_constraints(split, monkeypatch):
    milp_proving.in_process(monkeypatch)
    made = milp_proving.usable(solver="highs")
    for problem in problems_of(UNIVARIATE if split == "univariate" else MULTIVARIATE, split):
        check(problem, milp_proving.prove(made, problem)[0], CLOSE)


def test_cpsat_reaches_the_optimum_under_constraints():
    problems = [problem for problem in problems_of(UNIVARIATE) if not CpSat().unsupported_reasons(problem)]
    assert len(problems) > len(UNIVARIATE) // 2
    proofs = cpsat_proving.prove_all([(CpSat(), problem) for problem in problems])
    for problem, proof in zip(problems, proofs, strict=True):
        check(problem, proof, 1e-9)


def test_branch_and_bound_takes_limits_on_numbers_of_nodes_and_nothing_else():
    kinds = {"limits": True, "flows": False, "fair": False, "soft": False}
    for kind, is_taken in kinds.items():
        problems = [constrained_problem(seed, kinds=(kind,)) for seed in range(10)]
        with_rows = [problem for problem in problems if len(problem.rows)]
        assert all((not BranchAndBound().unsupported_reasons(problem)) == is_taken for problem in with_rows)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("kind", ["limits", "flows", "fair", "soft"])
def test_a_search_keeps_constraints_or_objects(name, kind):
    problem = constrained_problem(3, kinds=(kind,))
    assert len(problem.rows)
    engine = solver_class(SEARCHES[name])()
    if objections := engine.unsupported_reasons(problem):
        assert "cannot satisfy constraints" in objections[0]
        return
    outcome = engine.search(problem, None, Budget.of(None, 50), ignore)
    assert outcome.diagram is None or evaluate(problem, outcome.diagram).violation == 0
