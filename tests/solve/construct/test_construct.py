import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.solver import Construct, _in_threads
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem


def silent(event):
    """Hear nothing."""


def run(problem, engine=None, start=None, budget=None, report=silent, **options):
    engine = engine or Construct(restarts=10)
    return engine.search(problem, start, budget or Budget.of(None), report, **options)


def random_problem(seed, n=200, d=6, n_classes=3, skeleton="1-2-4-4", split="univariate"):
    random = np.random.default_rng(seed)
    X = random.random((n, d))
    codes = (3 * X[:, 0] * X[:, 1] + 0.5 * random.random(n)).astype(int).clip(0, n_classes - 1)
    return build_problem(TrainingData.collect(X, codes, n_classes), Skeleton.parse(skeleton), 0.05, split)


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("seed", range(12))
def test_diagrams_are_valid_and_never_below_the_optimum(seed, split, tree_only):
    problem = tiny_problem(seed, split, most_rows=5, tree_only=tree_only)
    value = evaluate(problem, run(problem).diagram)  # raises unless skeleton, kind and margin are kept
    assert value.objective >= optimal_objective(problem) - 1e-9


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("skeleton", ["1", "1-1-1", "1-2-2-2", "1-2-4-8"])
def test_larger_problems_get_valid_diagrams_better_than_the_constant(skeleton, split):
    problem = random_problem(0, skeleton=skeleton, split=split)
    constant = DecisionDiagram.constant(0, 3, 6)
    assert evaluate(problem, run(problem).diagram).objective < evaluate(problem, constant).objective


def test_news_arrive_in_the_calling_thread_and_only_get_better():
    news = []
    run(random_problem(1), report=lambda event: news.append((threading.current_thread(), event)))
    assert {thread for thread, _ in news} == {threading.current_thread()}
    values = [event.objective for _, event in news]
    assert all(isinstance(event, Improved) for _, event in news)
    assert values == sorted(values, reverse=True)


def test_a_seed_and_an_iteration_limit_repeat_exactly_with_any_number_of_threads():
    problem = random_problem(2)
    budget = Budget.of(None, max_iter=30)
    outcomes = [run(problem, Construct(seed=7, n_jobs=n_jobs), budget=budget) for n_jobs in (1, 1, 2, 3)]
    assert {outcome.iterations for outcome in outcomes} == {30}
    assert len({outcome.diagram for outcome in outcomes}) == 1


def test_it_ends_after_so_many_constructions_without_improvement():
    # one feature: every construction is the same
    problem = random_problem(3, d=2)
    one_feature = replace(problem, data=replace(problem.data, X=problem.data.X * [1, 0]))
    assert run(one_feature, Construct(restarts=12, feature_share=1.0)).iterations == 13


def test_it_ends_when_the_bound_is_met():
    X = np.array([[0.0], [1.0]])
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 1]), 2), Skeleton.parse("1-2"), 0.1, "univariate"
    )
    assert run(problem, lower_bound=0.0).iterations == 1


def test_a_start_is_kept_unless_something_better_is_found():
    problem = random_problem(4)
    best = run(problem, Construct(restarts=50)).diagram
    again = run(problem, Construct(seed=1, feature_share=0.1), start=best, budget=Budget.of(None, max_iter=1))
    assert evaluate(problem, again.diagram).objective <= evaluate(problem, best).objective


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_deadline_is_kept_on_a_large_table(n_jobs):
    random = np.random.default_rng(0)
    X = random.random((100_000, 8))
    data = TrainingData(X, np.eye(3)[random.integers(0, 3, len(X))], np.arange(len(X)))
    problem = build_problem(data, Skeleton.parse("1-2-4-8"), 0.1, "univariate")
    began = time.perf_counter()
    outcome = run(problem, Construct(n_jobs=n_jobs), budget=Budget.of(0.2))
    assert time.perf_counter() - began < 1.2
    evaluate(problem, outcome.diagram)


def test_without_any_time_the_constant_classifier_is_returned():
    problem = random_problem(5)
    outcome = run(problem, budget=Budget.of(0.0))
    assert outcome.diagram.n_nodes == 0
    assert outcome.diagram.constant_class == problem.cost.sum(axis=0).argmin()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_ends_it_and_keeps_the_best(n_jobs):
    problem = random_problem(6)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    outcome = run(problem, Construct(restarts=10**9, n_jobs=n_jobs), budget=Budget.of(20))
    timer.join()
    assert outcome.interrupted
    assert evaluate(problem, outcome.diagram).n_nodes >= 1


def test_constraints_are_objected_to():
    problem = random_problem(7)
    size = problem.layout.size
    row = LinearRows(np.ones((1, size)), np.array([-np.inf]), np.array([1.0]), ("size",))
    assert Construct().unsupported_reasons(problem) == []
    assert "cannot satisfy constraints" in Construct().unsupported_reasons(replace(problem, rows=row))[0]


def test_constructions_that_are_no_longer_needed_are_stopped():
    stop = threading.Event()

    def construct_one(number):
        if number:
            stop.wait(30)
        return number

    found = _in_threads(construct_one, 2, stop)
    assert next(found) == 0 and not stop.is_set()
    found.close()
    assert stop.is_set()
