"""The solver against all diagrams of tiny problems."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_CLASSES, MAX_LEVELS
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.fakes import run_exact
from tests.oracles.brute_force import optimal_objective
from tests.oracles.by_nodes import least_costs
from tests.solve.branch_and_bound.drawn import checkered_problem, drawn_problem

# skeleton, most rows, trees only
CASES = [
    ("1-2-2", 6, False),
    ("1-1-2", 6, False),
    ("1-2-1-1", 6, False),
    ("1-2-1-2", 5, False),
    ("1-2-2-2", 4, False),
    ("1-2-4", 5, True),
    ("1-2-2", 6, True),
]


def prove(problem, incumbent=None, seconds=60.0, report=ignore):
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes))
    start = incumbent or best_constant(problem)
    return run_exact(BranchAndBound(), problem, start, bounds, Budget.of(seconds), report)


def problems(skeleton, most_rows, tree_only):
    for seed in range(24):
        alpha = (0.0, 0.05, 0.3, 1.0)[seed % 4]
        yield drawn_problem(seed + 7000, most_rows, skeleton, alpha, tree_only)
    if not tree_only:
        yield from (checkered_problem(seed, skeleton, 0.1) for seed in range(8))


@pytest.mark.parametrize(("skeleton", "most_rows", "tree_only"), CASES)
def test_the_optimum_is_proved_from_the_constant_and_from_itself(skeleton, most_rows, tree_only):
    for problem in problems(skeleton, most_rows, tree_only):
        if problem.data.n_rows <= most_rows:
            check_proof(problem)


def check_proof(problem):
    least = least_costs(problem)
    best = float((least / problem.total_weight + problem.node_price * np.arange(least.size)).min())
    proof = prove(problem)
    found = proof.diagram or best_constant(problem)
    assert proof.bounds.lower_bound(problem) <= best + 1e-9 * max(1.0, best)
    check_node_count_bounds(problem, proof.bounds, least)
    if problem.skeleton.tree_only and problem.skeleton.widths[-1] == 2:
        return  # trees too wide for the skeleton may stand in the way
    assert evaluate(problem, found).objective == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert proof.bounds.lower_bound(problem) == pytest.approx(best, rel=1e-9, abs=1e-9)
    again = prove(problem, found)
    assert again.diagram is None
    assert again.bounds.lower_bound(problem) == pytest.approx(best, rel=1e-9, abs=1e-9)
    check_node_count_bounds(problem, again.bounds, least)


def check_node_count_bounds(problem, bounds, least):
    """A bound may exceed the least cost only where fewer nodes cost no more: theirs covers it."""
    noise = 1e-9 * max(1.0, problem.cost.sum())
    needed = np.array([k == 0 or cost < least[:k].min() - noise for k, cost in enumerate(least)])
    assert (bounds.cost <= least + noise)[needed].all()


@pytest.mark.parametrize("seed", range(3000, 3020))
def test_the_optimum_is_that_of_the_plain_enumeration(seed):
    problem = drawn_problem(seed, 6, "1-2-2", 0.05)
    proof = prove(problem)
    assert proof.bounds.lower_bound(problem) == pytest.approx(optimal_objective(problem), rel=1e-9, abs=1e-9)


def test_flows_of_different_depth_may_meet_below_a_node_that_passes_rows_on():
    """Class 2 where a and b are 1, else the parity of three bits: rows with a = 0 wait for the others."""
    X = np.array([[n >> k & 1 for k in range(5)] for n in range(32)], dtype=float)
    codes = np.where(X[:, 0] * X[:, 1] == 1, 2, X[:, 2:].sum(axis=1).astype(int) % 2)
    splits = tuple(UnivariateSplit(feature, 0.5) for feature in (0, 0, 1, 2, 3, 3, 4, 4))
    negative, positive = [1, 3, 3, 4, 6, 7, 8, 9], [2, 8, 10, 5, 7, 6, 9, 8]
    known = DecisionDiagram(splits, negative, positive, [0, 1, 1, 2, 3, 3, 4, 4], 3, 5)
    for skeleton in ("1-2-1-2-2", "1-2-2-2-2", "1-2-4-4-4"):
        problem = build_problem(
            TrainingData.collect(X, codes, 3), Skeleton.parse(skeleton), 0.1, "univariate"
        )
        bound = prove(problem, seconds=3.0).bounds.lower_bound(problem)
        assert bound <= evaluate(problem, known).objective + 1e-9


def test_events_come_in_order_and_end_at_the_optimum():
    events = []
    problem = drawn_problem(3003, 8, "1-2-2", 0.05)
    proof = prove(problem, report=events.append)
    bounds = [event.lower_bound for event in events if isinstance(event, Bounded)]
    objectives = [event.objective for event in events if isinstance(event, Improved)]
    assert bounds == sorted(bounds) and objectives == sorted(objectives, reverse=True)
    (evidence,) = proof.evidence
    assert (evidence.solver, evidence.status) == ("branch_and_bound", "optimal")
    assert evidence.bound == pytest.approx(objectives[-1], abs=1e-9)
    assert "combinations of layer widths" in evidence.text


def test_a_table_too_large_to_be_sorted_for_every_level_is_refused(monkeypatch):
    problem = drawn_problem(3003, 8, "1-2-2", 0.05)
    for n_rows, is_refused in ((5_000_000, False), (5_000_001, True)):
        monkeypatch.setattr(TrainingData, "n_rows", n_rows)
        monkeypatch.setattr(TrainingData, "n_features", 1)
        (*reasons,) = BranchAndBound().unsupported_reasons(problem)
        assert [("5,000,000 rows x features" in reason) for reason in reasons] == [True] * is_refused


def test_rows_that_are_all_equal_leave_nothing_to_split():
    data = TrainingData.collect(np.zeros((5, 2)), np.array([0, 1, 1, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate")
    proof = prove(problem)
    assert proof.diagram is None
    assert proof.bounds.lower_bound(problem) <= 0.4


@pytest.mark.parametrize(("skeleton", "tree_only"), [("1-2", True), ("1-2", False), ("1-2-2", False)])
def test_values_with_no_number_between_them_are_separated(skeleton, tree_only):
    near = [0.5]
    for _ in range(3):
        near.append(np.nextafter(near[-1], 1.0))
    data = TrainingData.collect(np.array([[0.0], *([value] for value in near), [1.0]]), [0, 0, 1, 0, 1, 1], 2)
    widths = Skeleton.parse(skeleton).widths
    problem = build_problem(data, Skeleton(widths, tree_only), 0.0, "univariate", 0.0)
    proof = prove(problem)
    assert proof.evidence[0].status == "optimal"
    assert evaluate(problem, proof.diagram).objective == 0.0


def test_deep_skeletons_do_not_make_proofs_of_small_diagrams_noisy():
    random = np.random.default_rng(5)
    data = TrainingData.collect(random.random((12, 2)), np.arange(12) % 2, 2, random.random(12))
    problem = build_problem(data, Skeleton((1,) * MAX_LEVELS), 5.0, "univariate")
    proof = prove(problem)
    assert proof.evidence[0].status == "optimal"
    best = evaluate(problem, proof.diagram or best_constant(problem)).objective
    assert proof.bounds.lower_bound(problem) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-12, 1e-10, 1e6])
def test_small_and_large_weights_prove_no_more_than_is_true(scale):
    for seed in range(6):
        problem = drawn_problem(seed, 6, "1-2-4", 0.05, tree_only=True)
        weight = problem.data.class_weight * scale * 1.1
        data = TrainingData(problem.data.X, weight, problem.data.distinct_row_of)
        problem = replace(problem, data=data, cost=problem.cost * scale * 1.1)
        best = optimal_objective(problem)
        assert prove(problem).bounds.lower_bound(problem) <= best + 1e-9 * max(1.0, best)


DEEP = """
import numpy as np
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from tests.solve.branch_and_bound.test_branch_and_bound import prove

X = np.arange(60.0)[:, None] / 59
data = TrainingData.collect(X, np.arange(60) % 2, 2)
problem = build_problem(data, Skeleton((1,) * {layers}, {tree_only}), 1e-3, "univariate", 1e-3)
assert prove(problem, seconds=5.0).bounds.lower_bound(problem) <= 0.5
"""


@pytest.mark.parametrize("tree_only", [False, True])
def test_skeletons_deeper_than_the_kernel_goes_are_bounded_all_the_same(tree_only):
    """In a process of its own: a kernel that writes past its levels would take the tests with it."""
    code = DEEP.format(layers=MAX_LEVELS + 4, tree_only=tree_only)
    ended = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.getcwd()})
    assert ended.returncode == 0


def test_it_objects_to_what_it_cannot_take():
    problem = drawn_problem(3, 6, "1-2")
    assert BranchAndBound().unsupported_reasons(problem) == []
    planes = replace(problem, split="multivariate")
    assert "univariate splits only" in BranchAndBound().unsupported_reasons(planes)[0]
    many = TrainingData.collect(np.eye(2), np.array([0, MAX_CLASSES]), MAX_CLASSES + 1)
    problem = build_problem(many, Skeleton((1,)), 0.1, "univariate")
    assert "65" in BranchAndBound().unsupported_reasons(problem)[0]


@pytest.mark.parametrize(("skeleton", "tree_only"), [("1-2-2", False), ("1-2-1-2", False), ("1-2-4", True)])
def test_a_proof_that_ran_out_of_time_resumes_and_reaches_the_optimum(skeleton, tree_only):
    """Pieces of time that grow, the best diagram and the bounds handed from one to the next."""
    pieces = []
    for seed in range(12):
        problem = drawn_problem(seed + 7000, 5, skeleton, (0.0, 0.05, 0.3)[seed % 3], tree_only)
        best = optimal_objective(problem)
        state, seconds, n_pieces = SolveState.initial(problem), 1e-4, 0
        while n_pieces == 0 or state.resumable:
            state = BranchAndBound().run(state, Budget.of(seconds), ignore)
            assert state.lower_bound <= best + 1e-9
            seconds, n_pieces = 2 * seconds, n_pieces + 1
        assert evaluate(problem, state.diagram).objective == pytest.approx(best, rel=1e-9, abs=1e-9)
        pieces.append(n_pieces)
    assert max(pieces) > 1


def test_a_proof_is_resumed_on_its_own_problem_only():
    first, second = (drawn_problem(seed, 6, "1-2-2", 0.0) for seed in (7001, 7002))
    left = BranchAndBound().run(SolveState.initial(first), Budget.of(0.0), ignore).resumable
    assert left["branch_and_bound"].problem is first
    state = replace(SolveState.initial(second), resumable=left)
    after = BranchAndBound().run(state, Budget.of(60.0), ignore)
    assert after.lower_bound == pytest.approx(optimal_objective(second), abs=1e-9)
    assert "branch_and_bound" not in after.resumable
