"""The prover and its process: what it refuses, how it ends, what it says."""

import math
import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.errors import InvalidInputError
from oddlearn.problem import LinearRows
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.solve.budget import Budget
from oddlearn.solve.cpsat import solver as cpsat_solver
from oddlearn.solve.cpsat import worker
from oddlearn.solve.cpsat.context import MAX_ENTRIES
from oddlearn.solve.cpsat.solver import CpSat
from oddlearn.solve.schedule import EXACT_SOLVERS, solver_class
from oddlearn.solve.worker import worker_solver
from oddlearn.solve.worker.messages import ModelSkipped, SolveJob
from tests.fakes import run_exact
from tests.solve.cpsat.proving import noisy, objective_of, prove, prove_all, usable
from tests.solve.worker.here import START, WALL_START, asked_of_the_child


@pytest.fixture(autouse=True)
def _usable():
    usable()


def test_it_is_registered():
    assert solver_class(EXACT_SOLVERS["cpsat"]) is CpSat
    assert CpSat().name == "cpsat"


def test_news_come_in_order_and_end_at_the_optimum():
    events = []
    problem = noisy(12, 2, skeleton="1-2")
    proof = prove(CpSat(), problem, report=events.append)
    bounds = [event.lower_bound for event in events if isinstance(event, Bounded)]
    objectives = [event.objective for event in events if isinstance(event, Improved)]
    assert bounds == sorted(bounds) and objectives == sorted(objectives, reverse=True)
    assert bounds[-1] == pytest.approx(objectives[-1])
    assert objectives[-1] == objective_of(problem, proof)
    (evidence,) = proof.evidence
    assert (evidence.solver, evidence.status) == ("cpsat", "optimal")
    assert evidence.bound == pytest.approx(objectives[-1])
    assert "solved to the end" in evidence.text
    assert "CP-SAT" in evidence.version and "seed=0" in evidence.options and "literals" in evidence.size


def test_threads_and_seeds_change_no_optimum():
    problem = noisy(14, 2, skeleton="1-2")
    proofs = prove_all([(CpSat(n_jobs=n_jobs, seed=seed), problem) for n_jobs, seed in [(1, 0), (2, 7)]])
    bounds = {round(proof.bounds.lower_bound(problem), 9) for proof in proofs}
    assert bounds == {round(objective_of(problem, proof), 9) for proof in proofs}
    assert len(bounds) == 1


def test_nothing_is_started_when_all_is_proved(monkeypatch):
    monkeypatch.setattr(worker_solver, "run_worker", None)
    problem = noisy(8, 2)
    bounds = NodeCountBounds(np.full(problem.skeleton.n_nodes, 8.0))
    proof = run_exact(CpSat(), problem, best_constant(problem), bounds, Budget.of(1.0), print)
    assert proof.bounds is bounds and proof.evidence == ()


@pytest.mark.parametrize("seconds", [0.3, 2.0, 60.0])
def test_the_solver_is_asked_to_stop_before_its_process_is_killed(monkeypatch, seconds):
    job, budget, _ = asked_of_the_child(monkeypatch, CpSat(), noisy(8, 2), seconds)
    assert budget.deadline == START + seconds
    assert job.deadline == pytest.approx(WALL_START + seconds - min(0.1, 0.05 * seconds), abs=1e-9)


def test_without_a_deadline_the_solver_has_none(monkeypatch):
    job, budget, _ = asked_of_the_child(monkeypatch, CpSat(), noisy(8, 2), None)
    assert math.isinf(budget.deadline) and math.isinf(job.deadline)


@pytest.mark.parametrize("seconds", [0.3, 2.0])
def test_a_solve_that_lacks_time_says_so_and_its_bounds_stay_below_what_is_known(seconds):
    problem = noisy(300, 8, alpha=0.01, skeleton="1-2-4-8")
    proof = prove(CpSat(), problem, seconds=seconds)
    assert proof.bounds.lower_bound(problem) <= objective_of(problem, proof)
    # killed, out of time, or no time to write a single model: never "open"
    assert proof.evidence[0].status == "time"


def test_a_killed_solver_leaves_what_it_had_proved(monkeypatch):
    monkeypatch.setattr(CpSat, "task", "tests.solve.cpsat.proving:work_and_die")
    proof = prove(CpSat(), noisy(8, 2))
    assert proof.bounds.cost.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert proof.diagram is None and not proof.interrupted
    assert proof.evidence[0].status == "crashed"
    assert "SIGKILL" in proof.evidence[0].text


def test_diagrams_of_a_solver_are_evaluated_before_they_count(monkeypatch):
    monkeypatch.setattr(CpSat, "task", "tests.solve.cpsat.proving:work_and_claim")
    problem = noisy(12, 2, skeleton="1")
    events = []
    proof = prove(CpSat(), problem, report=events.append)
    told = [event for event in events if isinstance(event, Improved)]
    assert (proof.diagram is None) == (told == [])
    assert proof.diagram is None or told[-1].objective == evaluate(problem, proof.diagram).objective


def test_too_little_memory_is_said():
    proof = prove(CpSat(max_memory=1 << 20), noisy(300, 8))
    assert proof.evidence[0].status == "memory"
    assert proof.diagram is None


def test_an_interrupt_keeps_what_is_known():
    problem = noisy(300, 8, alpha=0.01, skeleton="1-2-4-8")
    timer = threading.Timer(2.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.perf_counter()
    proof = prove(CpSat(), problem, seconds=30.0)
    timer.cancel()
    assert proof.interrupted and proof.evidence[0].status == "interrupted"
    assert time.perf_counter() - started < 10
    assert proof.bounds.lower_bound(problem) <= objective_of(problem, proof)


def test_models_too_large_are_refused_and_that_is_said():
    problem = noisy(300, 8, skeleton="1-2-4-8")
    bounds = NodeCountBounds(np.zeros(15))
    for deadline, reason in [(time.time() + 0.2, "time"), (math.inf, "nowhere")]:
        told = []
        job = SolveJob(CpSat(), problem, best_constant(problem), 0.4, bounds, deadline, 1 << 30)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(worker, "MAX_ENTRIES", 10 if math.isinf(deadline) else MAX_ENTRIES)
            patch.setattr(worker, "BUILD_SPEED", 10)
            worker.work(job, told.append)
        assert told and all(isinstance(message, ModelSkipped) for message in told)
        assert all(reason in message.reason for message in told)
        assert all(message.is_late == (reason == "time") for message in told)


def test_it_objects_to_what_it_cannot_express(monkeypatch):
    univariate = noisy(4, 1)
    assert CpSat().unsupported_reasons(univariate) == []
    assert "univariate splits only" in CpSat().unsupported_reasons(noisy(4, 1, split="multivariate"))[0]
    monkeypatch.setattr(cpsat_solver, "find_spec", lambda name: None)
    assert 'pip install "oddlearn[cpsat]"' in CpSat().unsupported_reasons(univariate)[0]


def test_it_objects_to_numbers_that_would_lose_too_much():
    problem = noisy(4, 1)
    uneven = replace(problem, cost=np.array([[0.0, np.pi * 1e9], *[[0.0, np.e * 1e-3]] * 3]))
    assert "integers" in CpSat().unsupported_reasons(uneven)[0]
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, :2] = np.pi * 1e9, np.e
    rows = LinearRows(csr_array(matrix), [-np.inf], [1.0], ("a row of mine",))
    assert "'a row of mine'" in CpSat().unsupported_reasons(replace(problem, rows=rows))[0]
    soft = replace(rows, penalty=np.array([np.pi * 1e8]))
    assert "soft constraints" in CpSat().unsupported_reasons(replace(problem, rows=soft))[0]


def test_it_objects_to_rows_that_tell_sides_apart():
    problem = noisy(4, 1)
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.positive[0, 1]] = 1.0
    rows = LinearRows(csr_array(matrix), [-np.inf], [0.0], ("one side",))
    assert "side" in CpSat().unsupported_reasons(replace(problem, rows=rows))[0]


@pytest.mark.parametrize(
    "options", [{"n_jobs": 0}, {"n_jobs": 1.5}, {"seed": -1}, {"max_memory": 0}, {"order_nodes": "yes"}]
)
def test_bad_options_are_refused(options):
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        CpSat(**options)
