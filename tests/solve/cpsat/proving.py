"""CP-SAT at work in tests: OR-Tools is only ever loaded in a child process, one for many problems."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.cpsat.solver import CpSat
from oddlearn.solve.cpsat.worker import work
from oddlearn.solve.solver import ignore
from oddlearn.solve.worker import worker_solver
from oddlearn.solve.worker.messages import BoundImproved
from oddlearn.solve.worker.run_worker import run_worker
from tests.fakes import run_exact
from tests.solve.worker.here import run_here


def usable():
    """Skip the test, saying why, if OR-Tools cannot work here."""
    objections = CpSat().unsupported_reasons(noisy(4, 1))
    if objections:
        pytest.skip(" ".join(objections))


def prove_all(cases):
    """Return the proof of each (solver, problem), all from one child process."""
    usable()
    exit_ = run_worker("tests.solve.cpsat.proving:prove_here", cases, Budget.of(300), ignore)
    assert exit_.status == "done", exit_.detail
    return exit_.result


def prove_here(cases, send):
    worker_solver.run_worker = run_here
    return [prove(made, problem) for made, problem in cases]


def prove(made, problem, seconds=60.0, report=ignore):
    """Return the proof from the constant diagram and bounds of 0."""
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes))
    return run_exact(made, problem, best_constant(problem), bounds, Budget.of(seconds), report)


def objective_of(problem, proof):
    return evaluate(problem, proof.diagram or best_constant(problem)).objective


def noisy(n, d, alpha=0.1, skeleton="1-2-2", split="univariate"):
    """Return a problem without structure: solvers find better diagrams soon and prove little."""
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((n, d)), random.integers(0, 2, n), 2)
    return build_problem(data, Skeleton.parse(skeleton), alpha, split, 1e-4)


def work_and_die(job, send):
    """Prove a little, then be killed."""
    send(BoundImproved(job.bounds.tightened(1, 1.0)))
    os.kill(os.getpid(), signal.SIGKILL)


def work_and_claim(job, send):
    """Solve another problem with other costs: its diagrams are not what they are said to be."""
    work(replace(job, problem=replace(job.problem, cost=job.problem.cost[:, ::-1])), send)
