"""Counts, sizes, lowering and speed of the model."""

import time

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.milp.context import FormulationOptions
from oddlearn.solve.milp.encode import encode
from oddlearn.solve.milp.formulation import count_model, formulate
from oddlearn.solve.milp.linear_model import linearise_indicators, make_triggers_binary
from tests.oracles.tiny import tiny_problem
from tests.solve.milp.solving import VARIANTS, point_violation, random_diagram, solved

SPLITS = ("univariate", "multivariate")


def random_problem(n=40, d=5, skeleton="1-2-4", split="multivariate", tree_only=False):
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((n, d)), random.integers(0, 3, n), 3)
    shape = Skeleton(Skeleton.parse(skeleton).widths, tree_only=tree_only)
    return build_problem(data, shape, 0.1, split)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("skeleton", ["1", "1-2-4", "1-2-2-2"])
def test_binaries_are_one_for_each_row_and_layer_and_a_few_for_the_design(skeleton, split):
    problem = random_problem(skeleton=skeleton, split=split)
    widths = problem.skeleton.widths
    arcs = sum(width * (below + 3) for width, below in zip(widths, [*widths[1:], 0], strict=True))
    features = sum(widths) * 5 if split == "univariate" else 0
    expected = 40 * len(widths) + sum(widths) + 2 * arcs + features
    for variant in VARIANTS:
        assert formulate(problem, None, variant).model.integer.sum() == expected


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("split", SPLITS)
def test_sizes_are_known_before_building(variant, split):
    for tree_only, n_nodes in ((False, None), (True, None), (False, 3)):
        if variant.is_paper and n_nodes is not None:
            continue
        problem = random_problem(split=split, tree_only=tree_only)
        model = formulate(problem, n_nodes, variant, lower_bound=0.0).model
        size = count_model(problem, n_nodes, variant)
        nonzeros = model.matrix.nnz + model.indicators.matrix.nnz
        assert (size.columns, size.rows) == (model.n_columns, model.n_rows + len(model.indicators))
        assert size.nonzeros == nonzeros
        assert size.bytes == pytest.approx(memory(model), rel=0.1)


def memory(model):
    arrays = [model.cost, model.lower, model.upper, model.column_lower, model.column_upper, model.integer]
    arrays += [model.indicators.trigger, model.indicators.upper, model.indicators.big_m]
    for matrix in (model.matrix, model.indicators.matrix):
        arrays += [matrix.data, matrix.indices, matrix.indptr]
    return sum(array.nbytes for array in arrays)


def test_constant_features_have_no_columns_in_the_tight_model():
    X = np.array([[0.0, 0.5], [1.0, 0.5], [0.4, 0.5]])
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 1, 0]), 2), Skeleton.parse("1"), 0.1, "univariate"
    )
    assert formulate(problem, 1, FormulationOptions()).columns.a.shape == (1, 1)
    assert formulate(problem, None, FormulationOptions("paper")).columns.a.shape == (1, 2)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("n_features", [0, 1])
def test_rows_that_do_not_differ_leave_the_constant(split, n_features):
    data = TrainingData.collect(np.zeros((3, n_features)), np.array([0, 1, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, split)
    formulation = formulate(problem, 1, FormulationOptions())
    x = encode(formulation, DecisionDiagram.constant(1, 2, n_features))
    assert point_violation(formulation.model, x) <= 1e-12
    assert solved(formulation.model)[1] == pytest.approx(1 / 3)


def test_big_m_is_never_exceeded_and_rows_on_the_right_side_stay_feasible():
    random = np.random.default_rng(1)
    for seed in range(30):
        problem = tiny_problem(seed, SPLITS[seed % 2], most_rows=9)
        diagram = random_diagram(problem, seed)
        for variant in (FormulationOptions(), FormulationOptions("paper")):
            formulation = formulate(problem, None, variant)
            x = encode(formulation, diagram)
            assert point_violation(linearise_indicators(formulation.model), x) <= 1e-9
            turned = with_random_hyperplanes(formulation, x, random)
            indicators = formulation.model.indicators
            violation = indicators.matrix @ turned - indicators.upper
            assert (violation <= indicators.big_m + 1e-9).all()


def with_random_hyperplanes(formulation, x, random):
    """Hyperplanes at random that keep the limits of weights and thresholds, often on them."""
    columns, bounds = formulation.columns, formulation.context.hyperplanes
    weights = random.choice([-1.0, 0.0, 1.0], columns.a.shape)
    if not formulation.context.options.is_paper:
        weights /= np.maximum(1.0, np.abs(weights).sum(axis=1, keepdims=True))
    turned = x.copy()
    turned[columns.a] = weights
    turned[columns.b] = weights @ bounds.centre + random.choice([bounds.low, bounds.high], columns.b.shape)
    return turned


def test_the_tight_big_m_is_half_of_the_plain_one():
    model = formulate(random_problem(), 3, FormulationOptions()).model
    assert model.indicators.big_m.max() <= 1.0 + 1e-4 + 1e-9


def test_lowering_turns_each_indicator_into_a_row():
    model = formulate(random_problem(), 2, FormulationOptions()).model
    plain = linearise_indicators(model)
    assert len(plain.indicators) == 0
    assert plain.n_rows == model.n_rows + len(model.indicators)
    assert plain.n_columns == model.n_columns


def test_triggers_can_be_made_binary_and_the_optimum_stays():
    problem = tiny_problem(11, "multivariate")
    model = formulate(problem, None, FormulationOptions()).model
    binary = make_triggers_binary(model)
    assert binary.integer[model.indicators.trigger].all()
    assert solved(binary)[1] == pytest.approx(solved(model)[1], abs=1e-6)


def test_what_cannot_be_formulated_is_refused_in_a_sentence():
    problem = random_problem()
    with pytest.raises(InvalidInputError, match="None nodes"):
        formulate(problem, 2, FormulationOptions("paper"))
    with pytest.raises(InvalidInputError, match="1 to 7 nodes"):
        formulate(problem, 8, FormulationOptions())
    alone = build_problem(
        TrainingData.collect(np.eye(2), np.zeros(2, dtype=int), 1), Skeleton.parse("1"), 0.1, "univariate"
    )
    with pytest.raises(UnsupportedError, match="one class"):
        formulate(alone, 1, FormulationOptions())


def test_a_large_model_is_built_in_a_moment():
    problem = random_problem(3000, 60, "1-2-4-8")
    started = time.perf_counter()
    formulate(problem, 3, FormulationOptions())
    assert time.perf_counter() - started < 2.0
