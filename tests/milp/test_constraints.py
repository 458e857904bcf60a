"""Constraints on the observables, through one observation matrix."""

import math
from dataclasses import replace
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.diagram import DecisionDiagram, Skeleton, UnivariateSplit, walk
from oddlearn.engine import Budget
from oddlearn.milp.codec import decode, encode
from oddlearn.milp.formulate import formulate
from oddlearn.milp.slot_symmetry import slots_are_alike
from oddlearn.milp.variant import Variant
from oddlearn.problem import LinearRows, TrainingData, evaluate, observe, pose
from tests.milp.solving import VARIANTS, random_diagram, solved
from tests.oracles.tiny import tiny_problem


def with_rows(problem, matrix, lower, upper):
    labels = ("a row",) * len(matrix)
    return replace(problem, rows=LinearRows(csr_array(np.array(matrix)), lower, upper, labels))


def stability(problem, least):
    """At least so many distinct rows through every node in use: the rows differ, their set is symmetric."""
    layout = problem.layout
    matrix = np.zeros((layout.n_slots, layout.size))
    for slot in range(layout.n_slots):
        matrix[slot, layout.reached[:, slot]] = 1.0
        matrix[slot, layout.used[slot]] = -least
    return with_rows(problem, matrix, np.zeros(len(matrix)), np.full(len(matrix), np.inf))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_observation_matrix_gives_the_observables(variant):
    for seed in range(20):
        problem = tiny_problem(seed, ("univariate", "multivariate")[seed % 2], most_rows=9)
        diagram = random_diagram(problem, seed).canonical()
        formulation = formulate(problem, None if variant.faithful else max(1, diagram.n_nodes), variant)
        expected = observe(problem.layout, problem.skeleton, diagram, walk(diagram, problem.data.X))
        np.testing.assert_array_equal(formulation.observation @ encode(formulation, diagram), expected)


def test_a_random_row_has_the_same_value_in_the_model_and_outside():
    random = np.random.default_rng(0)
    for seed in range(20):
        problem = tiny_problem(seed, most_rows=9)
        matrix = random.normal(size=(1, problem.layout.size))
        constrained = with_rows(problem, matrix, [-np.inf], [0.0])
        diagram = random_diagram(problem, seed)
        formulation = formulate(constrained, max(1, diagram.n_nodes), Variant())
        x = encode(formulation, diagram)
        expected = matrix @ observe(problem.layout, problem.skeleton, diagram, walk(diagram, problem.data.X))
        assert formulation.model.matrix[[-1]] @ x == pytest.approx(expected)
        assert formulation.model.violation(x) == pytest.approx(max(0.0, expected[0]), abs=1e-9)


def small_problem(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (5, 1)) / 3.0
    data = TrainingData.collect(np.vstack([X, [[0.0], [1.0]]]), random.integers(0, 2, 7), 2)
    return pose(data, Skeleton.parse("1-2"), 0.3, "univariate", 1e-3)


def all_diagrams(problem):
    """Every diagram of the skeleton 1-2 with two classes and one feature, in every order of its nodes."""
    values = np.unique(problem.data.X)
    thresholds = [-0.5, *((low + high) / 2 for low, high in pairwise(values)), 1.5]
    splits = [UnivariateSplit(0, float(threshold)) for threshold in thresholds]
    yield from (DecisionDiagram.constant(code, 2, 1) for code in (0, 1))
    for root, heads in product(splits, permutations(["first", "second", 0, 1], 2)):
        below = [name for name in ("first", "second") if name in heads]
        if below == ["second"]:
            continue
        ids = {name: place + 1 for place, name in enumerate(below)}
        ids |= {code: len(below) + 1 + code for code in (0, 1)}
        for lower in product(product(splits, permutations((0, 1))), repeat=len(below)):
            negative = [ids[heads[0]], *(ids[ends[0]] for _, ends in lower)]
            positive = [ids[heads[1]], *(ids[ends[1]] for _, ends in lower)]
            layer = [0] + [1] * len(below)
            chosen = (root, *(split for split, _ in lower))
            yield DecisionDiagram(chosen, np.array(negative), np.array(positive), np.array(layer), 2, 1)


def best_of_all(problem):
    values = (evaluate(problem, diagram) for diagram in all_diagrams(problem))
    return min((value.objective for value in values if value.violation <= 1e-9), default=math.inf)


def random_rows(seed):
    """A random row over all observables, which tells slots apart, or the stability constraint."""
    problem = small_problem(seed)
    if seed % 2:
        return stability(problem, 3)
    random = np.random.default_rng(seed)
    matrix = random.integers(-3, 4, (2, problem.layout.size)).astype(float)
    return with_rows(problem, matrix, [-np.inf, -2.0], [1.0, np.inf])


@pytest.mark.parametrize("seed", range(16))
def test_the_optimum_under_constraints_is_that_of_all_diagrams(seed):
    problem = random_rows(seed)
    truth = best_of_all(problem)
    for variant in VARIANTS[seed // 2 % 4 :: 4]:
        formulation = formulate(problem, None, variant)
        x, value = solved(formulation.model)
        assert value == pytest.approx(truth, abs=1e-6)
        if x is not None:
            found = evaluate(problem, decode(formulation, x, Budget.of(5.0)))
            assert found.violation == 0
            assert found.objective == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("seed", range(8, 12))
def test_the_best_over_all_numbers_of_nodes_keeps_the_constraints(seed):
    problem = random_rows(seed)
    truth = best_of_all(problem)
    for variant in (Variant(), Variant(flows=False)):
        values = [solved(formulate(problem, count, variant).model)[1] for count in (1, 2, 3)]
        assert min(values) == pytest.approx(truth, abs=1e-6)


def test_only_constraints_that_treat_slots_alike_leave_their_order_free():
    problem = small_problem(0)
    assert slots_are_alike(problem)
    assert slots_are_alike(stability(problem, 2))
    one_slot = np.zeros((1, problem.layout.size))
    one_slot[0, problem.layout.used[1]] = 1.0
    assert not slots_are_alike(with_rows(problem, one_slot, [-np.inf], [0.0]))
