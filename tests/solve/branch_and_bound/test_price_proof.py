"""Proofs of trees by price: what they claim of trees with a depth limit, and of each number of nodes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound import price_proof, tree_proofs
from oddlearn.solve.branch_and_bound.kernel_options import MemoryLimit
from oddlearn.solve.branch_and_bound.optimal_trees import TreeProof
from oddlearn.solve.branch_and_bound.price_items import PriceItems
from oddlearn.solve.branch_and_bound.price_proof import PriceProof
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.kernels.test_price_trees import draw_problem
from tests.oracles.any_depth import AnyDepth
from tests.solve.branch_and_bound.oracle import best_tree_cost


@pytest.fixture(autouse=True)
def price_comes_first(monkeypatch):
    """Small problems would be proved level by level before the first turn by price."""
    monkeypatch.setattr(tree_proofs, "WORK_BY_LEVEL_ALONE", 0.0)


def draw_tree_problem(seed, depth):
    problem = draw_problem([seed, 9], (3, 11), (1, 4), (2, 5))[1]
    return replace(problem, skeleton=Skeleton.tree(depth))


def prove(problem, budget=None):
    state = SolveState.initial(problem)
    return BranchAndBound().run(state, Budget.of(60.0) if budget is None else budget, ignore).check()


def best_objective(problem, depth):
    prices = np.full(depth, problem.node_price * problem.total_weight)
    prices[0] = 0.0
    return best_tree_cost(problem, prices, np.zeros(depth)) / problem.total_weight


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_best_tree_of_the_depth_is_proved_also_where_a_deeper_one_is_better(depth):
    n_deeper = 0
    for seed in range(30):
        problem = draw_tree_problem(seed, depth)
        state, best = prove(problem), best_objective(problem, depth)
        assert state.objective == pytest.approx(best)
        assert state.lower_bound == pytest.approx(best)
        n_deeper += AnyDepth(problem).least_cost() / problem.total_weight < best - 1e-9
    assert n_deeper > 0 or depth > 1


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_table_that_needs_seven_splits_gets_the_best_tree_of_its_depth(depth):
    data = TrainingData.collect(np.arange(8.0)[:, None], np.arange(8) % 2, 2)
    problem = build_problem(data, Skeleton.tree(depth), None, "univariate", node_price=0.05)
    state = prove(problem)
    assert state.objective == pytest.approx(best_objective(problem, depth))
    assert state.lower_bound == pytest.approx(state.objective)
    assert (AnyDepth(problem).least_cost() < 8 * state.objective - 1e-9) == (depth < 3)


def test_the_bound_of_a_node_count_holds_for_the_trees_with_so_many_nodes():
    for seed in range(40):
        problem = draw_tree_problem(seed, 4)
        costs = AnyDepth(problem).least_costs(4)
        bounds = prove(problem).bounds.cost
        for count in range(2, 5):
            if costs[count] < costs[count - 1]:  # a tree that needs all of its nodes
                assert bounds[count - 1] <= costs[count] + 1e-7 * max(1.0, costs[count])


def test_the_proof_by_price_alone_proves_what_no_depth_binds(monkeypatch):
    monkeypatch.setattr(TreeProof, "run", lambda *arguments: True)
    n_resolved = 0
    for seed in range(30):
        problem = draw_tree_problem(seed, 4)
        state, best = prove(problem), AnyDepth(problem).least_cost() / problem.total_weight
        assert state.lower_bound <= best + 1e-9 * max(1.0, best)
        n_resolved += state.is_resolved
    assert n_resolved > 20


def test_turns_with_little_work_end_in_the_same_proof():
    for seed in range(12):
        problem = draw_tree_problem(seed, 3)
        state, solver = SolveState.initial(problem), BranchAndBound()
        budget = Budget.of(60.0)
        for _ in range(3000):
            state = solver.run(state, budget.limit_work(2e-6), ignore).check()
            if state.is_resolved:
                break
        assert state.objective == pytest.approx(best_objective(problem, 3))
        assert state.lower_bound == pytest.approx(state.objective)


def test_a_tree_that_was_not_read_in_time_is_read_in_the_next_turn(monkeypatch):
    data = TrainingData.collect(np.arange(8.0)[:, None], np.arange(8) // 2 % 2, 2)
    problem = build_problem(data, Skeleton.tree_of_nodes(4), None, "univariate", node_price=0.05)
    run_kernel, stopped = price_proof.run_kernel, []

    def stop_first_tree(kernel, call, *given):
        if call == kernel.tree and not stopped:
            stopped.append(kernel.stop())
            return []
        return run_kernel(kernel, call, *given)

    monkeypatch.setattr(price_proof, "run_kernel", stop_first_tree)
    progress = ProofProgress(SolveState.initial(problem), Budget.of(60.0), ignore)
    proof = PriceProof(problem, 0)
    proof.run(progress, Budget.of(60.0))
    assert stopped and not proof.is_finished and progress.state.objective == pytest.approx(0.5)
    proof.run(progress, Budget.of(60.0))
    assert proof.is_finished and progress.state.objective == pytest.approx(0.1)


def test_a_memory_limit_ends_the_proof_by_price_with_a_sentence(monkeypatch):
    monkeypatch.setattr(price_proof, "MAX_BYTES", 1000)
    problem = draw_problem([3, 6], (30, 40), (3, 4), (4, 5))[1]
    state = prove(replace(problem, skeleton=Skeleton.tree(2)))
    assert state.objective == pytest.approx(best_objective(state.problem, 2))
    assert "the search by price needs more than" in state.evidence[-1].text


def test_prices_of_nothing_have_no_items():
    problem = draw_tree_problem(1, 2)
    assert PriceItems.from_problem(replace(problem, node_price=0.0)) is None
    assert PriceItems.from_problem(replace(problem, node_price=1e-30)) is None


@pytest.mark.parametrize("node_price", [0.05, 1 / 3, 0.0123456789, 2**-20, 1e-7, np.pi / 10])
def test_integer_costs_are_never_above_the_costs_and_lose_next_to_nothing(node_price):
    problem = replace(draw_tree_problem(2, 2), node_price=node_price)
    items = PriceItems.from_problem(problem)
    price = items.price / items.unit / items.scale / problem.total_weight
    assert price <= node_price * (1 + 1e-13)
    assert price == pytest.approx(node_price, rel=1e-8)


@pytest.mark.parametrize(("depth", "is_called"), [(4, False), (5, True)])
def test_trees_of_few_levels_are_proved_level_by_level_first(monkeypatch, depth, is_called):
    monkeypatch.setattr(tree_proofs, "WORK_BY_LEVEL_ALONE", 1.0)
    calls = []
    run = price_proof.PriceProof.run
    monkeypatch.setattr(price_proof.PriceProof, "run", lambda *given: (calls.append(1), run(*given)))
    assert prove(draw_tree_problem(1, depth)).is_resolved
    assert bool(calls) == is_called


def test_without_half_of_the_memory_nothing_is_searched_by_price():
    problem = draw_tree_problem(1, 3)
    needed = price_proof.BYTES_PER_ENTRY * 2**price_proof.LOG_ENTRIES
    proof = PriceProof(problem, 0, MemoryLimit(2 * needed))
    assert proof.is_finished and proof.n_evaluated == 0
    assert proof.obstacle.startswith("the search by price needs more than half of ")
    assert not PriceProof(problem, 0, MemoryLimit(2 * needed + 2)).obstacle
    enough = PriceProof(problem, 0, MemoryLimit(4 * needed))
    assert not enough.is_finished and enough.obstacle == ""


@pytest.mark.parametrize(
    ("reason", "words"),
    [("memory", "needs more than 2 GB"), ("depth", "met trees too deep for it"), ("time", "")],
)
def test_what_ends_the_search_by_price_is_told(reason, words):
    proof = PriceProof(draw_tree_problem(1, 3), 0)
    proof._max_bytes = 2 << 30
    proof._record_obstacle(reason)
    assert proof.is_finished == bool(words)
    assert proof.obstacle == (f"the search by price {words}" if words else "")


def test_nodes_of_a_tree_are_listed_layer_by_layer():
    items = SimpleNamespace(features=np.array([4, 7]))
    nodes = [(0, 1, 1, 2), (1, 2, -1, 3), (1, 3, -1, -1), (0, 4, -1, -1)]
    assert price_proof._list_layers(nodes, items) == [
        [(4, 1, 0, 1)],
        [(7, 2, -1, 0), (7, 3, -1, -1)],
        [(4, 4, -1, -1)],
    ]
