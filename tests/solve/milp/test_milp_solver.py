"""The prover against brute force: every solver, every switch, both kinds of splits, trees, constraints."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.milp import worker
from oddlearn.solve.milp.backends import BACKENDS, backend
from oddlearn.solve.milp.solver import Milp
from tests.oracles.brute_force import optimal_objective
from tests.oracles.by_nodes import least_costs
from tests.oracles.tiny import tiny_problem
from tests.solve.milp.proving import in_process, noisy, prove, usable

# what a solver may be wrong by where objectives can have any value
CLOSE = 2e-6

SOLVERS = [
    {"solver": "highs"},
    {"solver": "scip"},
    {"solver": "scip", "indicators": "native"},
    {"solver": "gurobi"},
    {"solver": "gurobi", "indicators": "native"},
]
NAMES = ("order_arcs", "order_nodes", "flows")
SWITCHES = [dict(zip(NAMES, on, strict=True)) for on in itertools.product((True, False), repeat=3)]


@pytest.fixture(autouse=True)
def _in_process(monkeypatch):
    in_process(monkeypatch)


def tiny_problems(count, seed):
    """Return tiny problems of both split kinds, diagrams and trees in turn."""
    kinds = itertools.cycle(itertools.product(("univariate", "multivariate"), (False, True)))
    numbered = zip(range(seed, seed + count), kinds, strict=False)
    return [tiny_problem(number, split, tree_only=tree_only) for number, (split, tree_only) in numbered]


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: "-".join(solver.values()))
def test_every_solver_with_every_switch_agrees_with_brute_force(solver):
    problems = zip(tiny_problems(24, seed=100), itertools.cycle(SWITCHES), strict=False)
    for problem, switches in problems:
        best = optimal_objective(problem)
        proof, objective = prove(usable(**solver, **switches), problem)
        assert objective == pytest.approx(best, abs=CLOSE)
        assert best - CLOSE <= proof.bounds.lower_bound(problem) <= best + 1e-9


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi"])
def test_the_formulation_of_the_paper_agrees_where_its_splits_are_the_same(solver):
    for seed in range(200, 208):
        problem = tiny_problem(seed, "univariate")
        best = optimal_objective(problem)
        proof, objective = prove(usable(solver=solver, formulation="paper"), problem)
        assert objective == pytest.approx(best, abs=CLOSE)
        assert best - CLOSE <= proof.bounds.lower_bound(problem) <= best + 1e-9


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi"])
def test_the_formulation_of_the_paper_allows_more_hyperplanes_so_that_its_bound_is_lower_at_most(solver):
    for seed in range(300, 308):
        problem = tiny_problem(seed, "multivariate")
        proof, objective = prove(usable(solver=solver, formulation="paper"), problem)
        best = optimal_objective(problem)
        assert proof.bounds.lower_bound(problem) <= best + 1e-9
        assert objective >= best - 1e-9


def test_no_floor_is_above_the_least_cost_of_its_number_of_nodes():
    for number, problem in enumerate(tiny_problems(16, seed=400)):
        solver = ("highs", "scip")[number % 2]
        proof, _ = prove(usable(solver=solver), problem)
        assert (proof.bounds.cost <= least_costs(problem) + 1e-9).all()


def test_an_optimal_diagram_is_proved_and_no_other_returned():
    for problem in tiny_problems(8, seed=500):
        proof, _ = prove(Milp(), problem)
        if proof.diagram is None:
            continue
        again, objective = prove(Milp(), problem, incumbent=proof.diagram)
        assert again.diagram is None
        assert again.bounds.lower_bound(problem) >= objective - CLOSE


def without_class(problem, limit):
    """Let class 0 be given to as many rows as ``limit`` at most."""
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.assigned[:, 0]] = 1.0
    rows = LinearRows(csr_array(matrix), np.array([-np.inf]), np.array([float(limit)]), ("class 0",))
    return replace(problem, rows=rows)


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_constraints_are_kept_and_the_bound_is_that_of_the_constrained_problem(solver):
    for problem in tiny_problems(8, seed=600):
        expensive = problem.cost.copy()
        expensive[:, 0] += 1e3 * problem.total_weight
        best = optimal_objective(replace(problem, cost=expensive))
        constrained = without_class(problem, limit=0)
        proof, _ = prove(usable(solver=solver), constrained)
        assert best - CLOSE <= proof.bounds.lower_bound(constrained) <= best + 1e-9
        if proof.diagram is not None:
            value = evaluate(constrained, proof.diagram)
            assert (value.violation, value.objective) == (0.0, pytest.approx(best, abs=CLOSE))


def test_constraints_that_nothing_keeps_are_found_out():
    problem = without_class(tiny_problem(1), limit=-1)
    proof, _ = prove(Milp(), problem)
    assert proof.bounds.lower_bound(problem) == np.inf
    assert "no diagram exists" in proof.evidence[0].text


def test_no_bound_on_the_way_is_above_the_objective_at_the_end():
    for solver in ("highs", "scip"):
        events = []
        proof, objective = prove(usable(solver=solver), noisy(40, 3), seconds=3.0, report=events.append)
        bounds = [event.lower_bound for event in events if isinstance(event, Bounded)]
        found = [event.objective for event in events if isinstance(event, Improved)]
        assert bounds == sorted(bounds)
        assert max(bounds, default=0.0) <= objective + 1e-9
        assert found == sorted(found, reverse=True)
        assert found[-1] == objective
        assert proof.evidence[0].bound == proof.bounds.lower_bound(noisy(40, 3))


def test_weights_of_any_value_are_proved_up_to_the_tolerance_and_the_evidence_says_so():
    X, codes = np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 0])
    data = TrainingData.collect(X, codes, 2, np.sqrt([0.31, 0.42, 0.57]))
    problem = build_problem(data, Skeleton.parse("1-2"), 2.0, "univariate")
    proof, objective = prove(Milp(), problem)
    assert objective - CLOSE <= proof.bounds.lower_bound(problem) < objective
    assert "exact to 1e-06" in proof.evidence[0].text
    assert proof.evidence[0].status == "optimal"


def test_weights_that_are_fractions_are_proved_exactly():
    X, codes = np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 0])
    data = TrainingData.collect(X, codes, 2, np.array([0.31, 0.42, 0.57]))
    problem = build_problem(data, Skeleton.parse("1-2"), 2.0, "univariate")
    proof, objective = prove(Milp(), problem)
    assert proof.bounds.lower_bound(problem) == pytest.approx(objective, abs=1e-12)


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi"])
def test_a_gap_that_is_too_small_by_less_than_the_tolerance_of_solvers_is_not_used(solver):
    X = np.array([[0.0], [1e-3 - 5e-7], [1.0]])
    data = TrainingData.collect(X, np.array([0, 1, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-1"), 0.1, "multivariate", 1e-3)
    proof, objective = prove(usable(solver=solver), problem)
    assert objective == proof.bounds.lower_bound(problem) == optimal_objective(problem) == 1 / 3


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi"])
def test_a_univariate_split_passes_between_neighbouring_numbers(solver):
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)], [1e9]])
    data = TrainingData.collect(X, np.array([0, 1, 0]), 2)
    problem = build_problem(data, Skeleton.parse("1-1"), 0.1, "univariate")
    proof, objective = prove(usable(solver=solver), problem)
    assert objective == proof.bounds.lower_bound(problem) == pytest.approx(optimal_objective(problem))
    assert objective == pytest.approx(0.1)


def test_a_model_that_would_not_fit_is_not_built():
    proof, _ = prove(Milp(max_memory=1000), noisy(40, 3))
    assert "skipped because its model needs about" in proof.evidence[0].text
    assert proof.evidence[0].size == ""


def test_a_model_with_which_nothing_happens_is_not_built(monkeypatch):
    monkeypatch.setattr(worker, "MAX_NONZEROS", 10)
    proof, _ = prove(Milp(), noisy(40, 3))
    assert "skipped because its model has" in proof.evidence[0].text


def test_a_model_too_large_for_the_licence_is_told_in_the_evidence():
    proof, _ = prove(usable(solver="gurobi"), noisy(600, 3), seconds=5.0)
    if "too large for the licence" not in proof.evidence[0].text:
        pytest.skip("The licence of Gurobi here has no limit of size.")
    assert proof.evidence[0].version.startswith("Gurobi")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "cplex"}, "'highs', 'scip', 'gurobi'"),
        ({"solver": None}, "solver is None"),
        ({"formulation": "quick"}, "'tight', 'paper'"),
        ({"indicators": "lazy"}, "'big-m', 'native'"),
        ({"solver": "highs", "indicators": "native"}, "HiGHS has no indicators"),
        ({"flows": 1}, "flows is 1"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"max_memory": 0}, "max_memory is 0"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(options, words):
    with pytest.raises(InvalidInputError, match=words):
        Milp(**options)


def test_a_solver_that_is_not_installed_is_an_objection(monkeypatch):
    monkeypatch.setattr(backend.importlib.util, "find_spec", lambda package: None)
    for solver in BACKENDS:
        (objection,) = Milp(solver=solver).unsupported_reasons(tiny_problem(0))
        requirement = "highspy" if solver == "highs" else f"oddlearn[{solver}]"
        assert f'pip install "{requirement}"' in objection


def test_there_is_no_objection_to_constraints():
    assert Milp().unsupported_reasons(without_class(tiny_problem(0), 1)) == []


def test_a_single_class_is_an_objection():
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 0]), 1)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate")
    assert len(Milp().unsupported_reasons(problem)) == 1
