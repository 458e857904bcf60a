"""Data sets that are not part of the repository: bounds stay below all that is known."""

import csv
import os
import random
from pathlib import Path

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.cpsat.solver import CpSat
from oddlearn.solve.solver import ignore
from tests.fakes import run_exact
from tests.solve.cpsat import proving

NAMES = (
    "iris",
    "hayes-roth",
    "monks2",
    "spect-heart",
    "fertility-diagnosis",
    "blood-transfusion-service",
)
ALPHAS = (0.01, 0.5)


def directory():
    given = os.environ.get("ODDLEARN_DATA")
    found = Path(given) if given else Path(__file__).resolve().parents[4] / "shared"
    if not (found / "data" / "uci54").is_dir():
        pytest.skip("No data sets: set ODDLEARN_DATA to a directory with data/uci54 and reference.")
    return found


def real_problem(name, skeleton, alpha):
    """Return the problem of a reference row: the training half, scaled over the whole data set."""
    table = np.loadtxt(directory() / "data" / "uci54" / f"{name}.csv", delimiter=",", skiprows=1)
    X, codes = table[:, :-1], np.unique(table[:, -1], return_inverse=True)[1]
    span = np.ptp(X, axis=0)
    rows = list(range(len(X)))
    random.Random("1").shuffle(rows)
    rows = rows[: round(0.5 * len(X))]
    X = (X - X.min(axis=0)) / np.where(span > 0, span, 1.0)
    data = TrainingData.collect(X[rows], codes[rows], int(codes.max()) + 1)
    return build_problem(data, Skeleton.parse(skeleton), alpha, "univariate")


def known_objectives(name):
    path = directory() / "reference" / "search_univariate.csv"
    with path.open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["dataset"] == name and row["seed"] == "1"]
    return {(row["skeleton"], float(row["alpha"])): float(row["objective"]) for row in rows}


def proved(made, problem, seconds):
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes))
    return run_exact(made, problem, best_constant(problem), bounds, Budget.of(seconds), ignore)


@pytest.mark.parametrize("name", NAMES)
def test_no_bound_is_above_an_objective_that_was_reached(name):
    known = known_objectives(name)
    chosen = [case for number, case in enumerate(sorted(known)) if case[1] in ALPHAS and number % 3 == 0]
    assert chosen
    for skeleton, alpha in chosen:
        problem = real_problem(name, skeleton, alpha)
        proof = proved(BranchAndBound(), problem, 0.5)
        assert proof.bounds.lower_bound(problem) <= known[skeleton, alpha] + 1e-9


@pytest.mark.parametrize("name", ["iris", "hepatitis"])
def test_two_provers_agree(name):
    proving.usable()
    for skeleton, alpha in (("1-2-4-8", 1.0), ("1-2-2-2-2-2-2-2", 0.5)):
        problem = real_problem(name, skeleton, alpha)
        ours, theirs = (proved(made, problem, 20.0) for made in (BranchAndBound(), CpSat()))
        objectives = [evaluate(problem, proof.diagram).objective for proof in (ours, theirs)]
        assert objectives[0] == pytest.approx(objectives[1], abs=1e-9)
        for proof in (ours, theirs):
            assert proof.bounds.lower_bound(problem) == pytest.approx(objectives[0], abs=1e-9)
