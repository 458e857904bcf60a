"""Constraints on the observables, through one observation matrix."""

import math
from dataclasses import replace
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.constraints import MinFlowPerArc
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.observables import compute_observables
from oddlearn.problem.row_structure import sides_are_symmetric, slots_are_symmetric
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.constraint_equations import row_scales
from oddlearn.solve.milp.context import FormulationOptions
from oddlearn.solve.milp.decode import decode
from oddlearn.solve.milp.encode import encode
from oddlearn.solve.milp.formulation import count_model, formulate
from oddlearn.solve.milp.solver import Milp
from tests.oracles.tiny import tiny_problem
from tests.solve.milp.solving import VARIANTS, point_violation, random_diagram, solved


def with_rows(problem, matrix, lower, upper, price=np.inf):
    labels = ("a row",) * len(matrix)
    return replace(problem, rows=LinearRows(csr_array(np.array(matrix)), lower, upper, labels, price))


def without_sides(problem, matrix):
    """Return the matrix with nothing that tells the sides of a node apart."""
    matrix[:, problem.layout.positive] = 0.0
    return matrix


def per_arc(problem, least):
    return replace(problem, rows=MinFlowPerArc(least).rows(problem.data, problem.layout))


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
    for seed in range(12):
        problem = per_arc(tiny_problem(seed, ("univariate", "multivariate")[seed % 2], most_rows=9), 1)
        layout = problem.layout
        diagram = random_diagram(problem, seed).canonical()
        formulation = formulate(problem, None if variant.is_paper else max(1, diagram.n_nodes), variant)
        expected = compute_observables(
            layout, problem.skeleton, diagram, route_reference(diagram, problem.data.X)
        )
        found = formulation.observation @ encode(formulation, diagram)
        # the model may have the sides of a node the other way round
        for slot in range(layout.n_slots):
            above, passing = layout.positive[:, slot], layout.reached[:, slot]
            if not np.array_equal(found[above], expected[above]):
                expected[above] = expected[passing] - expected[above]
        np.testing.assert_array_equal(found, expected)


def test_a_random_row_has_the_same_value_in_the_model_and_outside():
    random = np.random.default_rng(0)
    for seed in range(20):
        problem = tiny_problem(seed, most_rows=9)
        matrix = without_sides(problem, random.normal(size=(1, problem.layout.size)))
        constrained = with_rows(problem, matrix, [-np.inf], [0.0])
        diagram = random_diagram(problem, seed)
        formulation = formulate(constrained, max(1, diagram.n_nodes), FormulationOptions())
        x = encode(formulation, diagram)
        expected = matrix @ compute_observables(
            problem.layout, problem.skeleton, diagram, route_reference(diagram, problem.data.X)
        )
        scale = row_scales(constrained.rows)
        assert 0.7 <= scale[0] * np.abs(matrix).max() <= 1.5
        assert formulation.model.matrix[[-1]] @ x == pytest.approx(scale * expected)
        outside = scale[0] * max(0.0, expected[0])
        assert point_violation(formulation.model, x) == pytest.approx(outside, abs=1e-9)


@pytest.mark.parametrize("variant", VARIANTS[::5], ids=str)
def test_soft_rows_cost_the_same_in_the_model_and_outside(variant):
    random = np.random.default_rng(0)
    for seed in range(12):
        problem = tiny_problem(seed, ("univariate", "multivariate")[seed % 2], most_rows=9)
        matrix = without_sides(problem, random.normal(size=(3, problem.layout.size)))
        limits = ([-np.inf, 0.1, -0.2], [0.0, np.inf, 0.3])
        soft = with_rows(problem, matrix, *limits, [0.7, 0.0, 3.0])
        diagram = random_diagram(problem, seed + 12)
        count = None if variant.is_paper else max(1, diagram.n_nodes)
        formulation = formulate(soft, count, variant, lower_bound=0.0)
        x = encode(formulation, diagram)
        value = evaluate(soft, diagram)
        assert value.penalty > 0
        assert point_violation(formulation.model, x) <= 1e-9
        assert formulation.model.cost @ x == pytest.approx(value.objective)
        size = count_model(soft, count, variant)
        model = formulation.model
        assert (size.columns, size.rows) == (model.n_columns, model.n_rows + len(model.indicators))
        assert size.nonzeros == model.matrix.nnz + model.indicators.matrix.nnz


def test_sizes_are_known_with_sides_and_the_parted_root():
    for seed in range(6):
        problem = per_arc(tiny_problem(seed, most_rows=9), 2)
        model = formulate(problem, None, FormulationOptions(), lower_bound=0.0).model
        size = count_model(problem, None, FormulationOptions())
        assert (size.columns, size.rows) == (model.n_columns, model.n_rows + len(model.indicators))
        assert size.nonzeros == model.matrix.nnz + model.indicators.matrix.nnz


def small_problem(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (5, 1)) / 3.0
    data = TrainingData.collect(np.vstack([X, [[0.0], [1.0]]]), random.integers(0, 2, 7), 2)
    return build_problem(data, Skeleton.parse("1-2"), 0.3, "univariate", 1e-3)


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
    """Random rows over the observables, hard or soft, which tell slots apart, or a stability constraint."""
    problem = small_problem(seed)
    if seed % 4 == 1:
        return stability(problem, 3)
    if seed % 4 == 3:
        return per_arc(problem, 2)
    random = np.random.default_rng(seed)
    matrix = without_sides(problem, random.integers(-3, 4, (2, problem.layout.size)).astype(float))
    price = np.inf if seed % 4 else [0.05, np.inf]
    return with_rows(problem, matrix, [-np.inf, -2.0], [1.0, np.inf], price)


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
    for variant in (FormulationOptions(), FormulationOptions(flows=False)):
        values = [solved(formulate(problem, count, variant).model)[1] for count in (1, 2, 3)]
        assert min(values) == pytest.approx(truth, abs=1e-6)


def test_only_constraints_that_treat_slots_alike_leave_their_order_free():
    problem = small_problem(0)
    assert slots_are_symmetric(problem)
    assert slots_are_symmetric(stability(problem, 2))
    assert slots_are_symmetric(per_arc(problem, 2))
    one_slot = np.zeros((1, problem.layout.size))
    one_slot[0, problem.layout.used[1]] = 1.0
    assert not slots_are_symmetric(with_rows(problem, one_slot, [-np.inf], [0.0]))


@pytest.mark.parametrize("slot", range(1, 5))
def test_slots_of_one_layer_that_are_told_apart_are_enough(slot):
    data = TrainingData.collect(np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 0]), 2)
    problem = build_problem(data, Skeleton.parse("1-2-2"), 0.1, "univariate")
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.used[slot]] = 1.0
    assert not slots_are_symmetric(with_rows(problem, matrix, [-np.inf], [0.0]))
    matrix[0, problem.layout.used[1:]] = 1.0
    assert slots_are_symmetric(with_rows(problem, matrix, [-np.inf], [0.0]))


def test_rows_that_tell_the_sides_of_a_node_apart_are_objected_to():
    problem = small_problem(0)
    assert sides_are_symmetric(problem)
    assert sides_are_symmetric(per_arc(problem, 2))
    one_side = np.zeros((1, problem.layout.size))
    one_side[0, problem.layout.positive[:, 1]] = 1.0
    told_apart = with_rows(problem, one_side, [-np.inf], [1.0])
    assert not sides_are_symmetric(told_apart)
    assert any("side" in objection for objection in Milp().unsupported_reasons(told_apart))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_root_splits_exactly_when_it_has_rows_on_both_sides(variant):
    seen = set()
    for seed in range(40):
        problem = tiny_problem(seed, ("univariate", "multivariate")[seed % 2], most_rows=9)
        matrix = np.zeros((1, problem.layout.size))
        matrix[0, problem.layout.root_splits] = 1.0
        problem = with_rows(problem, matrix, np.array([-1.0]), np.array([2.0]))  # never violated
        diagram = random_diagram(problem, seed)
        formulation = formulate(problem, None, variant)
        x = encode(formulation, diagram)
        assert point_violation(formulation.model, x) <= 1e-9
        place = formulation.columns.root_splits
        first = diagram.n_nodes and bool(diagram.splits[0].side(problem.data.X)[0])
        seen.add((bool(x[place][0]), bool(first)))
        x[place] = 1.0 - x[place]
        assert point_violation(formulation.model, x) >= 0.5, seed
    assert {(True, False), (True, True)} <= seen and any(not splits for splits, _ in seen)
