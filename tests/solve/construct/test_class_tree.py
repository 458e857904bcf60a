"""A tree of class groups: a leaf for each class where there is room, within margin, terms and time."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.term_limit import TermLimit
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.class_tree import ClassTree, GroupSearch, LayersBelow, can_part
from oddlearn.solve.state import SolveState


def draw(seed, n_classes, n_rows=300, n_features=6, spread=0.02):
    """Return rows around one corner of the unit box for each class: every class is apart from the others."""
    random = np.random.default_rng(seed)
    corners = np.array([[int(bit) for bit in f"{code:0{n_features}b}"] for code in range(2**n_features)])
    centres = corners[random.choice(len(corners), n_classes, replace=False)]
    y = np.arange(n_rows) % n_classes
    return centres[y] + spread * random.normal(size=(n_rows, n_features)), y


def problem_of(seed, n_classes, skeleton, *, alpha=0.01, margin=1e-4, costs=None, weight=None, **options):
    X, y = draw(seed, n_classes, **options)
    data = TrainingData.collect(X, y, n_classes, weight)
    return build_problem(data, Skeleton.parse(skeleton), alpha, "multivariate", margin, costs)


def start(problem, budget=None):
    return ClassTree().run(SolveState.initial(problem), budget or Budget.of(None), lambda event: None)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("n_classes", "skeleton"),
    [
        *((3, "1-1"), (4, "1-2"), (5, "1-2-1"), (6, "1-2-2"), (8, "1-2-4")),
        *((9, "1-2-2-2-2-2-2-2"), (12, "1-2-4-8")),
    ],
)
def test_corners_of_a_box_have_a_leaf_each_and_no_errors(seed, n_classes, skeleton):
    found = start(problem_of(seed, n_classes, skeleton))
    assert found.evaluation.cost == 0
    assert found.evaluation.n_nodes == n_classes - 1  # the least with which so many classes are predicted
    evaluate(found.problem, found.diagram)  # raises where it does not fit the skeleton or its margin


@pytest.mark.parametrize("seed", range(4))
def test_with_more_classes_than_leaves_some_are_left_out(seed):
    found = start(problem_of(seed, 10, "1-2"))
    assert found.evaluation.n_nodes == 3
    assert found.evaluation.cost <= 0.6 * 300 + 1e-9  # four of ten classes have a leaf


@pytest.mark.parametrize("seed", range(6))
def test_weights_costs_and_overlaps_give_a_diagram_that_costs_what_it_says(seed):
    random = np.random.default_rng(seed)
    costs = random.integers(1, 6, (4, 4)) * (1 - np.eye(4, dtype=int))
    weight = random.choice([0.5, 1.0, 3.0], 300)
    problem = problem_of(seed, 4, "1-2-4", spread=0.5, costs=costs, weight=weight, margin=1e-3)
    found = start(problem)
    assert found.objective == evaluate(problem, found.diagram).objective
    assert found.objective < SolveState.initial(problem).objective


def test_a_limit_on_terms_is_kept():
    X, y = draw(0, 4)
    limit = TermLimit(2, np.arange(6))
    data, skeleton = TrainingData.collect(X, y, 4), Skeleton.parse("1-2-4")
    problem = build_problem(data, skeleton, 0.0, "multivariate", 1e-4, term_limit=limit)
    found = start(problem)
    assert found.evaluation.n_nodes >= 2 and limit.allows(found.diagram)


def test_a_price_above_the_weight_of_a_class_leaves_it_out():
    assert start(problem_of(0, 8, "1-2-4", alpha=0.5)).evaluation.n_nodes == 7  # 1/8 of the rows for 0.083
    assert start(problem_of(0, 8, "1-2-4", alpha=1.0)).evaluation.n_nodes < 7  # for 0.167


def test_without_time_nothing_is_added():
    problem = problem_of(0, 4, "1-2")
    assert start(problem, Budget.of(0.0)).diagram == SolveState.initial(problem).diagram


@pytest.mark.parametrize(
    ("n_classes", "split", "n_features", "words"),
    [
        (2, "multivariate", 2, "takes 3 to 50 classes"),
        (51, "multivariate", 2, "takes 3 to 50 classes"),
        (3, "univariate", 2, "takes multivariate splits only"),
        (3, "multivariate", 1001, "takes 1,000 features at most"),
    ],
)
def test_what_it_does_not_take_is_said(n_classes, split, n_features, words):
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((60, n_features)), np.arange(60) % n_classes, n_classes)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.0, split)
    state = SolveState.initial(problem)
    assert words in ClassTree().unsupported_reasons(problem)[0]
    assert ClassTree().run(state, Budget.of(None), lambda event: None) is state


@cache
def can_part_by_trial(sizes, widths):
    """The slow twin of ``can_part``: every way to part every set."""
    left = [size for size in sizes if size > 1]
    if not left or not widths or len(left) > widths[0]:
        return not left
    ways = [()]
    for size in left:
        ways = [(*way, part, size - part) for way in ways for part in range(1, size // 2 + 1)]
    return any(can_part_by_trial(tuple(sorted(way)), widths[1:]) for way in ways)


SIZES = [(one,) for one in range(1, 9)] + [(a, b) for a in range(1, 6) for b in range(1, a + 1)]


@pytest.mark.parametrize(
    "widths", [(1,), (1, 1), (1, 2), (1, 2, 2), (2, 2, 2), (1, 1, 2, 2), (1, 2, 3), (2, 4), (1, 3, 3, 3)]
)
def test_room_for_classes_is_as_trying_every_way_says(widths):
    for sizes in SIZES:
        assert can_part(sizes, widths) == can_part_by_trial(sizes, widths), sizes


@pytest.mark.parametrize("widths", [(2, 1), (1, 2, 1), (1, 2, 1, 2), (2, 3, 1)])
def test_in_skeletons_that_become_narrower_there_is_room_where_it_is_said(widths):
    assert all(can_part_by_trial(sizes, widths) for sizes in SIZES if can_part(sizes, widths))


def test_sets_already_placed_and_those_to_come_take_their_room():
    assert LayersBelow((2,)).fits(2, 2) and not LayersBelow((2,), below=(2,)).fits(2, 2)
    assert LayersBelow((3,), beside=(3,)).fits(2, 2) and not LayersBelow((2,), beside=(3,)).fits(2, 2)
    assert LayersBelow((1,), beside=(2,)).fits(1, 2)


def test_where_not_every_class_has_room_the_groups_leave_as_many_as_possible():
    layers = LayersBelow((2, 2))  # six classes: sets of three, or of four and two
    assert [size for size in range(1, 10) if layers.allows(size, 10 - size)] == [2, 3, 4, 5, 6, 7, 8]
    assert [size for size in range(1, 6) if layers.allows(size, 6 - size)] == [2, 3, 4]
    assert all(LayersBelow(()).allows(size, 5 - size) for size in range(1, 5))


@pytest.mark.parametrize("seed", range(10))
def test_no_move_of_one_class_makes_the_groups_cheaper(seed):
    problem = problem_of(seed, 6, "1-2-4", spread=0.4)
    everything = start(problem)  # the search below has the rows of its root
    own = SimpleNamespace(rows=np.arange(problem.data.n_rows), classes=np.arange(6))
    search = GroupSearch.build(problem, own)
    negative, positive = search.find_groups(LayersBelow((2, 4)), Budget.of(None))
    group = np.isin(np.arange(6), positive)
    assert sorted([*negative, *positive]) == list(range(6)) and everything.evaluation.n_nodes
    for moved in np.eye(6, dtype=bool):
        other = group ^ moved
        if other.any() and not other.all() and LayersBelow((2, 4)).fits(other.sum(), 6 - other.sum()):
            assert search.split_cost(other) >= search.split_cost(group)


def test_out_of_time_one_pair_of_groups_is_judged_and_no_move(monkeypatch):
    problem, judged = problem_of(0, 50, "1-2-4-8", n_rows=500, spread=0.3), []
    own = SimpleNamespace(rows=np.arange(problem.data.n_rows), classes=np.arange(50))
    search, judge = GroupSearch.build(problem, own), GroupSearch.split_cost
    monkeypatch.setattr(GroupSearch, "split_cost", lambda *given: judged.append(given) or judge(*given))
    groups = search.find_groups(LayersBelow((2, 4, 8)), Budget.of(0.0))
    assert len(judged) == 1 and sum(group.size for group in groups) == 50


def test_a_fit_proves_separable_classes_at_once():
    X, y = draw(0, 9, spread=0.1)
    model = OptimalDecisionDiagramClassifier(
        "1-2-4-8", split="multivariate", alpha=1.0, max_terms=None, time_limit=30, random_state=0
    ).fit(X, y)
    assert model.certificate_.is_optimal and model.diagram_.n_nodes == 8
