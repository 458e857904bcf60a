"""Search, provers and certificate together, with the real solvers."""

import subprocess
import sys

import pytest
from sklearn.datasets import load_iris

import oddlearn
from oddlearn import CpSat, Milp, OptimalDecisionDiagramClassifier
from oddlearn.errors import UnsupportedError
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.schedule import AutoSchedule
from tests.fakes import FixedSearch, train
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem

IRIS, SPECIES = load_iris(return_X_y=True)
SECONDS = 30.0

# whole costs, and a gap that the free bounds leave open
OPEN = {"univariate": (43, 205), "multivariate": (15, 71)}

CASES = [
    ("univariate", AutoSchedule()),
    ("univariate", Milp()),
    ("univariate", CpSat()),
    ("multivariate", AutoSchedule()),
    ("multivariate", Milp(flows=False)),
]


@pytest.mark.parametrize(("split", "exact"), CASES, ids=lambda part: str(part).split("(")[0])
def test_without_a_search_the_provers_find_and_prove_the_optimum(split, exact):
    for seed in OPEN[split]:
        problem = tiny_problem(
            seed, split, most_rows=6 if split == "univariate" else 5, tree_only=seed % 2 == 0
        )
        trained = train(problem, FixedSearch(), Budget.of(SECONDS), exact=exact)
        optimum = optimal_objective(problem)
        assert trained.lower_bound == pytest.approx(optimum, abs=1e-6), seed
        assert evaluate(problem, trained.diagram).objective == pytest.approx(optimum, abs=1e-6), seed


@pytest.mark.parametrize("exact", ["auto", "cpsat"])
def test_a_diagram_of_irises_is_proved_saved_and_verified(exact, tmp_path):
    model = OptimalDecisionDiagramClassifier("1-2-4", alpha=0.5, exact=exact, time_limit=SECONDS).fit(
        IRIS, SPECIES
    )
    assert model.is_optimal_
    assert model.history_["lower_bound"][-1] == pytest.approx(model.objective_)
    model.save(tmp_path / "model.json")
    assert oddlearn.verify(tmp_path / "model.json", IRIS, SPECIES).is_optimal


def test_hyperplanes_that_nothing_beats_are_proved_by_the_mixed_integer_program():
    model = OptimalDecisionDiagramClassifier(
        "1-1", split="multivariate", alpha=1.0, exact="milp", time_limit=SECONDS, random_state=0
    ).fit(IRIS[50::4, :2], SPECIES[50::4])
    assert model.is_optimal_
    assert model.certificate_.explain().startswith("Proved optimal: of all diagrams of skeleton 1-1")
    proof = model.certificate_.evidence[-1]
    assert (proof.solver, proof.status, proof.version[:5]) == ("milp", "optimal", "HiGHS")


def test_cp_sat_refuses_hyperplanes_before_the_work():
    model = OptimalDecisionDiagramClassifier(split="multivariate", exact="cpsat")
    with pytest.raises(UnsupportedError, match="univariate"):
        model.fit(IRIS, SPECIES)


def test_a_proof_loads_no_second_solver_into_the_process():
    # highspy and ortools cannot share a process
    fit = (
        "import sys; from oddlearn import OptimalDecisionDiagramClassifier as C; "
        "from sklearn.datasets import load_iris; X, y = load_iris(return_X_y=True); "
        "C('1-2', alpha=0.5, exact='cpsat', time_limit=20).fit(X, y); "
        "C('1-2', split='multivariate', time_limit=1).fit(X, y); print(*sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", fit], capture_output=True, text=True, check=True)
    assert "ortools" not in {name.split(".")[0] for name in ended.stdout.split()}
    assert ended.stderr == ""
