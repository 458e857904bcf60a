"""Provers put to work in tests: OR-Tools is only ever loaded in a child process, one for many problems."""

import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.cpsat import prover
from oddlearn.cpsat.child import work
from oddlearn.cpsat.job import Raised
from oddlearn.diagram import Skeleton
from oddlearn.engine import Budget, ignore
from oddlearn.isolation import Ended, run_isolated
from oddlearn.problem import TrainingData, pose
from oddlearn.problem.constant import best_constant
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.floors import Floors


def usable():
    """Skip the test, saying why, if OR-Tools cannot work here."""
    objections = prover.CpSat().objections(noisy(4, 1))
    if objections:
        pytest.skip(" ".join(objections))


def prove_all(cases):
    """Return the proof of each (prover, problem), all from one child process."""
    usable()
    ended = run_isolated("tests.cpsat.proving:prove_here", cases, Budget.of(300), ignore)
    assert ended.how == "done", ended.detail
    return ended.result


def prove_here(cases, send):
    prover.run_isolated = _run_here
    return [prove(made, problem) for made, problem in cases]


def _run_here(task, job, budget, on_message, most_memory=None):
    started = time.perf_counter()
    work(job, on_message)
    return Ended("done", None, "", time.perf_counter() - started)


def prove(made, problem, seconds=60.0, report=ignore):
    """Return the proof from the constant diagram and floors of 0."""
    floors = Floors(np.zeros(problem.skeleton.n_nodes))
    return made.prove(problem, best_constant(problem), floors, Budget.of(seconds), report)


def objective_of(problem, proof):
    return evaluate(problem, proof.diagram or best_constant(problem)).objective


def noisy(n, d, alpha=0.1, skeleton="1-2-2", split="univariate"):
    """Return a problem without structure: solvers find better diagrams soon and prove little."""
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((n, d)), random.integers(0, 2, n), 2)
    return pose(data, Skeleton.parse(skeleton), alpha, split, 1e-4)


def work_and_die(job, send):
    """Prove a little, then be killed."""
    send(Raised(1, 1.0))
    os.kill(os.getpid(), signal.SIGKILL)


def work_and_claim(job, send):
    """Solve another problem with other costs: its diagrams are not what they are said to be."""
    work(replace(job, problem=replace(job.problem, cost=job.problem.cost[:, ::-1])), send)
