"""Diagrams as points of the model, and back."""

import numpy as np
import pytest

from oddlearn.constraints import MaxNodes
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.context import FormulationOptions
from oddlearn.solve.milp.decode import _is_solution, _reachable_slots, decode
from oddlearn.solve.milp.encode import encode
from oddlearn.solve.milp.formulation import formulate
from tests.oracles.tiny import tiny_problem
from tests.solve.milp.solving import VARIANTS, point_violation, random_diagram

SPLITS = ("univariate", "multivariate")
FOREVER = Budget.of(None)


def cases(seeds, variant):
    """Yield random problems, diagrams of theirs and models these are points of."""
    for seed in seeds:
        problem = tiny_problem(seed, SPLITS[seed % 2], most_rows=12, tree_only=seed % 3 == 0)
        diagram = random_diagram(problem, seed)
        yield problem, diagram, formulate(problem, None, variant)
        if not variant.is_paper:
            yield problem, diagram, formulate(problem, max(1, diagram.n_nodes), variant)


def is_busy(problem, diagram):
    """True when every node has rows on both sides."""
    steps = route_reference(diagram, problem.data.X)
    positive = (steps.reached & steps.sides).any(axis=0)
    negative = (steps.reached & ~steps.sides).any(axis=0)
    return bool((positive & negative).all())


def sided(problem, diagram):
    """The diagram with its negative targets before the positive ones, and its nodes in canonical order."""
    ordered = diagram.canonical()
    steps = route_reference(ordered, problem.data.X)
    signs = np.where(ordered.negative < ordered.positive, 1, -1)
    heads = np.sort(np.column_stack([ordered.negative, ordered.positive]), axis=1)
    sides = np.where(steps.reached, np.where(signs > 0, steps.sides, ~steps.sides), False)
    keys = [signs[node] * split.key(problem.data.X) for node, split in enumerate(ordered.splits)]
    return heads, steps.reached, sides, np.array(keys), ordered.constant_class


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_diagram_is_a_point_of_the_model_with_its_own_value(variant):
    for problem, diagram, formulation in cases(range(12), variant):
        x = encode(formulation, diagram)
        assert point_violation(formulation.model, x) <= 1e-9
        assert formulation.model.value(x) == pytest.approx(evaluate(problem, diagram).objective, abs=1e-12)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_decode_undoes_encode(variant):
    seen = 0
    for problem, diagram, formulation in cases(range(30, 46), variant):
        again = decode(formulation, encode(formulation, diagram), FOREVER)
        assert evaluate(problem, again).objective <= evaluate(problem, diagram).objective + 1e-12
        if is_busy(problem, diagram):
            seen += diagram.n_nodes > 1
            assert again.n_nodes == diagram.n_nodes
            for one, other in zip(sided(problem, again), sided(problem, diagram), strict=True):
                np.testing.assert_allclose(
                    np.asarray(one, dtype=float), np.asarray(other, dtype=float), atol=1e-12
                )
    assert seen > 4


def test_decoded_diagrams_without_rows_to_settle_lose_their_idle_nodes():
    problem = tiny_problem(4)
    n_classes = problem.data.n_classes
    beyond = UnivariateSplit(0, 5.0)
    heads = (np.array([1]), np.array([2]))
    idle = DecisionDiagram((beyond,), *heads, np.array([0]), n_classes, problem.data.n_features)
    formulation = formulate(problem, 1, FormulationOptions())
    found = decode(formulation, encode(formulation, idle), FOREVER)
    assert found == DecisionDiagram.constant(0, n_classes, problem.data.n_features)


def test_a_diagram_with_another_number_of_nodes_is_no_point_of_the_model():
    problem = tiny_problem(0)
    constant = DecisionDiagram.constant(0, problem.data.n_classes, problem.data.n_features)
    assert problem.skeleton.n_nodes > 1
    with pytest.raises(DiagramMisfitError, match="2 nodes"):
        encode(formulate(problem, 2, FormulationOptions()), constant)


def line_problem(split, margin=1e-3, constraints=()):
    """Ten rows on a line, two features, classes in three runs."""
    X = np.column_stack([np.linspace(0, 1, 10), np.linspace(0, 1, 10) ** 2])
    codes = np.array([0, 0, 0, 1, 1, 1, 1, 0, 0, 0])
    data, skeleton = TrainingData.collect(X, codes, 2), Skeleton.parse("1-1")
    return build_problem(data, skeleton, 0.1, split, margin, constraints=constraints)


@pytest.mark.parametrize("split", SPLITS)
def test_a_spoilt_hyperplane_is_fitted_anew(split):
    problem = line_problem(split)
    diagram = perfect(problem)
    formulation = formulate(problem, 2, FormulationOptions())
    x = encode(formulation, diagram)
    x[formulation.columns.a] = 0.0
    x[formulation.columns.b] = 0.3
    x[formulation.columns.e] = 0.0
    found = decode(formulation, x, FOREVER)
    assert evaluate(problem, found).objective == pytest.approx(0.1)


@pytest.mark.parametrize("split", SPLITS)
def test_a_routing_that_no_split_realises_has_no_diagram(split):
    problem = line_problem(split)
    formulation = formulate(problem, 2, FormulationOptions())
    x = encode(formulation, perfect(problem))
    sides = formulation.columns.lambda_[:, 0]
    x[sides] = np.arange(10) % 2
    assert decode(formulation, x, FOREVER) is None


def test_a_diagram_that_breaks_a_constraint_or_does_not_fit_is_no_solution():
    free, limited = line_problem("univariate"), line_problem("univariate", constraints=[MaxNodes(1)])
    two_nodes, constant = perfect(free), DecisionDiagram.constant(0, 2, 2)
    assert _is_solution(free, two_nodes) and _is_solution(limited, constant)
    assert not _is_solution(limited, two_nodes)
    oblique = DecisionDiagram((MultivariateSplit([0.6, 0.4], 0.2),), [1], [2], [0], 2, 2)
    assert _is_solution(line_problem("multivariate"), oblique)
    assert not _is_solution(free, oblique)


def test_thresholds_lie_in_the_middle_of_their_gaps():
    problem = line_problem("univariate")
    formulation = formulate(problem, 2, FormulationOptions())
    found = decode(formulation, encode(formulation, perfect(problem)), FOREVER)
    assert sorted(split.threshold for split in found.splits) == pytest.approx([5 / 18, 13 / 18])


def perfect(problem):
    """The diagram that parts the three runs by thresholds off the middle."""
    splits = (UnivariateSplit(0, 0.3), UnivariateSplit(0, 0.75))
    heads = (np.array([2, 3]), np.array([1, 2]))
    found = DecisionDiagram(splits, *heads, np.array([0, 1]), 2, 2)
    assert evaluate(problem, found).cost == 0
    return found


@pytest.mark.parametrize("split", SPLITS)
def test_a_feature_that_parts_no_rows_has_no_weight(split):
    X = np.array([[5.0, 0.0, 0.0], [5.0, 0.2, 1.0], [5.0, 0.8, 0.0], [5.0, 1.0, 1.0]])
    data = TrainingData.collect(X, np.array([0, 0, 1, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.1, split, 1e-4 if split == "multivariate" else None)
    arcs = np.array([1]), np.array([2]), np.array([0])
    diagram = DecisionDiagram((UnivariateSplit(1, 0.5),), *arcs, 2, 3)
    formulation = formulate(problem, None, VARIANTS[0])
    decoded = decode(formulation, encode(formulation, diagram), FOREVER)
    weights = np.array([key_weights(one, 3) for one in decoded.splits])
    assert weights[0, 1] != 0 and (weights[:, [0, 2]] == 0).all()


def key_weights(split, n_features):
    """Return the weight of each feature in the key of a split."""
    return split.key(np.eye(n_features)) - split.key(np.zeros((1, n_features)))


@pytest.mark.parametrize("feature", [0, 1, 2])
def test_a_split_is_on_the_feature_that_the_model_chose(feature):
    X = np.column_stack([np.arange(4.0)] * 3)
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 0, 1, 1]), 2), Skeleton.parse("1"), 0.0, "univariate"
    )
    arcs = (np.array([1]), np.array([2]), np.array([0]))
    diagram = DecisionDiagram((UnivariateSplit(feature, 1.5),), *arcs, 2, 3)
    for variant in VARIANTS:
        formulation = formulate(problem, None, variant)
        found = decode(formulation, encode(formulation, diagram), FOREVER)
        assert [split.feature for split in found.splits] == [feature]


def test_reachable_slots_are_in_ascending_order():
    heads = np.full((12, 2), 12)
    heads[0], heads[2] = (2, 3), (9, 12)
    assert _reachable_slots(heads) == (0, 2, 3, 9)
