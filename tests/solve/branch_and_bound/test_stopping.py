"""Calls that are stopped end soon, and their bounds still hold."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound import kernel_runner, tree_proofs
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner
from oddlearn.solve.branch_and_bound.optimal_trees import TreeProof
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from tests.fakes import run_exact
from tests.solve.branch_and_bound.drawn import NONE_FINISHED, build_kernel, drawn_problem, noise_of, varies
from tests.solve.branch_and_bound.oracle import best_tree_cost


def noise_problem(n=400, d=10, skeleton="1-2-4-8", alpha=0.01, tree_only=False):
    """Return a problem without structure: nobody proves anything of it soon."""
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((n, d)), random.integers(0, 3, n), 3)
    return build_problem(data, Skeleton(Skeleton.parse(skeleton).widths, tree_only), alpha, "univariate")


def free(levels):
    return np.zeros(levels), np.zeros(levels, dtype=np.int32)


@pytest.mark.parametrize("seconds", [0.0, 1e-5, 1e-4])
def test_without_time_the_bound_is_low_but_true(seconds):
    for seed in range(60):
        problem = drawn_problem(seed, 9)
        if varies(problem):
            prices, single = free(4)
            items, kernel = build_kernel(problem, 4)
            truth = best_tree_cost(problem, prices, single)
            for cutoff in (np.inf, items.to_units(truth)):
                value, is_exact = kernel.bound(prices, single, cutoff, seconds)
                assert items.from_units(value) <= truth + noise_of(problem)
                assert not (is_exact and kernel.is_stopped)


def test_a_bound_after_one_that_was_stopped_is_exact():
    """What was remembered before the stop was proved."""
    for seed in range(40):
        problem = drawn_problem(seed, 9)
        if varies(problem):
            prices, single = free(4)
            items, kernel = build_kernel(problem, 4)
            for seconds in (0.0, 2e-5, 5e-5, 1e-4, 2e-4):
                kernel.bound(prices, single, np.inf, seconds)
                kernel.clear_stop()
            value, is_exact = kernel.bound(prices, single, np.inf, 100.0)
            truth = best_tree_cost(problem, prices, single)
            assert is_exact
            assert items.from_units(value) == pytest.approx(truth, abs=noise_of(problem))


def test_a_search_without_time_finds_nothing_and_says_that_it_was_stopped():
    items, kernel = build_kernel(noise_problem(), 4)
    widths = np.array([1, 2, 2, 2], dtype=np.int32)
    assert kernel.search(widths, False, 0.4 * items.base.sum(), 0.0, NONE_FINISHED) is None
    assert kernel.is_stopped


@pytest.mark.parametrize("work", ["bound", "search"])
def test_stop_from_another_thread_ends_a_call_soon(work):
    items, kernel = build_kernel(noise_problem(), 4)
    prices, single = free(4)
    timer = threading.Timer(0.2, kernel.stop)
    timer.start()
    started = time.perf_counter()
    if work == "bound":
        value, is_exact = kernel.bound(prices, single, np.inf, 60.0)
        assert not is_exact and value <= float(items.base.sum())
    else:
        widths = np.array([1, 2, 2, 2], dtype=np.int32)
        assert kernel.search(widths, False, 0.4 * items.base.sum(), 60.0, NONE_FINISHED) is None
    timer.join()
    assert kernel.is_stopped
    assert time.perf_counter() - started < 3.0


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_the_solver_keeps_its_time(seconds, tree_only):
    problem = noise_problem(tree_only=tree_only)
    started = time.perf_counter()
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes))
    proof = run_exact(BranchAndBound(), problem, best_constant(problem), bounds, Budget.of(seconds), ignore)
    assert time.perf_counter() - started < seconds + 1.5
    found = evaluate(problem, proof.diagram or best_constant(problem)).objective
    assert proof.bounds.lower_bound(problem) < found
    assert proof.evidence[0].status == "time"
    assert not proof.interrupted


def test_a_tiny_problem_without_time_claims_nothing_false():
    for seed in range(40):
        problem = drawn_problem(seed, 8, "1-2-4", 0.05, tree_only=True)
        prices = problem.node_price * problem.total_weight * np.array([0, 1, 1])
        best = best_tree_cost(problem, prices, np.zeros(3)) / problem.total_weight
        for seconds in (0.0, 1e-3, 3e-3):
            bounds = NodeCountBounds(np.zeros(7))
            budget = Budget.of(seconds)
            proof = run_exact(BranchAndBound(), problem, best_constant(problem), bounds, budget)
            assert proof.bounds.lower_bound(problem) <= best + 1e-9 * max(1.0, best)


INTERRUPTED = """
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.evaluate import best_constant
from oddlearn.problem.node_count_bounds import NodeCountBounds
from tests.fakes import run_exact
from tests.solve.branch_and_bound.test_stopping import noise_problem
import numpy as np

problem = noise_problem()
start = best_constant(problem)
events = []
bounds = NodeCountBounds(np.zeros(15))
print("ready", flush=True)
proof = run_exact(BranchAndBound(), problem, start, bounds, Budget.of(60.0), events.append)
assert proof.interrupted and proof.evidence[0].status == "interrupted", proof
best = evaluate(problem, proof.diagram or start).objective
assert proof.bounds.lower_bound(problem) <= best <= evaluate(problem, start).objective
print("kept", flush=True)
"""


def test_the_keyboard_ends_a_proof_and_keeps_the_best_diagram():
    command = [sys.executable, "-c", INTERRUPTED]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        child.send_signal(signal.SIGINT)
        started = time.perf_counter()
        assert child.stdout.readline() == "kept\n"
        assert time.perf_counter() - started < 5.0
    assert child.returncode == 0


def test_a_diagram_found_before_the_interrupt_is_kept(monkeypatch):
    problem = drawn_problem(12, 9, "1-2-4", 0.0, tree_only=True)

    class Interrupted(TreeProof):
        def run(self, progress, budget):
            super().run(progress, budget)
            raise KeyboardInterrupt

    monkeypatch.setattr(tree_proofs, "TreeProof", Interrupted)
    bounds = NodeCountBounds(np.zeros(7))
    proof = run_exact(BranchAndBound(), problem, best_constant(problem), bounds, Budget.of(10.0), ignore)
    assert proof.interrupted
    assert proof.diagram is not None


class Late:
    """A kernel whose calls begin a little late, as those of a thread may."""

    def __init__(self, kernel):
        self.kernel, self.stop, self.clear_stop = kernel, kernel.stop, kernel.clear_stop
        self.limit_work, self.work = kernel.limit_work, kernel.work

    def bound(self, *arguments):
        time.sleep(0.2)
        return self.kernel.bound(*arguments)


def test_an_interrupt_before_the_kernel_has_begun_is_not_lost(monkeypatch):
    def interrupt(jobs):
        raise KeyboardInterrupt

    made = KernelRunner(noise_problem(), 4, 0)
    made.kernel = Late(made.kernel)
    monkeypatch.setattr(kernel_runner, "wait", interrupt)
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        made.bound(*free(4), np.inf, Budget.of(3.0))
    assert time.perf_counter() - started < 2.0
