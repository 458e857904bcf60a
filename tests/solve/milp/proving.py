"""The MILP solver at work in tests."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.solver import Milp
from oddlearn.solve.solver import ignore
from oddlearn.solve.worker import worker_solver
from tests.fakes import run_exact
from tests.solve.worker.here import run_here


def in_process(monkeypatch):
    """Let solvers work in this process, which starts at once, until the test is over."""
    monkeypatch.setattr(worker_solver, "run_worker", run_here)


def usable(**options):
    """Return the solver with these options; skip the test, saying why, if it cannot work here."""
    made = Milp(**options)
    objections = made.unsupported_reasons(noisy(4, 1))
    if objections:
        pytest.skip(" ".join(objections))
    return made


def prove(made, problem, seconds=30.0, incumbent=None, report=ignore):
    """Return the proof and the best objective, from the constant diagram and bounds of 0 if not told."""
    start = best_constant(problem) if incumbent is None else incumbent
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes))
    proof = run_exact(made, problem, start, bounds, Budget.of(seconds), report)
    return proof, evaluate(problem, proof.diagram or start).objective


def noisy(n, d, alpha=0.1, skeleton="1-2-2"):
    """Return a problem without structure: solvers find better diagrams soon and prove little."""
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((n, d)), random.integers(0, 2, n), 2)
    return build_problem(data, Skeleton.parse(skeleton), alpha, "multivariate", 1e-4)
