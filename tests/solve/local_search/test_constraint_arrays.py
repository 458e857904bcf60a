"""Constraint rows in the search kernel: what they come to, and which kinds the moves keep by themselves."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import MaxDepth, MaxNodes, MaxNodesPerLayer, MinFlow, MinFlowPerArc
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.observables import compute_observables
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.constraint_arrays import ConstraintArrays, MinFlowRows
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import ignore

SKELETON = Skeleton.parse("1-2-3-2")


def drawn(seed, split="univariate", constraints=(), n=40):
    """Return a problem without structure: its diagrams have many nodes."""
    random = np.random.default_rng(seed)
    data = TrainingData.collect(random.random((n, 3)).round(2), random.integers(0, 3, n), 3)
    return build_problem(data, SKELETON, 0.01, split, 1e-3, constraints=constraints)


def with_rows(problem, matrix, lower, upper, price=np.inf):
    labels = tuple(f"row {number}" for number in range(len(matrix)))
    return replace(problem, rows=LinearRows(matrix, lower, upper, labels, np.full(len(matrix), price)))


def any_rows(problem, seed, price=np.inf):
    """Rows over all observables, which tell samples, classes, sides and slots apart."""
    matrix = np.random.default_rng(seed).integers(-2, 3, (4, problem.layout.size)).astype(float)
    return with_rows(problem, matrix, [-np.inf, 0.0, -1.0, -5.0], [1.0, np.inf, 1.0, 5.0], price)


def found_diagrams(problem):
    """Return diagrams of several sizes."""
    lengths = (1, 3, 10, 40)
    return [LocalSearch(seed=k).search(problem, None, Budget.of(None, k), ignore).diagram for k in lengths]


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("seed", range(4))
def test_rows_come_to_what_plain_evaluation_says(seed, split):
    free = drawn(seed, split)
    problem = any_rows(free, seed, price=0.01)
    search = MultiStart.create(problem, SearchTable.from_problem(problem), 0, 1)
    for diagram in found_diagrams(free):
        search.load(diagram)
        probe = search.threads[0].probe()
        steps = route_reference(diagram, problem.data.X)
        expected = problem.rows.matrix @ compute_observables(problem.layout, problem.skeleton, diagram, steps)
        np.testing.assert_allclose(probe["activity"], expected, atol=1e-9)
        value = evaluate(problem, diagram)
        assert probe["penalty"] / problem.total_weight == pytest.approx(value.penalty)


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_excess_is_that_of_the_hard_rows(seed):
    free = drawn(seed)
    problem = any_rows(free, seed)
    search = MultiStart.create(problem, SearchTable.from_problem(problem), 0, 1)
    for diagram in found_diagrams(free):
        search.load(diagram)
        assert search.threads[0].probe()["violation"] == pytest.approx(evaluate(problem, diagram).violation)


def test_limits_on_nodes_are_recognised():
    limits = NodeLimits.from_problem(
        drawn(0, constraints=[MaxNodes(4), MaxNodesPerLayer([1, 2, 1, 2]), MinFlow(3)])
    )
    assert limits.numbers == [0, 1, 2, 3, 4]
    assert limits.allows((1, 2, 1))
    assert not limits.allows((1, 1, 2))
    assert not limits.allows((1, 2, 1, 1))


def test_a_limit_that_tells_slots_apart_is_not_one_on_numbers_of_nodes():
    problem = drawn(0)
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.used[1]] = 1.0
    limited = with_rows(problem, matrix, [-np.inf], [0.0])
    assert NodeLimits.from_problem(limited).numbers == []
    assert ConstraintArrays.from_problem(limited).keeps_idle


@pytest.mark.parametrize("soft", [True, False])
def test_a_limit_that_may_be_broken_is_not_built_in(soft):
    problem = drawn(0)
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.used] = 1.0
    limited = with_rows(problem, matrix, [-np.inf], [3.0], 0.5 if soft else np.inf)
    assert NodeLimits.from_problem(limited).numbers == ([] if soft else [0])


def test_least_flows_are_recognised():
    problem = drawn(0, constraints=[MinFlow(5), MinFlowPerArc(3), MinFlow(2)])
    flows = MinFlowRows.from_problem(problem)
    assert len(flows.numbers) == len(problem.rows)
    assert flows.min_flow.tolist() == [0, 5, 5, 5]
    assert flows.min_side_flow.tolist() == [3, 3, 3, 3]
    assert flows.weight.tolist() == problem.data.class_weight.sum(axis=1).tolist()


def test_a_flow_asked_of_one_slot_only_is_not_built_in():
    problem = drawn(0, constraints=[MinFlow(5)])
    rows = problem.rows
    part = LinearRows(rows.matrix[:1], rows.lower[:1], rows.upper[:1], rows.labels[:1])
    one_slot = replace(problem, rows=part)
    assert MinFlowRows.from_problem(one_slot).numbers == []
    assert not MinFlowRows.from_problem(one_slot).min_flow.any()


def test_rows_on_counts_alone_need_no_look_at_samples():
    assert ConstraintArrays.from_problem(drawn(0, constraints=[MaxNodes(3), MaxDepth(2)])).counts_only
    assert not ConstraintArrays.from_problem(drawn(0, constraints=[MaxNodes(3), MinFlow(2)])).counts_only
    assert ConstraintArrays.from_problem(drawn(0)) is None


def single_row(problem, places, values=1.0, lower=-np.inf, upper=1.0, price=np.inf):
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, places] = values
    return with_rows(problem, matrix, [lower], [upper], price)


def test_what_the_moves_must_know_of_a_row_follows_from_its_observables():
    problem = drawn(0)
    layout = problem.layout
    # places, rows on classes, on counts alone, on paths, on a node that decides nothing
    cases = [
        (layout.assigned[:, 1], [0], False, False, False),
        (layout.used, [], True, False, False),
        (layout.used[2:3], [], False, False, True),
        (layout.reached[:, 2], [], False, True, True),
        (layout.positive[3], [], False, True, True),
        (layout.positive[-1, -1:], [], False, True, True),
        (layout.reached[0, :1], [], False, True, True),
        (np.array([layout.root_splits]), [], False, False, True),
        (np.append(layout.assigned[0], layout.used[0]), [0], False, False, True),
        (np.append(layout.assigned[0], layout.reached[0, 1]), [0], False, True, True),
    ]
    for places, class_rows, counts_only, by_path, keeps_idle in cases:
        arrays = ConstraintArrays.from_problem(single_row(problem, places))
        assert arrays.class_rows.tolist() == class_rows
        assert (arrays.counts_only, arrays.by_path, arrays.keeps_idle) == (counts_only, by_path, keeps_idle)
    # each kind that the moves keep by themselves, alone and all together
    each = ([MaxNodes(3)], [MinFlow(4)], [MinFlowPerArc(2)], [MaxDepth(2), MinFlow(2), MinFlowPerArc(3)])
    for constraints in each:
        assert not ConstraintArrays.from_problem(drawn(0, constraints=constraints)).keeps_idle


def test_arrays_hold_the_rows_by_observable_and_their_first_weights():
    problem = drawn(0, constraints=[MaxNodes(4), MinFlow(5)])
    rows = any_rows(drawn(0), 3).rows
    matrix = np.vstack([problem.rows.matrix.toarray(), rows.matrix.toarray()])
    n = len(matrix)
    lower, upper = np.append(problem.rows.lower, rows.lower), np.append(problem.rows.upper, rows.upper)
    price = np.where(np.arange(n) % 3 == 0, 0.25, np.inf)
    price[0] = np.inf
    both = replace(problem, rows=LinearRows(matrix, lower, upper, ("x",) * n, price))
    arrays = ConstraintArrays.from_problem(both)
    for place in range(both.layout.size):
        entries = slice(arrays.start[place], arrays.start[place + 1])
        column = np.zeros(n)
        column[arrays.row[entries]] = arrays.coefficient[entries]
        assert np.array_equal(column, matrix[:, place])
    assert np.array_equal(arrays.lower, lower) and np.array_equal(arrays.upper, upper)
    assert arrays.hard.tolist() == np.isinf(price).tolist()
    assert (arrays.cap.tolist(), arrays.room.tolist()) == ([[1.0] * 4], [4.0])
    # a soft row has its penalty; a hard one two samples of mean cost for its mean coefficient
    spread = np.ptp(both.cost, axis=1).mean()
    mean = np.abs(matrix).sum(axis=1) / (matrix != 0).sum(axis=1)
    expected = np.where(np.isinf(price), 2 * spread / mean, 0.25 * both.total_weight)
    np.testing.assert_allclose(arrays.weight, expected)
    # without costs, and of an empty row
    free = replace(problem, cost=np.ones_like(problem.cost))
    nothing = single_row(free, [], upper=0.0)
    assert ConstraintArrays.from_problem(nothing).weight.tolist() == [2.0]


def changed_flow(problem, number=0, **parts):
    """Return the problem with one of its rows changed."""
    rows = problem.rows
    given = {"matrix": rows.matrix.toarray(), "lower": rows.lower.copy(), "upper": rows.upper.copy()}
    given["penalty"] = rows.penalty.copy()
    for name, value in parts.items():
        if name == "entries":
            for place, coefficient in value.items():
                given["matrix"][number, place] = coefficient
        else:
            given[name][number] = value
    changed = LinearRows(given["matrix"], given["lower"], given["upper"], rows.labels, given["penalty"])
    return replace(problem, rows=changed)


@pytest.mark.parametrize("change", range(10))
def test_a_row_that_is_almost_a_minimum_flow_is_none(change):
    """The root of MinFlow needs nothing; its first row is of slot 1, which shares a layer with slot 2."""
    problem = drawn(0, constraints=[MinFlow(5)])
    layout = problem.layout
    assert len(MinFlowRows.from_problem(problem).numbers) == len(problem.rows) == 7
    parts = [
        {"penalty": 1.0},
        {"lower": -1.0},
        {"upper": 100.0},
        {"entries": {layout.used[1]: 5.0}},  # a flow that is paid for by the node
        {"entries": {layout.used[1]: 0.0, layout.used[2]: -5.0}},  # another node's switch
        {"entries": {layout.used[3]: -5.0}},  # two switches
        {"entries": {layout.reached[4, 1]: 0.0}},  # a sample that does not count
        {"entries": {layout.reached[4, 2]: 1.0}},  # a sample at another node
        {"entries": {layout.assigned[4, 2]: 1.0}},  # a class
        {"entries": {layout.positive[4, 1]: -1.0}},  # one side of one sample
    ][change]
    flows = MinFlowRows.from_problem(changed_flow(problem, **parts))
    # slots of its layer now differ, those of the others are as before
    assert flows.min_flow.tolist() == [0, 0, 5, 5]
    assert flows.numbers == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("n_counted_twice", [1, 20, 40])
def test_a_flow_that_counts_samples_differently_is_not_built_in(n_counted_twice):
    problem = drawn(0, constraints=[MinFlow(5)])
    matrix = problem.rows.matrix.toarray()
    last = matrix[-1, problem.layout.reached[:, -1]]
    last[:n_counted_twice] *= 2
    doubled = changed_flow(problem, 6, entries=dict(zip(problem.layout.reached[:, -1], last, strict=True)))
    flows = MinFlowRows.from_problem(doubled)
    assert flows.numbers == [0, 1, 2, 3, 4]
    assert flows.min_flow.tolist() == [0, 5, 5, 0]


def test_a_flow_on_one_side_only_is_not_built_in():
    problem = drawn(0, constraints=[MinFlowPerArc(3)])
    rows = problem.rows
    n_half = len(rows) // 2
    for own in (range(n_half), range(n_half, len(rows))):
        flows = MinFlowRows.from_problem(replace(problem, rows=rows.select(list(own))))
        assert flows.numbers == [] and not flows.min_side_flow.any() and not flows.min_flow.any()
    # of two limits on both sides the larger one holds for all
    both = drawn(0, constraints=[MinFlowPerArc(3), MinFlowPerArc(7), MinFlow(9), MinFlow(8)])
    flows = MinFlowRows.from_problem(both)
    assert flows.min_side_flow.tolist() == [7] * 4 and flows.min_flow.tolist() == [0, 9, 9, 9]
    assert len(flows.numbers) == len(both.rows)
    assert MinFlowRows.from_problem(drawn(0)).weight.tolist() == [1.0] * drawn(0).data.n_rows
