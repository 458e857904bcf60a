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
