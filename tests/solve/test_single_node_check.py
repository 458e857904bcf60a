"""No change of one node helps: against every change written out and evaluated."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from oddlearn.constraints import MaxNodes
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.slot_diagram import Slots, diagram_from_slots, slots_from_diagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.single_node_check import (
    _apply,
    _costs_from,
    _sums_below,
    best_change,
    improve_single_nodes,
)
from tests.oracles.tiny import tiny_problem

SECONDS = 600.0


def random_diagram(problem, seed):
    """A random diagram of the skeleton: slots that no arc reaches are left out."""
    random = np.random.default_rng(seed)
    skeleton, n_classes, X = problem.skeleton, problem.data.n_classes, problem.data.X
    n_slots, layer = skeleton.n_nodes, skeleton.layer_of
    child = np.zeros((n_slots, 2), dtype=np.intp)
    taken = set()
    for slot in range(n_slots):
        following = [place for place in range(n_slots) if layer[place] == layer[slot] + 1]
        free = [place for place in following if not (skeleton.tree_only and place in taken)]
        child[slot] = random.choice([*free, *range(n_slots, n_slots + n_classes)], 2, replace=False)
        taken.update(child[slot].tolist())
    feature = random.integers(0, X.shape[1], n_slots)
    threshold = np.array([random.choice(X[:, one]) for one in feature])
    slots = Slots(child, feature, threshold, np.zeros((n_slots, X.shape[1])), np.ones(n_slots, dtype=bool))
    return rebuilt(problem, slots)


def rebuilt(problem, slots):
    active = np.zeros(len(slots.active), dtype=bool)
    active[0] = True
    for slot in range(len(active)):
        if active[slot]:
            active[[target for target in slots.child[slot] if target < len(active)]] = True
    kept = replace(slots, active=active)
    return diagram_from_slots(kept, problem.skeleton, problem.data.n_classes, "univariate")


def every_change(problem, diagram, only=None):
    """Yield the objective of every change of one node, each diagram built and evaluated."""
    slots, skeleton = slots_from_diagram(diagram, problem.skeleton), problem.skeleton
    n_slots = skeleton.n_nodes
    for slot in np.flatnonzero(slots.active) if only is None else [only]:
        following = [
            place
            for place in np.flatnonzero(slots.active)
            if skeleton.layer_of[place] == skeleton.layer_of[slot] + 1
        ]
        targets = [*following, *range(n_slots, n_slots + problem.data.n_classes)]
        for one, other in product(targets, targets):
            if one == other:
                continue
            for feature in range(problem.data.n_features):
                for threshold in np.unique(problem.data.X[:, feature]):
                    child, features, thresholds = (
                        array.copy() for array in (slots.child, slots.feature, slots.threshold)
                    )
                    child[slot], features[slot], thresholds[slot] = (one, other), feature, threshold
                    changed = replace(slots, child=child, feature=features, threshold=thresholds)
                    built = rebuilt(problem, changed)
                    if not (skeleton.tree_only and not built.is_tree):
                        yield evaluate(problem, built).objective


@pytest.mark.parametrize("tree_only", [False, True])
def test_what_is_left_cannot_be_improved_by_one_node(tree_only):
    n_improved = 0
    for seed in range(60):
        problem = tiny_problem(seed, most_rows=8, tree_only=tree_only)
        start = random_diagram(problem, seed)
        if start.n_nodes == 0:
            continue
        checked = improve_single_nodes(problem, start, Budget.of(SECONDS))
        if checked.diagram.n_nodes == 0:  # a root that sends all rows to one class
            continue
        objective = evaluate(problem, checked.diagram).objective
        n_improved += objective < evaluate(problem, start).objective - 1e-9
        assert checked.is_optimal
        assert min(every_change(problem, checked.diagram)) >= objective - 1e-9
    assert n_improved > 20


def test_a_diagram_that_can_be_improved_is_improved():
    X = np.arange(6.0)[:, None]
    data = TrainingData.collect(X, np.array([0, 0, 0, 1, 1, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.0, "univariate")
    wrong = DecisionDiagram((UnivariateSplit(0, 1.5),), np.array([2]), np.array([1]), np.array([0]), 2, 1)
    checked = improve_single_nodes(problem, wrong, Budget.of(SECONDS))
    assert evaluate(problem, checked.diagram).objective == 0.0


@pytest.mark.parametrize("hindrance", ["rows", "hyperplanes", "constant", "time"])
def test_nothing_is_claimed_where_nothing_was_checked(hindrance):
    problem = tiny_problem(3, split="multivariate" if hindrance == "hyperplanes" else "univariate")
    diagram = random_diagram(tiny_problem(3), 0)
    if hindrance == "rows":
        data = problem.data
        problem = build_problem(data, problem.skeleton, 0.0, "univariate", constraints=(MaxNodes(2),))
    if hindrance == "constant":
        diagram = DecisionDiagram.constant(0, problem.data.n_classes, problem.data.n_features)
    budget = Budget.of(0.0 if hindrance == "time" else SECONDS)
    checked = improve_single_nodes(problem, diagram, budget)
    assert (checked.diagram, checked.is_optimal) == (diagram, False)


@pytest.mark.parametrize("tree_only", [False, True])
def test_the_best_change_of_each_node_has_the_objective_of_its_diagram(tree_only):
    n_found = n_none = 0
    for seed in range(40):
        problem = tiny_problem(seed, most_rows=8, tree_only=tree_only)
        diagram = random_diagram(problem, seed)
        if diagram.n_nodes < 2:
            continue
        slots = slots_from_diagram(diagram, problem.skeleton)
        costs, best = _costs_from(problem, slots), evaluate(problem, diagram).objective
        reached = route_reference(diagram, problem.data.X).reached
        assert costs[:, 0].sum() == pytest.approx(evaluate(problem, diagram).cost)
        for node, slot in enumerate(np.flatnonzero(slots.active).tolist()):
            if not reached[:, node].any():
                continue
            change = best_change(problem, slots, slot, costs, reached[:, node], best)
            least = min(every_change(problem, diagram, slot))
            n_found, n_none = n_found + (change is not None), n_none + (change is None)
            if change is None:
                assert least >= best - 1e-9
            else:
                assert change.objective < best
                changed = evaluate(problem, _apply(problem, slots, change)).objective
                assert change.objective == pytest.approx(changed) == pytest.approx(min(least, changed))
    assert min(n_found, n_none) > 3


def test_a_price_that_no_split_is_worth_leaves_a_constant():
    X = np.arange(4.0)[:, None]
    data = TrainingData.collect(X, np.array([0, 0, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.0, "univariate")
    splits = (UnivariateSplit(0, 1.5), UnivariateSplit(0, 0.5))
    useless = DecisionDiagram(splits, np.array([1, 2]), np.array([2, 3]), np.array([0, 1]), 2, 1)
    checked = improve_single_nodes(problem, useless, Budget.of(SECONDS))
    assert evaluate(problem, checked.diagram).objective == 0.0 and checked.is_optimal


@pytest.mark.parametrize(
    ("key", "sums", "thresholds"),
    [
        ([2.0, 1.0, 2.0], [[0], [2], [6]], [0.0, 1.5]),
        ([5.0], [[0], [1]], [4.0]),
        ([], [[0], [0]], [0.0]),
    ],
)
def test_sums_below_a_threshold_begin_below_all_rows(key, sums, thresholds):
    costs = np.array([[1.0], [2.0], [3.0]])[: len(key)]
    found = _sums_below(np.array(key), costs)
    assert (found[0].tolist(), found[1].tolist()) == (sums, thresholds)
