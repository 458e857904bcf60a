"""What is refuted on some of the rows is refuted on all of them, and nothing else is."""

from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound import diagram_proof, row_subsets
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner, relaxation_arrays
from oddlearn.solve.branch_and_bound.row_subsets import RowSubset, RowSubsets
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget
from tests.oracles.by_nodes import least_costs
from tests.solve.branch_and_bound.drawn import checkered_problem, drawn_problem, noise_of, part_of, varies
from tests.solve.branch_and_bound.oracle import best_tree_cost, least_at_most
from tests.solve.branch_and_bound.test_branch_and_bound import check_proof, prove

LAYER_WIDTHS = [(1,), (1, 1), (1, 2), (1, 1, 1), (1, 2, 1), (1, 2, 2), (1, 1, 2)]
LAYER_WIDTHS += [(1, 2, 1, 1), (1, 1, 2, 1), (1, 2, 2, 1)]
RELAXATIONS = [
    (1,),
    (2,),
    (1, 1),
    (2, 1),
    (1, 2),
    (2, 2),
    (1, 1, 1),
    (1, 2, 1),
    (2, 1, 1),
    (1, 1, 2),
    (2, 1, 2),
]


def draws(number, most_rows=7):
    """Yield problems, some of their rows, their subset, and their problem."""
    for seed in range(number):
        random = np.random.default_rng(seed)
        problem = drawn_problem(seed + 40_000, most_rows) if seed % 3 else checkered_problem(seed)
        if not varies(problem):
            continue
        is_selected = random.random(problem.data.n_rows) < 0.7
        is_selected[random.integers(is_selected.size)] = True
        made = KernelRunner(problem, 4, seed, WeightedItems.from_problem(problem).select_rows(is_selected), 8)
        yield problem, RowSubset(made), part_of(problem, np.flatnonzero(is_selected)), made.items.step


def in_units(problem, cost, step):
    """Return the cost above the least that the rows cost in any case, in units."""
    return (cost - problem.cost.min(axis=1).sum()) / step


@pytest.mark.parametrize("relaxation", RELAXATIONS, ids=str)
def test_trees_on_the_subset_cost_what_the_rows_cost_and_no_more_than_all(relaxation):
    for problem, subset, part, step in draws(20):
        cost = in_units(part, best_tree_cost(part, *relaxation_arrays(relaxation)), step)
        noise = noise_of(problem) / step
        assert subset.bound(relaxation, np.inf, Budget.of(60.0)) == pytest.approx(cost, abs=noise)
        assert (
            cost <= in_units(problem, best_tree_cost(problem, *relaxation_arrays(relaxation)), step) + noise
        )


@pytest.mark.parametrize("widths", LAYER_WIDTHS, ids=str)
def test_layer_widths_are_refuted_up_to_what_their_diagrams_cost_on_the_subset(widths):
    for problem, subset, part, step in draws(13, 6):
        cost, noise = in_units(part, least_at_most(part, widths), step), noise_of(problem) / step
        assert cost <= in_units(problem, least_at_most(problem, widths), step) + noise
        assert subset.refutes(widths, cost - 10 * noise, Budget.of(60.0))
        assert not subset.refutes(widths, cost + 0.4, Budget.of(60.0))
        assert subset.refutes(widths, cost - 0.4, Budget.of(60.0))


def test_nodes_that_only_rows_outside_the_subset_need_do_not_refute_layer_widths():
    """One row needs no node: the kernel finds no diagram with two, but the best one costs nothing."""
    problem = on_a_line([0, 1, 2, 3], [0, 0, 1, 0])
    made = KernelRunner(problem, 2, 0, WeightedItems.from_problem(problem).select_rows(np.arange(4) == 0), 8)
    assert made.search((1, 1), 1.0, Budget.of(60.0)) is None and made.is_done
    assert least_at_most(problem, (1, 1)) == 0
    assert not RowSubset(made).refutes((1, 1), 1.0, Budget.of(60.0))


def on_a_line(values, codes):
    data = TrainingData.collect(np.array(values, dtype=float)[:, None] / 5, np.array(codes), 2)
    return build_problem(data, Skeleton.parse("1"), 0.1, "univariate")


def test_what_a_subset_cannot_refute_is_not_tried_again():
    problem = on_a_line([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1])
    made = KernelRunner(problem, 3, 0)
    subset = RowSubset(made)
    assert subset.bound((1,), 5.0, Budget.of(60.0)) < 5.0
    assert not subset.refutes((1, 1), 3.0, Budget.of(60.0))
    with patch.multiple(made, bound=None, search=None):
        assert subset.bound((2, 1), 5.0, Budget.of(60.0)) == 0.0
        assert not subset.refutes((1, 2), 3.0, Budget.of(60.0))


class Stopped:
    """A kernel runner whose time is always up."""

    is_done = False

    def bound(self, *_):
        return 9.0, True

    def search(self, *_):
        return None


def test_what_ran_out_of_time_refutes_nothing():
    assert RowSubset(Stopped()).bound((2, 2), 5.0, Budget.of(1.0)) == 0.0
    assert not RowSubset(Stopped()).refutes((1,), 5.0, Budget.of(1.0))


@pytest.mark.parametrize(("skeleton", "most_rows"), [("1-2-2", 6), ("1-2-1-1", 6), ("1-2-2-1", 6)])
def test_a_proof_on_row_subsets_ends_at_the_optimum(skeleton, most_rows):
    """Whatever the rows are: the order is random, subsets are small, and all is tried on them first."""
    refuted = []
    with ExitStack() as stack:
        stack.enter_context(patch.object(row_subsets, "SHARES_OF_COST", ((0.2, 0.01), (np.inf, 0.6))))
        stack.enter_context(patch.object(row_subsets, "MAX_SHARE_OF_NEXT", 1.0))
        stack.enter_context(
            patch.multiple(
                diagram_proof,
                FIRST_SHARE=0.0,
                SUBSET_CUTOFF=np.inf,
                MIN_ROWS=1,
                rank_rows_by_difficulty=shuffled,
            )
        )
        first = impatient(diagram_proof.DiagramProof._solve_on_all_rows)
        stack.enter_context(patch.object(diagram_proof.DiagramProof, "_solve_on_all_rows", first))
        stack.enter_context(patch.object(RowSubset, "bound", watched(RowSubset.bound, refuted)))
        stack.enter_context(patch.object(RowSubset, "refutes", watched(RowSubset.refutes, refuted)))
        for seed in range(20):
            problem = drawn_problem(seed + 9000, most_rows, skeleton, (0.0, 0.05, 0.3)[seed % 3])
            check_proof(problem)
        for seed in range(8):
            check_proof(checkered_problem(seed, skeleton, 0.1))
    assert sum(refuted) > 5


def impatient(method):
    """Small problems are bounded before the clock is looked at: without time, say that there was none."""

    def call(self, relaxation, cutoff, budget):
        return budget.remaining() > 0 and method(self, relaxation, cutoff, budget)

    return call


def shuffled(X, gain, seed, budget):
    return np.random.default_rng(len(X)).permutation(len(X))


def watched(method, results):
    def call(self, what, cutoff, budget):
        result = method(self, what, cutoff, budget)
        results.append(result is True or result >= cutoff > 0)
        return result

    return call


def test_little_is_proved_on_a_small_subset_and_more_on_a_larger_one():
    """One row in ten has the wrong class: these, and as many others to be wrong about, are all that costs."""
    X = np.random.default_rng(0).random((400, 2))
    codes = (X[:, 0] > 0.5) ^ (np.arange(400) % 10 == 0)
    problem = build_problem(
        TrainingData.collect(X, codes.astype(int), 2), Skeleton.parse("1-2-4"), 0.1, "univariate"
    )
    is_wrong = (problem.data.X[:, 0] > 0.5) ^ (problem.cost[:, 0] > 0)
    others = np.random.default_rng(1).random(400)
    order = np.argsort(np.where(is_wrong, others / 4, others), kind="stable")
    subsets = RowSubsets(problem, WeightedItems.from_problem(problem), 3, 0, order)
    assert not subsets.select(1.0, Budget.of(0.0))
    found = subsets.select(1.0, Budget.of(60.0))
    sizes = [subset._runner.items.row.size for subset in found]
    assert len(sizes) > 1 and sizes == sorted(set(sizes)) and sizes[-1] <= 280
    assert subsets.select(20.0, Budget.of(0.0)) == found[-1:]
    assert found[-1].bound((2,), 20.0, Budget.of(60.0)) >= 20.0


def test_a_larger_subset_follows_where_a_smaller_one_does_not_refute():
    """The second subset refutes; a relaxation that no subset refutes is solved on all rows."""
    random = np.random.default_rng(3)
    X, codes = random.random((150, 4)), random.integers(2, size=150)
    problem = build_problem(TrainingData.collect(X, codes, 2), Skeleton.parse("1-1-1"), 0.05, "univariate")
    calls = []

    def bound(self, relaxation, cutoff, budget):
        calls.append(self)
        return cutoff if len(calls) == 2 else 0.0

    shares = ((np.inf, 0.1), (np.inf, 0.3))
    with ExitStack() as stack:
        stack.enter_context(patch.multiple(row_subsets, SHARES_OF_COST=shares, MAX_SHARE_OF_NEXT=1.0))
        settings = {"FIRST_SHARE": 0.0, "SUBSET_CUTOFF": np.inf}
        stack.enter_context(patch.multiple(diagram_proof, **settings))
        stack.enter_context(patch.object(RowSubset, "bound", bound))
        on_all = patch.object(diagram_proof.DiagramProof, "_solve_on_all_rows", return_value=False)
        n_on_all = stack.enter_context(on_all)
        prove(problem)
    assert len(calls) >= 2 and calls[0] is not calls[1]
    assert n_on_all.call_count >= 1


def test_where_all_rows_are_needed_there_is_no_subset():
    X = np.random.default_rng(0).random((120, 3))
    codes = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (X[:, 2] > 0.5)
    problem = build_problem(
        TrainingData.collect(X, codes.astype(int), 2), Skeleton.parse("1-2"), 0.1, "univariate"
    )
    subsets = RowSubsets(problem, WeightedItems.from_problem(problem), 2, 0, np.argsort(X[:, 0]))
    assert subsets.select(30.0, Budget.of(60.0)) == []


def test_diagrams_refuted_on_row_subsets_alone_end_at_the_optimum():
    """Relaxations prove nothing on subsets: layer widths are searched on them, then on all rows."""
    refuted = []
    with ExitStack() as stack:
        stack.enter_context(patch.object(row_subsets, "SHARES_OF_COST", ((np.inf, 0.01), (np.inf, 0.6))))
        stack.enter_context(patch.object(row_subsets, "MAX_ROW_SHARE", 0.9))
        stack.enter_context(patch.object(row_subsets, "MAX_SHARE_OF_NEXT", 1.0))
        settings = {"FIRST_SHARE": 0.0, "SUBSET_CUTOFF": np.inf, "MIN_ROWS": 1, "SEARCH_SHARES": (0.5, 1.0)}
        stack.enter_context(patch.multiple(diagram_proof, **settings, rank_rows_by_difficulty=shuffled))
        stack.enter_context(patch.object(diagram_proof.DiagramProof, "_try_trees", lambda self: None))
        stack.enter_context(patch.object(RowSubset, "bound", lambda *given: 0.0))
        stack.enter_context(patch.object(RowSubset, "refutes", watched(RowSubset.refutes, refuted)))
        for seed in range(6):
            check_proof(drawn_problem(seed + 9000, 6, "1-2-2-1", (0.0, 0.05, 0.3)[seed % 3]))
            check_proof(checkered_problem(seed, "1-2-2", 0.1))
    assert any(refuted) and not all(refuted)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5])
def test_node_counts_whose_layer_widths_are_too_many_are_not_bounded(most):
    """A node count is listed completely or not at all: what is proved of it holds for all its diagrams."""
    n_bounded = 0
    for seed in range(6):
        problem = checkered_problem(seed, "1-2-2", 0.1)
        with patch.object(diagram_proof, "MAX_LAYER_WIDTHS", most):
            proof = prove(problem)
        assert (proof.bounds.cost <= least_costs(problem) + noise_of(problem)).all()
        n_bounded += int((proof.bounds.cost[1:] > 0).sum())
    assert most < 3 or n_bounded
