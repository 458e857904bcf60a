"""Trees whose hyperplanes separate groups of classes: no errors, or no tree."""

import numpy as np
import pytest

from oddlearn.constraints import MaxNodes
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.separated_classes import ClassTreeSearch, SeparatedClasses
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.solve.construct.test_class_tree import problem_of


def search(problem, work=2.0):
    budget = Budget.of(None).limit_work(work)
    return SeparatedClasses().run(SolveState.initial(problem), budget, ignore)


def nested(n_classes, skeleton):
    """Return a problem of rings that only a chain of hyperplanes parts: one class is apart at a time."""
    angle = np.linspace(0, np.pi / 2, 8 * n_classes)
    y = np.arange(angle.size) // 8
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    data = TrainingData.collect(X, y, n_classes)
    return build_problem(data, Skeleton.parse(skeleton), 0.01, "multivariate")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_classes", "skeleton"), [(3, "1-1"), (6, "1-2-2"), (10, "1-2-4-8")])
def test_separable_classes_have_a_leaf_each(seed, n_classes, skeleton):
    found = search(problem_of(seed, n_classes, skeleton))
    assert found.evaluation.cost == 0
    assert found.evaluation.n_nodes == n_classes - 1
    evaluate(found.problem, found.diagram)  # raises where it does not fit the skeleton or its margin
    assert "separated_classes" not in found.resumable


@pytest.mark.parametrize("skeleton", ["1-1-1-1", "1-2-2", "1-2-4"])
def test_groups_are_those_for_which_there_is_room(skeleton):
    found = search(nested(5, skeleton) if skeleton == "1-1-1-1" else nested(4, skeleton))
    assert found.evaluation.cost == 0


def test_it_ends_where_no_group_of_all_classes_is_separable():
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((90, 2)), np.arange(90) % 3, 3)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.01, "multivariate")
    found = search(problem)
    assert found.diagram.n_nodes == 0
    assert "separated_classes" not in found.resumable


def test_it_ends_when_its_trees_have_nothing_new():
    # class 0 is apart from the others, which are mixed
    random = np.random.default_rng(0)
    X, y = random.random((90, 2)), np.arange(90) % 3
    X[y == 0] += 2
    problem = build_problem(TrainingData.collect(X, y, 3), Skeleton.parse("1-2"), 0.01, "multivariate")
    assert "separated_classes" not in search(problem, 10.0).resumable


def test_classes_in_one_place_are_not_separated():
    data = TrainingData.collect(np.array([[0.0], [0.0], [1.0], [2.0]]), np.array([0, 1, 2, 2]), 3)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.01, "multivariate")
    assert ClassTreeSearch(problem, np.random.default_rng(0)).is_finished
    assert search(problem).diagram.n_nodes == 0


def test_closer_classes_than_the_margin_are_not_separated():
    problem = problem_of(0, 4, "1-2", margin=0.9)
    assert search(problem).diagram.n_nodes == 0


def test_nothing_is_done_when_time_is_up():
    problem = problem_of(0, 4, "1-2")
    state = SolveState.initial(problem)
    assert SeparatedClasses().run(state, Budget.of(0.0), ignore).diagram is state.diagram


def test_it_says_what_it_does_not_take():
    assert SeparatedClasses().unsupported_reasons(problem_of(0, 3, "1-2")) == []
    assert "classes" in SeparatedClasses().unsupported_reasons(problem_of(0, 2, "1-2"))[0]
    X, y = np.arange(6.0)[:, None], np.arange(6) % 3
    limited = build_problem(
        TrainingData.collect(X, y, 3), Skeleton.parse("1-2"), 0.0, "multivariate", constraints=[MaxNodes(1)]
    )
    assert "constraints" in SeparatedClasses().unsupported_reasons(limited)[0]
