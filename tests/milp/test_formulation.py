"""Counts, sizes, lowering and speed of the model."""

import time

import numpy as np
import pytest

from oddlearn.diagram import DecisionDiagram, Skeleton
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.milp.codec import encode
from oddlearn.milp.formulate import formulate
from oddlearn.milp.lowering import lowered, with_binary_triggers
from oddlearn.milp.size import estimated_size
from oddlearn.milp.variant import Variant
from oddlearn.problem import TrainingData, pose
from tests.milp.solving import VARIANTS, random_diagram, solved
from tests.oracles.tiny import tiny_problem

SPLITS = ("univariate", "multivariate")


def random_problem(n=40, d=5, skeleton="1-2-4", split="multivariate", tree_only=False):
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((n, d)), random.integers(0, 3, n), 3)
    shape = Skeleton(Skeleton.parse(skeleton).widths, tree_only=tree_only)
    return pose(data, shape, 0.1, split)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("skeleton", ["1", "1-2-4", "1-2-2-2"])
def test_binaries_are_one_for_each_row_and_layer_and_a_few_for_the_design(skeleton, split):
    problem = random_problem(skeleton=skeleton, split=split)
    widths = problem.skeleton.widths
    arcs = sum(width * (below + 3) for width, below in zip(widths, [*widths[1:], 0], strict=True))
    features = sum(widths) * 5 if split == "univariate" else 0
    expected = 40 * len(widths) + sum(widths) + 2 * arcs + features
    for variant in VARIANTS:
        assert formulate(problem, None, variant).model.n_binaries == expected


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("split", SPLITS)
def test_sizes_are_known_before_building(variant, split):
    for tree_only, n_nodes in ((False, None), (True, None), (False, 3)):
        if variant.faithful and n_nodes is not None:
            continue
        problem = random_problem(split=split, tree_only=tree_only)
        model = formulate(problem, n_nodes, variant, floor=0.0).model
        size = estimated_size(problem, n_nodes, variant)
        nonzeros = model.matrix.nnz + model.indicators.matrix.nnz
        assert (size.columns, size.rows) == (model.n_columns, model.n_rows + len(model.indicators))
        assert size.nonzeros == nonzeros
        assert size.bytes == pytest.approx(memory(model), rel=0.1)


def memory(model):
    arrays = [model.cost, model.lower, model.upper, model.column_lower, model.column_upper, model.integer]
    arrays += [model.indicators.trigger, model.indicators.upper, model.indicators.slack]
    for matrix in (model.matrix, model.indicators.matrix):
        arrays += [matrix.data, matrix.indices, matrix.indptr]
    return sum(array.nbytes for array in arrays)


def test_constant_features_have_no_columns_in_the_prepared_model():
    X = np.array([[0.0, 0.5], [1.0, 0.5], [0.4, 0.5]])
    problem = pose(TrainingData.collect(X, np.array([0, 1, 0]), 2), Skeleton.parse("1"), 0.1, "univariate")
    assert formulate(problem, 1, Variant()).columns.a.shape == (1, 1)
    assert formulate(problem, None, Variant(faithful=True)).columns.a.shape == (1, 2)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("n_features", [0, 1])
def test_rows_that_do_not_differ_leave_the_constant(split, n_features):
    data = TrainingData.collect(np.zeros((3, n_features)), np.array([0, 1, 1]), 2)
    problem = pose(data, Skeleton.parse("1-2"), 0.1, split)
    formulation = formulate(problem, 1, Variant())
    x = encode(formulation, DecisionDiagram.constant(1, 2, n_features))
    assert formulation.model.violation(x) <= 1e-12
    assert solved(formulation.model)[1] == pytest.approx(1 / 3)


def test_slack_is_never_exceeded_and_rows_on_the_right_side_stay_feasible():
    random = np.random.default_rng(1)
    for seed in range(30):
        problem = tiny_problem(seed, SPLITS[seed % 2], most_rows=9)
        diagram = random_diagram(problem, seed)
        for variant in (Variant(), Variant(faithful=True)):
            formulation = formulate(problem, None, variant)
            x = encode(formulation, diagram)
            assert lowered(formulation.model).violation(x) <= 1e-9
            turned = with_random_hyperplanes(formulation, x, random)
            indicators = formulation.model.indicators
            excess = indicators.matrix @ turned - indicators.upper
            assert (excess <= indicators.slack + 1e-9).all()


def with_random_hyperplanes(formulation, x, random):
    """Hyperplanes at random that keep the limits of weights and thresholds, often on them."""
    columns, room = formulation.columns, formulation.setting.room
    weights = random.choice([-1.0, 0.0, 1.0], columns.a.shape)
    if not formulation.setting.variant.faithful:
        weights /= np.maximum(1.0, np.abs(weights).sum(axis=1, keepdims=True))
    turned = x.copy()
    turned[columns.a] = weights
    turned[columns.b] = weights @ room.centre + random.choice([room.low, room.high], columns.b.shape)
    return turned


def test_prepared_slack_is_half_of_the_plain_one():
    model = formulate(random_problem(), 3, Variant()).model
    assert model.indicators.slack.max() <= 1.0 + 1e-4 + 1e-9


def test_lowering_turns_each_indicator_into_a_row():
    model = formulate(random_problem(), 2, Variant()).model
    plain = lowered(model)
    assert len(plain.indicators) == 0
    assert plain.n_rows == model.n_rows + len(model.indicators)
    assert plain.n_columns == model.n_columns


def test_triggers_can_be_made_binary_and_the_optimum_stays():
    problem = tiny_problem(11, "multivariate")
    model = formulate(problem, None, Variant()).model
    binary = with_binary_triggers(model)
    assert binary.integer[model.indicators.trigger].all()
    assert solved(binary)[1] == pytest.approx(solved(model)[1], abs=1e-6)


def test_what_cannot_be_formulated_is_refused_in_a_sentence():
    problem = random_problem()
    with pytest.raises(InvalidInputError, match="None nodes"):
        formulate(problem, 2, Variant(faithful=True))
    with pytest.raises(InvalidInputError, match="1 to 7 nodes"):
        formulate(problem, 8, Variant())
    alone = pose(
        TrainingData.collect(np.eye(2), np.zeros(2, dtype=int), 1), Skeleton.parse("1"), 0.1, "univariate"
    )
    with pytest.raises(UnsupportedError, match="one class"):
        formulate(alone, 1, Variant())


def test_a_large_model_is_built_in_a_moment():
    problem = random_problem(3000, 60, "1-2-4-8")
    started = time.perf_counter()
    formulate(problem, 3, Variant())
    assert time.perf_counter() - started < 2.0
