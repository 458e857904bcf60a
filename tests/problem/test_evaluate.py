import math

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import DiagramMisfitError, InvalidInputError
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import best_constant, constraint_statuses, evaluate
from oddlearn.problem.observables import compute_observables
from oddlearn.problem.training_problem import build_problem
from tests.diagram.drawings import crossed, random_diagram

X = np.array([[0.1, 0.1], [0.1, 0.9], [0.6, 0.1], [0.6, 0.9], [0.9, 0.9]])
CODES = np.array([0, 1, 1, 0, 1])


class AtMost:
    """At most this many nodes."""

    def __init__(self, limit, penalty=np.inf):
        self.limit, self.penalty = limit, penalty

    def rows(self, data, layout):
        matrix = np.zeros((1, layout.size))
        matrix[0, layout.used] = 1.0
        return LinearRows(matrix, np.array([-np.inf]), np.array([self.limit]), ("nodes",), self.penalty)


def problem(skeleton="1-2-2", alpha=0.4, split="univariate", **options):
    return build_problem(TrainingData.collect(X, CODES, 2), Skeleton.parse(skeleton), alpha, split, **options)


def test_the_objective_is_errors_per_sample_plus_the_price_of_nodes():
    # one of five samples wrong, three nodes beside the root at 0.4 / 4 each
    value = evaluate(problem(), crossed())
    assert value.objective == pytest.approx(0.2 + 0.3)
    assert (value.cost, value.n_nodes, value.raw_violation) == (1.0, 4, 0.0)
    assert value.smallest_margin == math.inf  # only hyperplanes have a margin


def test_the_constant_diagram_pays_for_no_node():
    value = evaluate(problem(), DecisionDiagram.constant(1, 2, 2))
    assert value.objective == pytest.approx(0.4)
    assert value.smallest_margin == math.inf


@pytest.mark.parametrize("limits", [(), (1,)])
def test_the_best_constant_is_the_class_of_least_cost(limits):
    for seed in range(10):
        random = np.random.default_rng(seed)
        data = TrainingData.collect(random.random((9, 1)), random.integers(0, 3, 9), 3, random.random(9))
        costs = random.random((3, 3))
        constraints = [AtMost(limit) for limit in limits]
        posed = build_problem(data, Skeleton.parse("1-2"), 0.3, "univariate", 0.0, costs, constraints)
        each = [evaluate(posed, DecisionDiagram.constant(code, 3, 1)).objective for code in range(3)]
        assert evaluate(posed, best_constant(posed)).objective == min(each)


def test_a_cost_matrix_is_true_by_predicted():
    costs = [[0.0, 7.0], [2.0, 0.0]]
    assert evaluate(problem(cost_matrix=costs), crossed()).cost == 2.0


def test_costs_are_those_of_a_loop_over_the_samples():
    for seed in range(20):
        random = np.random.default_rng(seed)
        diagram = random_diagram(random)
        rows, codes, weight = random.random((40, 4)), random.integers(0, 3, 40), random.random(40)
        costs = random.random((3, 3))
        data = TrainingData.collect(rows, codes, 3, weight)
        posed = build_problem(data, Skeleton((1, 2, 3, 3)), 0.0, "univariate", 0.0, costs)
        slow = sum(weight[i] * costs[codes[i], diagram.predict(rows[[i]])[0]] for i in range(40))
        assert evaluate(posed, diagram).cost == pytest.approx(slow)


@pytest.mark.parametrize(
    ("posed", "sentence"),
    [
        (problem("1-2"), "layers"),
        (problem("1-1-1"), "do not fit"),
        (
            build_problem(TrainingData.collect(X, CODES, 3), Skeleton.parse("1-2-2"), 0.0, "univariate"),
            "classes",
        ),
        (build_problem(TrainingData.collect(X, CODES, 2), Skeleton.tree(3), 0.0, "univariate"), "trees only"),
    ],
)
def test_a_diagram_that_is_no_solution_is_refused(posed, sentence):
    with pytest.raises(DiagramMisfitError, match=sentence):
        evaluate(posed, crossed())


def test_a_hyperplane_without_the_margin_is_refused():
    diagram = DecisionDiagram((MultivariateSplit([1.0, 0.0], 0.5),), [1], [2], [0], 2, 2)
    assert evaluate(problem(split="multivariate", margin=0.49), diagram).smallest_margin == pytest.approx(0.5)
    with pytest.raises(DiagramMisfitError, match="margin"):
        evaluate(problem(split="multivariate", margin=0.51), diagram)


def test_univariate_splits_have_no_margin():
    assert problem(margin=0.3).margin == 0.0
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    posed = build_problem(
        TrainingData.collect(X, np.array([0, 1]), 2), Skeleton.parse("1"), 0.0, "univariate"
    )
    diagram = DecisionDiagram((UnivariateSplit(0, X[1, 0]),), [1], [2], [0], 2, 1)
    assert evaluate(posed, diagram).cost == 0.0


def test_a_multivariate_split_is_refused_where_univariate_ones_are_asked_for():
    diagram = DecisionDiagram((MultivariateSplit([1.0, 1.0], 0.5),), [1], [2], [0], 2, 2)
    evaluate(problem(split="multivariate"), diagram)
    with pytest.raises(DiagramMisfitError, match="univariate"):
        evaluate(problem(), diagram)


def test_the_margin_is_measured_per_unit_of_weight_and_on_arriving_rows_only():
    # keys 0.2, 1.0, 0.7, 1.5, 1.8 with weights (1, 1): the gap at 1.2 is 0.5, half of it per unit
    wide = DecisionDiagram((MultivariateSplit([1.0, 1.0], 1.2),), [1], [2], [0], 2, 2)
    assert evaluate(problem(split="multivariate"), wide).smallest_margin == pytest.approx(0.25)
    # rows 0.1 and 0.9 of feature 1 arrive at both nodes; the threshold 0.85 is close to none that arrives
    data = TrainingData.collect(np.array([[0.0, 0.1], [0.0, 0.9], [1.0, 0.84999]]), np.array([0, 1, 0]), 2)
    splits = (MultivariateSplit([1.0, 0.0], 0.5), MultivariateSplit([0.0, 1.0], 0.85))
    diagram = DecisionDiagram(splits, [1, 2], [2, 3], [0, 1], 2, 2)
    posed = build_problem(data, Skeleton.parse("1-1"), 0.0, "multivariate", 0.5)
    assert evaluate(posed, diagram).smallest_margin == pytest.approx(0.8)


def test_observables_say_where_each_row_went():
    posed = problem()
    layout = posed.layout
    vector = compute_observables(layout, posed.skeleton, crossed(), route_reference(crossed(), posed.data.X))
    assert layout.size == vector.size == 5 * 2 + 2 * 5 * 5 + 5 + 1
    assert set(vector.tolist()) == {0.0, 1.0}
    assert (vector[layout.assigned] == np.eye(2)[[0, 1, 0, 0, 1]]).all()
    assert vector[layout.reached].sum(axis=1).tolist() == [3, 2, 2, 3, 3]
    assert vector[layout.used].tolist() == [1, 1, 1, 1, 0]
    # only the last row takes three positive sides: it passes nodes 0, 2 and 3
    assert vector[layout.positive].sum(axis=1).tolist() == [0, 1, 1, 2, 3]
    assert vector[layout.root_splits] == 1


def test_the_root_is_in_use_in_the_constant_diagram():
    posed, constant = problem(), DecisionDiagram.constant(0, 2, 2)
    vector = compute_observables(
        posed.layout, posed.skeleton, constant, route_reference(constant, posed.data.X)
    )
    assert vector[posed.layout.used].tolist() == [1, 0, 0, 0, 0]
    assert vector[posed.layout.reached][:, 0].tolist() == [1] * 5
    assert vector[posed.layout.positive][:, 0].tolist() == [1] * 5
    assert vector[posed.layout.root_splits] == 0


@pytest.mark.parametrize(("limit", "violation"), [(3, 1.0), (4, 0.0)])
def test_rows_are_measured_on_the_observables(limit, violation):
    assert evaluate(problem(constraints=[AtMost(limit)]), crossed()).raw_violation == violation


def test_a_soft_row_adds_its_penalty_to_the_objective():
    # four nodes where two are free, at 0.7 each
    value = evaluate(problem(constraints=[AtMost(2, penalty=0.7)]), crossed())
    assert (value.raw_violation, value.penalty) == (0.0, pytest.approx(1.4))
    assert value.objective == pytest.approx(0.2 + 0.3 + 1.4)


def test_a_constraint_without_words_is_described_by_its_rows():
    (entry,) = constraint_statuses(problem(constraints=[AtMost(3)]), crossed())
    assert (entry.required, entry.slack, entry.is_soft) == ("nodes", -1.0, False)
    assert entry.reached == "-1 inside the limits of 'nodes'"
    assert constraint_statuses(problem(), crossed()) == ()
    # of two, each has its own rows only
    first, second = constraint_statuses(problem(constraints=[AtMost(5), AtMost(4, penalty=1.0)]), crossed())
    assert (first.required, first.slack, first.is_soft) == ("nodes", 1.0, False)
    assert (second.required, second.slack, second.is_soft) == ("nodes", 0.0, True)


def test_the_digest_changes_with_all_that_defines_the_problem():
    variants = [
        problem(),
        problem(alpha=0.5),
        problem("1-2-3"),
        problem(split="multivariate"),
        problem(split="multivariate", margin=0.01),
        problem(cost_matrix=[[0, 2], [1, 0]]),
        problem(constraints=[AtMost(3)]),
        problem(constraints=[AtMost(4)]),
        problem(constraints=[AtMost(4, penalty=1.0)]),
        problem(constraints=[AtMost(4, penalty=2.0)]),
    ]
    assert len({variant.digest for variant in variants}) == len(variants)
    assert problem().digest == problem().digest


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": np.nan}, "alpha"),
        ({"split": "oblique"}, "unknown"),
        ({"split": "multivariate", "margin": -1e-4}, "margin"),
        ({"cost_matrix": [[0, 1]]}, "shape"),
        ({"cost_matrix": [[0, -1], [1, 0]]}, "negative"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(options, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        problem(**options)
