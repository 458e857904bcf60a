"""A child process replaced in tests: its work done here, or only what is asked of it recorded."""

import importlib
import sys
import time
from types import SimpleNamespace

import numpy as np

from oddlearn.problem.evaluate import best_constant
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from oddlearn.solve.worker import worker_solver
from oddlearn.solve.worker.run_worker import WorkerExit
from tests.fakes import run_exact

# the fake clocks stand still at these times: perf_counter and time
START, WALL_START = 1000.0, 5000.0


def run_here(task, job, budget, on_message, max_memory=None):
    """Stand in for ``run_worker``, without a process to start."""
    started = time.perf_counter()
    module, name = task.split(":")
    result = getattr(importlib.import_module(module), name)(job, on_message)
    return WorkerExit("done", result, "", time.perf_counter() - started)


def asked_of_the_child(monkeypatch, made, problem, seconds):
    """Return the job, the budget and the memory that a solver would give its child, on a fake clock."""
    clock = SimpleNamespace(perf_counter=lambda: START, time=lambda: WALL_START)
    for module in (sys.modules[Budget.__module__], worker_solver):
        monkeypatch.setattr(module, "time", clock)
    asked = []

    def record(task, job, budget, on_message, max_memory):
        asked.append((job, budget, max_memory))
        return WorkerExit("time", None, "its time was up", 0.0)

    monkeypatch.setattr(worker_solver, "run_worker", record)
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes))
    run_exact(made, problem, best_constant(problem), bounds, Budget.of(seconds), ignore)
    return asked[0]
