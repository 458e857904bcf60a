"""How the search runs: repeats, limits, starts, interrupts, news."""

import os
import signal
import threading
import time
from concurrent.futures import wait

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.solver import Construct
from oddlearn.solve.local_search import search_threads, solver
from oddlearn.solve.local_search.solver import LocalSearch, ResumableSearch
from oddlearn.solve.solver import ignore
from tests.diagram.drawings import random_diagram

KINDS = ("univariate", "multivariate")


def drawn(
    seed, split="univariate", n=150, d=4, n_classes=3, skeleton="1-2-3-3", tree_only=False, margin=1e-4
):
    random = np.random.default_rng(seed)
    X = random.random((n, d))
    codes = (3 * X[:, 0] * X[:, 1] + 0.5 * random.random(n)).astype(int).clip(0, n_classes - 1)
    skeleton = Skeleton(Skeleton.parse(skeleton).widths, tree_only)
    return build_problem(TrainingData.collect(X, codes, n_classes), skeleton, 0.05, split, margin)


def run(problem, max_iter=30, start=None, lower_bound=-np.inf, report=ignore, **options):
    return LocalSearch(**options).search(problem, start, Budget.of(None, max_iter), report, lower_bound)


@pytest.mark.parametrize("split", KINDS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_seed_and_an_iteration_limit_repeat_exactly(split, n_jobs):
    problem = drawn(0, split)
    outcomes = [run(problem, 60, seed=7, n_jobs=n_jobs) for _ in range(3)]
    assert len({outcome.diagram for outcome in outcomes}) == 1
    assert {outcome.iterations for outcome in outcomes} == {60 * n_jobs}


def test_seeds_are_different_searches():
    problem = drawn(1, skeleton="1-2-4-8", n=300)
    assert len({run(problem, 2, seed=seed).diagram for seed in range(5)}) > 1


def test_two_chains_are_at_least_as_good_as_the_first_alone():
    problem = drawn(2)
    alone, both = (evaluate(problem, run(problem, 10, n_jobs=n).diagram).objective for n in (1, 2))
    assert both <= alone + 1e-12


@pytest.mark.parametrize("split", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_a_start_is_never_made_worse(seed, split):
    problem = drawn(seed, split)
    start = Construct(restarts=20).search(problem, None, Budget.of(None, 30), ignore).diagram
    value = evaluate(problem, start).objective
    for max_iter in (0, 1, 5):
        again = run(problem, max_iter, start, seed=seed).diagram
        assert evaluate(problem, again).objective <= value + 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_a_random_start_is_never_made_worse(seed):
    problem = drawn(seed, margin=0.0)
    start = random_diagram(np.random.default_rng(seed))
    again = run(problem, 0, start).diagram
    constant = problem.cost.sum(axis=0).min() / problem.total_weight
    assert evaluate(problem, again).objective == pytest.approx(
        min(constant, evaluate(problem, start).objective)
    )


def test_a_start_without_margin_is_not_handed_back():
    problem = drawn(3, "multivariate", margin=0.02)
    start = random_diagram(np.random.default_rng(3), kind="multivariate")
    for max_iter in (0, 1, 20):
        evaluate(problem, run(problem, max_iter, start).diagram)


def test_a_constant_start_is_a_start():
    problem = drawn(4)
    outcome = run(problem, 5, DecisionDiagram.constant(0, 3, 4))
    assert evaluate(problem, outcome.diagram).n_nodes > 1


def test_a_hyperplane_start_on_one_feature_is_a_start():
    data = TrainingData.collect(np.array([[0.0], [0.3], [0.6], [1.0]]), np.array([0, 1, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "multivariate")
    start = DecisionDiagram((MultivariateSplit(np.array([1.0]), 0.5),), [1], [2], [0], 2, 1)
    assert evaluate(problem, run(problem, 100, start).diagram).objective == pytest.approx(0.1)


@pytest.mark.parametrize("low", [False, True])
def test_a_start_that_asks_a_constant_feature_keeps_its_value(low):
    # feature 0 is 0.5 everywhere: the root passes all on, to the split that solves the problem
    X = np.array([[0.5, 0.0], [0.5, 0.4], [0.5, 0.6], [0.5, 1.0]])
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 0, 1, 1]), 2), Skeleton.parse("1-1"), 0.0, "univariate"
    )
    splits = (UnivariateSplit(0, 0.2 if low else 0.8), UnivariateSplit(1, 0.5))
    negative, positive = ([3, 2], [1, 3]) if low else ([1, 2], [3, 3])
    start = DecisionDiagram(splits, negative, positive, [0, 1], 2, 2)
    assert evaluate(problem, start).cost == 0
    assert evaluate(problem, run(problem, 0, start).diagram).cost == 0


def test_a_start_with_weight_on_a_constant_feature_keeps_its_value():
    X = np.array([[0.5, 0.0], [0.5, 0.4], [0.5, 0.6], [0.5, 1.0]])
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 0, 1, 1]), 2), Skeleton.parse("1-1"), 0.0, "multivariate"
    )
    start = DecisionDiagram((MultivariateSplit(np.array([1.0, 1.0]), 1.0),), [1], [2], [0], 2, 2)
    assert evaluate(problem, start).cost == 0
    assert evaluate(problem, run(problem, 0, start).diagram).cost == 0


@pytest.mark.parametrize("split", KINDS)
def test_it_ends_when_the_bound_is_met(split):
    X = np.array([[0.0, 0.0], [0.2, 1.0], [1.0, 0.0], [0.9, 0.9]])
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 0, 1, 1]), 2), Skeleton.parse("1-2"), 0.1, split
    )
    assert run(problem, 1000, lower_bound=0.0).iterations == 1
    assert run(problem, 1000, lower_bound=-OPTIMALITY_TOLERANCE).iterations == 1
    assert run(problem, 1000, lower_bound=-1.0).iterations == 1000


def test_a_search_that_goes_on_counts_the_new_iterations_alone():
    problem = drawn(0)
    search = ResumableSearch(LocalSearch(), problem)
    counts = [search.run(None, Budget.of(None, limit), ignore).iterations for limit in (7, 12, 12)]
    assert counts == [7, 5, 0]


def test_it_ends_when_patience_is_used_up():
    # two rows of two classes: the first descent ends at the optimum
    problem = build_problem(
        TrainingData.collect(np.eye(2), np.array([0, 1]), 2), Skeleton.parse("1-2"), 0.1, "univariate"
    )
    assert run(problem, None, patience=50).iterations == 51
    assert run(problem, 20, patience=50).iterations == 20


def large(split):
    random = np.random.default_rng(0)
    X = random.random((100_000, 8))
    data = TrainingData(X, np.eye(3)[random.integers(0, 3, len(X))], np.arange(len(X)))
    return build_problem(data, Skeleton.parse("1-2-4-8"), 0.1, split)


@pytest.mark.parametrize("split", KINDS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_deadline_is_kept_on_a_large_table(split, n_jobs):
    problem = large(split)
    began = time.perf_counter()
    outcome = LocalSearch(n_jobs=n_jobs).search(problem, None, Budget.of(0.3), ignore)
    assert time.perf_counter() - began < 1.3
    evaluate(problem, outcome.diagram)


def test_without_any_time_the_best_constant_is_returned():
    problem = drawn(6)
    outcome = LocalSearch().search(problem, None, Budget.of(0.0), ignore)
    assert outcome.diagram.constant_class == problem.cost.sum(axis=0).argmin()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("split", KINDS)
@pytest.mark.parametrize("glances", [0, 3])
def test_an_interrupt_ends_it_and_keeps_the_best(monkeypatch, glances, split, n_jobs):
    calls = []

    def interrupted_wait(*args, **options):
        calls.append(1)
        if len(calls) > glances:
            raise KeyboardInterrupt
        return wait(*args, **options)

    monkeypatch.setattr(search_threads, "wait", interrupted_wait)
    problem = drawn(7, split)
    began = time.perf_counter()
    outcome = LocalSearch(patience=10**9, n_jobs=n_jobs).search(problem, None, Budget.of(30.0), ignore)
    assert time.perf_counter() - began < 2
    assert outcome.interrupted
    evaluate(problem, outcome.diagram)


@pytest.mark.parametrize("split", KINDS)
def test_a_signal_ends_it_and_keeps_the_best(split):
    problem = drawn(7, split)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    outcome = LocalSearch(patience=10**9, n_jobs=2).search(problem, None, Budget.of(30.0), ignore)
    timer.join()
    assert outcome.interrupted
    assert evaluate(problem, outcome.diagram).n_nodes > 1


def test_an_interrupt_after_the_threads_keeps_the_best(monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(solver, "separate_nodes", interrupt)
    problem = drawn(7, "multivariate")
    try:
        outcome = run(problem, 30)
    except KeyboardInterrupt:
        pytest.fail("the interrupt left the engine, and the diagram is lost")
    assert outcome.interrupted
    assert evaluate(problem, outcome.diagram).n_nodes > 1


def test_a_listener_that_fails_ends_the_search_at_once():
    def fail(event):
        raise RuntimeError("the listener broke")

    began = time.perf_counter()
    with pytest.raises(RuntimeError, match="listener"):
        LocalSearch(patience=10**9).search(drawn(8), None, Budget.of(4.0), fail)
    assert time.perf_counter() - began < 2


def test_news_arrive_in_the_calling_thread_and_only_get_better():
    news = []
    problem = drawn(9)
    outcome = run(
        problem, 100, n_jobs=2, report=lambda event: news.append((threading.current_thread(), event))
    )
    assert {thread for thread, _ in news} == {threading.current_thread()}
    assert all(isinstance(event, Improved) for _, event in news)
    values = [event.objective for _, event in news]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(evaluate(problem, outcome.diagram).objective)


@pytest.mark.parametrize("split", KINDS)
def test_a_constant_table_gives_the_constant_diagram(split):
    data = TrainingData.collect(np.full((6, 2), 0.5), np.array([0, 1, 1, 2, 1, 0]), 3)
    outcome = run(build_problem(data, Skeleton.parse("1-2"), 0.1, split))
    assert outcome.diagram == DecisionDiagram.constant(1, 3, 2)


@pytest.mark.parametrize("split", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_tree_skeletons_get_trees(seed, split):
    problem = drawn(seed, split, tree_only=True, skeleton="1-2-4-4")
    for max_iter in (1, 5, 40):
        diagram = run(problem, max_iter, seed=seed).diagram
        assert diagram.is_tree
        evaluate(problem, diagram)


@pytest.mark.parametrize("patience", [0, -1, "x", 1.5])
def test_patience_that_is_no_count_is_refused(patience):
    with pytest.raises(InvalidInputError, match="patience is"):
        LocalSearch(patience=patience)
