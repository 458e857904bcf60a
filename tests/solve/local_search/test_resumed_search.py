"""A search in several runs: it goes on from what it has, or from a start that is better."""

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch, ResumableSearch
from oddlearn.solve.solver import ignore


def noisy_problem():
    random = np.random.default_rng(4)
    data = TrainingData.collect(random.random((80, 4)), random.integers(0, 3, 80), 3)
    return build_problem(data, Skeleton.parse("1-2-4-4"), 0.01, "univariate")


def test_a_better_start_is_taken_over_and_a_worse_one_is_not():
    problem = noisy_problem()
    better = LocalSearch(seed=1).search(problem, None, Budget.of(None, 60), ignore).diagram
    objective = evaluate(problem, better).objective
    search = ResumableSearch(LocalSearch(seed=0), problem)
    first = search.run(None, Budget.of(None, 1), ignore).diagram
    assert evaluate(problem, first).objective > objective + 1e-6
    second = search.run(better, Budget.of(None, 2), ignore).diagram
    assert evaluate(problem, second).objective <= objective + 1e-9
    third = search.run(best_constant(problem), Budget.of(None, 3), ignore).diagram
    assert evaluate(problem, third).objective <= objective + 1e-9
