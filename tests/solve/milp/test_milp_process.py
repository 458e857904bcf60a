"""The prover with its solver in a process of its own, and what can happen to that."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oddlearn.problem.events import Bounded, Improved
from oddlearn.solve.milp.solver import Milp
from oddlearn.solve.worker import child_process
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem
from tests.solve.milp.proving import noisy, prove, usable

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi"])
def test_a_proof_comes_back_from_the_process(solver):
    problem = tiny_problem(5, "multivariate")
    events = []
    proof, objective = prove(usable(solver=solver), problem, report=events.append)
    assert objective == pytest.approx(optimal_objective(problem))
    assert proof.bounds.lower_bound(problem) == pytest.approx(objective)
    assert any(isinstance(event, Bounded) for event in events)
    (evidence,) = proof.evidence
    assert (evidence.solver, evidence.status) == ("milp", "optimal")
    assert f"solver={solver}" in evidence.options
    assert "columns" in evidence.size
    assert evidence.version.split(" ")[0].lower() == solver
    assert not proof.interrupted


@pytest.mark.parametrize("solver", ["highs", "scip", "gurobi"])
def test_the_time_limit_holds_and_what_was_found_is_kept(solver):
    problem = noisy(90, 5)
    # on a busy machine a solver may find nothing in the first few seconds
    for seconds in (1.5, 6.0, 24.0, 64.0):
        started, events = time.perf_counter(), []
        proof, objective = prove(usable(solver=solver), problem, seconds, report=events.append)
        assert time.perf_counter() - started < seconds + 0.8
        assert proof.evidence[0].status == "time"
        assert proof.bounds.lower_bound(problem) <= objective
        found = [event.objective for event in events if isinstance(event, Improved)]
        assert (proof.diagram is not None) == bool(found)
        if found:
            assert objective == found[-1]
            return
    pytest.fail("no diagram was found in 64 seconds")


def test_no_time_at_all_is_told():
    problem = noisy(90, 5)
    proof, _ = prove(Milp(), problem, seconds=0.0)
    assert (proof.diagram, proof.evidence[0].status) == (None, "time")
    assert "no time left to begin" in proof.evidence[0].text


def solver_processes():
    """Return the processes of solvers that this one has started, and no others."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return [pid for pid in found if str(child_process.SCRIPT) in Path(f"/proc/{pid}/cmdline").read_text()]


@pytest.mark.skipif(sys.platform != "linux", reason="finds its children in /proc")
def test_a_solver_that_is_killed_leaves_its_diagrams_and_bounds():
    def kill(event):
        if isinstance(event, Improved):
            for pid in solver_processes():
                os.kill(pid, signal.SIGKILL)

    problem = noisy(90, 5)
    proof, objective = prove(Milp(), problem, report=kill)
    assert proof.diagram is not None
    assert proof.evidence[0].status == "crashed"
    assert "SIGKILL" in proof.evidence[0].text
    assert proof.bounds.lower_bound(problem) <= objective


def test_a_solver_that_crashes_is_told_of(monkeypatch):
    monkeypatch.setattr(Milp, "task", "tests.solve.worker.tasks:leave")
    proof, _ = prove(Milp(), noisy(30, 2))
    assert (proof.diagram, proof.evidence[0].status) == (None, "crashed")
    assert "last words" in proof.evidence[0].text


def test_a_solver_that_eats_too_much_memory_is_ended():
    proof, _ = prove(Milp(max_memory=30 << 20), noisy(90, 5))
    assert proof.evidence[0].status == "memory"
    assert "GB" in proof.evidence[0].text


# a script without a __main__ guard, as users write them
SCRIPT = """
from oddlearn.solve.milp.solver import Milp
from tests.solve.milp.proving import noisy, prove
from oddlearn.problem.events import Improved
def report(event):
    if isinstance(event, Improved):
        print("improved", flush=True)
proof, objective = prove(Milp(), noisy(90, 5), seconds=60.0, report=report)
print(proof.interrupted, proof.diagram is not None, proof.evidence[0].status)
"""


def test_an_interrupt_from_the_keyboard_keeps_what_was_found():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", SCRIPT]
    script = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
    assert script.stdout.readline() == "improved\n"
    os.killpg(script.pid, signal.SIGINT)
    out, errors = script.communicate(timeout=10)
    assert out.splitlines()[-1] == "True True interrupted"
    assert errors == ""
