import math

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import DiagramMisfitError, InvalidInputError
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import (
    Evaluation,
    best_constant,
    constraint_statuses,
    evaluate,
    key_rounding,
    solver_margin,
)
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


class Given:
    """Rows as a test has them."""

    def __init__(self, matrix, upper, penalty=np.inf):
        self.matrix, self.upper, self.penalty = matrix, upper, penalty

    def rows(self, data, layout):
        lower, labels = np.full(len(self.upper), -np.inf), ("row",) * len(self.upper)
        return LinearRows(self.matrix, lower, self.upper, labels, self.penalty)


@pytest.mark.parametrize("seed", range(20))
def test_rows_on_any_observables_are_measured_alike(seed):
    """Rows on the nodes in use take a way of their own; the twin computes all observables."""
    random = np.random.default_rng(seed)
    size = problem().layout.size
    columns = {0: problem().layout.used, 1: [size - 1], 2: range(size - 1)}[seed % 3]
    matrix = np.zeros((4, size))
    matrix[:, columns] = random.normal(size=(4, len(columns)))
    penalty = np.where(random.random(4) < 0.5, np.inf, random.random(4))
    posed = problem(constraints=[Given(matrix, random.normal(size=4), penalty)])
    for diagram in (crossed(), DecisionDiagram.constant(1, 2, 2)):
        trace = route_reference(diagram, posed.data.X)
        seen = compute_observables(posed.layout, posed.skeleton, diagram, trace)
        over = np.maximum(0.0, matrix @ seen - posed.rows.upper)
        is_soft = np.isfinite(penalty)
        value = evaluate(posed, diagram)
        assert value.raw_violation == pytest.approx(over[~is_soft].max(initial=0.0))
        assert value.penalty == pytest.approx(over[is_soft] @ penalty[is_soft])
        nodes = 0.4 * max(0, diagram.n_nodes - 1) / 4
        assert value.objective == pytest.approx(value.cost / 5 + nodes + value.penalty)
        assert value.violation == (value.raw_violation if value.raw_violation > 1e-9 else 0.0)


def test_a_violation_of_less_than_the_tolerance_is_none():
    assert evaluate(problem(constraints=[AtMost(4 - 1e-12)]), crossed()).violation == 0.0
    assert evaluate(problem(constraints=[AtMost(4 - 1e-6)]), crossed()).violation == pytest.approx(1e-6)


def test_the_best_constant_violates_the_rows_least():
    """The class of least cost is forbidden, then both are and one is nearer to its limit."""
    posed = problem()
    assigned = posed.layout.assigned
    matrix = np.zeros((2, posed.layout.size))
    matrix[0, assigned[:, 1]] = matrix[1, assigned[:, 0]] = 1.0
    for upper, expected in (([5.0, 5.0], 1), ([1.0, 5.0], 0), ([1.0, 2.0], 0), ([2.0, 1.0], 1)):
        limited = problem(constraints=[Given(matrix, np.array(upper))])
        assert best_constant(limited).predict(X).tolist() == [expected] * 5


def test_a_solver_keeps_the_margin_that_evaluate_asks_for_whichever_way_it_adds_up():
    posed = problem(split="multivariate", margin=0.1)
    # three terms of at most eps * 0.9 each: two keys each of the solver and of ``evaluate``
    rounding = 3 * np.finfo(float).eps * 0.9
    assert key_rounding(posed.data.X) == pytest.approx(rounding, rel=1e-12)
    assert key_rounding(np.array([[-4.0]])) == 2 * np.finfo(float).eps * 4
    assert key_rounding(np.empty((2, 0))) == 0.0
    asked = solver_margin(posed)
    assert 0.1 - 1e-9 + 2 * rounding < asked < 0.1
    assert solver_margin(problem()) == 5e-324
    # a gap exactly as wide as a solver is asked to keep is accepted
    for distance in (asked, 0.1 - 1.1e-9):
        data = TrainingData.collect(np.array([[0.5], [0.5 + distance]]), np.array([0, 1]), 2)
        plane = DecisionDiagram((MultivariateSplit([1.0], 0.5 + distance),), [1], [2], [0], 2, 1)
        narrow = build_problem(data, Skeleton.parse("1"), 0.0, "multivariate", 0.1)
        if distance == asked:
            assert evaluate(narrow, plane).smallest_margin == pytest.approx(0.1, abs=1e-9)
        else:
            with pytest.raises(DiagramMisfitError, match="margin"):
                evaluate(narrow, plane)
        # in other units there is no margin to keep
        assert evaluate(narrow, plane, narrow.data.X).cost == 0.0


def test_rounding_is_subtracted_from_the_margin():
    plane = DecisionDiagram((MultivariateSplit([1.0, 0.0], 0.5),), [1], [2], [0], 2, 2)
    X = np.array([[0.0, 0.0], [1.0, 1e9]])
    data = TrainingData.collect(X, np.array([0, 1]), 2)
    value = evaluate(build_problem(data, Skeleton.parse("1"), 0.0, "multivariate", 0.5), plane)
    lost = 2 * 3 * np.finfo(float).eps * 1e9
    assert 1 - value.smallest_margin == pytest.approx(lost, rel=1e-6)


def test_statuses_are_those_of_the_given_rows():
    (entry,) = constraint_statuses(problem(constraints=[AtMost(3)]), crossed(), X[:, ::-1])
    assert entry.slack == -1.0
    posed = problem()
    matrix = np.zeros((1, posed.layout.size))
    matrix[0, posed.layout.assigned[:, 1]] = 1.0
    limited = problem(constraints=[Given(matrix, np.array([3.0]))])
    rows = limited.data.X
    for given in (None, rows, np.ones_like(rows), np.zeros_like(rows)):
        predicted = crossed().predict(rows if given is None else given)
        (entry,) = constraint_statuses(limited, crossed(), given)
        assert entry.slack == 3.0 - predicted.sum()


@pytest.mark.parametrize(("raw", "expected"), [(0.0, 0.0), (1e-9, 0.0), (1.001e-9, 1.001e-9), (2.0, 2.0)])
def test_a_row_may_be_off_by_the_tolerance(raw, expected):
    assert Evaluation(0.5, 1.0, 1, raw, math.inf).violation == expected
