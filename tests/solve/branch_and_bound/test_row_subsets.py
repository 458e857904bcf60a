"""What is refuted on some of the rows is refuted on all of them, and nothing else is."""

from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import pose
from oddlearn.solve.branch_and_bound import diagram_proof, row_subsets
from oddlearn.solve.branch_and_bound.kernel_runner import Workshop, levels_of
from oddlearn.solve.branch_and_bound.row_subsets import Core, Cores
from oddlearn.solve.branch_and_bound.weighted_items import Items
from oddlearn.solve.budget import Budget
from tests.solve.branch_and_bound.drawn import checkered_problem, drawn_problem, noise_of, part_of, varies
from tests.solve.branch_and_bound.oracle import best_tree_cost, least_at_most
from tests.solve.branch_and_bound.test_branch_and_bound import check_proof

SHAPES = [(1,), (1, 1), (1, 2), (1, 1, 1), (1, 2, 1), (1, 2, 2), (1, 1, 2)]
SHAPES += [(1, 2, 1, 1), (1, 1, 2, 1), (1, 2, 2, 1)]
PATTERNS = [(1,), (2,), (1, 1), (2, 1), (1, 2), (2, 2), (1, 1, 1), (1, 2, 1), (2, 1, 1), (1, 1, 2), (2, 1, 2)]


def draws(number, most_rows=7):
    """Yield problems, some of their rows, the core of these, and their problem."""
    for seed in range(number):
        random = np.random.default_rng(seed)
        problem = drawn_problem(seed + 40_000, most_rows) if seed % 3 else checkered_problem(seed)
        if not varies(problem):
            continue
        is_kept = random.random(problem.data.n_rows) < 0.7
        is_kept[random.integers(is_kept.size)] = True
        made = Workshop(problem, 4, seed, Items.of(problem).kept(is_kept), 8)
        yield problem, Core(made), part_of(problem, np.flatnonzero(is_kept)), made.items.step


def own(problem, cost, step):
    """What a cost is above the least that the rows cost in any case, in steps."""
    return (cost - problem.cost.min(axis=1).sum()) / step


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_trees_on_the_core_cost_what_the_rows_cost_and_no_more_than_all(pattern):
    for problem, some, part, step in draws(40):
        cost = own(part, best_tree_cost(part, *levels_of(pattern)), step)
        noise = noise_of(problem) / step
        assert some.bound(pattern, np.inf, Budget.of(60.0)) == pytest.approx(cost, abs=noise)
        assert cost <= own(problem, best_tree_cost(problem, *levels_of(pattern)), step) + noise


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_shape_is_refuted_up_to_what_its_diagrams_cost_on_the_core(shape):
    for problem, some, part, step in draws(25, 6):
        cost, noise = own(part, least_at_most(part, shape), step), noise_of(problem) / step
        assert cost <= own(problem, least_at_most(problem, shape), step) + noise
        assert some.refutes(shape, cost - 10 * noise, Budget.of(60.0))
        assert not some.refutes(shape, cost + 0.4, Budget.of(60.0))
        assert some.refutes(shape, cost - 0.4, Budget.of(60.0))


def test_nodes_that_only_rows_outside_of_the_core_need_do_not_refute_a_shape():
    """One row needs no node: the kernel finds no diagram with two, but the best one costs nothing."""
    problem = on_a_line([0, 1, 2, 3], [0, 0, 1, 0])
    made = Workshop(problem, 2, 0, Items.of(problem).kept(np.arange(4) == 0), 8)
    assert made.search((1, 1), 1.0, Budget.of(60.0)) is None and made.is_done
    assert least_at_most(problem, (1, 1)) == 0
    assert not Core(made).refutes((1, 1), 1.0, Budget.of(60.0))


def on_a_line(values, codes):
    data = TrainingData.collect(np.array(values, dtype=float)[:, None] / 5, np.array(codes), 2)
    return pose(data, Skeleton.parse("1"), 0.1, "univariate")


def test_what_a_core_cannot_refute_is_not_tried_again():
    problem = on_a_line([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1])
    made = Workshop(problem, 3, 0)
    some = Core(made)
    assert some.bound((1,), 5.0, Budget.of(60.0)) < 5.0
    assert not some.refutes((1, 1), 3.0, Budget.of(60.0))
    with patch.multiple(made, bound=None, search=None):
        assert some.bound((2, 1), 5.0, Budget.of(60.0)) == 0.0
        assert not some.refutes((1, 2), 3.0, Budget.of(60.0))


class Stopped:
    """A workshop whose time is always up."""

    is_done = False

    def bound(self, *_):
        return 9.0, True

    def search(self, *_):
        return None


def test_what_was_cut_short_refutes_nothing():
    assert Core(Stopped()).bound((2, 2), 5.0, Budget.of(1.0)) == 0.0
    assert not Core(Stopped()).refutes((1,), 5.0, Budget.of(1.0))


@pytest.mark.parametrize(("skeleton", "most_rows"), [("1-2-2", 6), ("1-2-1-1", 6), ("1-2-2-1", 6)])
def test_a_proof_by_way_of_cores_ends_at_the_optimum(skeleton, most_rows):
    """Whatever the rows are: the order is random, cores are small, and all is tried on them first."""
    refuted = []
    with ExitStack() as stack:
        for name, value in {"KEPT": 0.6, "KEPT_FOR_LITTLE": 0.01, "MUCH_SMALLER": 1.0}.items():
            stack.enter_context(patch.object(row_subsets, name, value))
        stack.enter_context(
            patch.multiple(
                diagram_proof, FIRST_SHARE=0.0, CORE_CUTOFF=np.inf, LEAST_ROWS=1, hardest_first=shuffled
            )
        )
        first = impatient(diagram_proof.DiagramProof._is_bounded)
        stack.enter_context(patch.object(diagram_proof.DiagramProof, "_is_bounded", first))
        stack.enter_context(patch.object(Core, "bound", watched(Core.bound, refuted)))
        stack.enter_context(patch.object(Core, "refutes", watched(Core.refutes, refuted)))
        for seed in range(40):
            problem = drawn_problem(seed + 9000, most_rows, skeleton, (0.0, 0.05, 0.3)[seed % 3])
            check_proof(problem)
        for seed in range(15):
            check_proof(checkered_problem(seed, skeleton, 0.1))
    assert sum(refuted) > 5


def impatient(method):
    """Small problems are bounded before the clock is looked at: without time, say that there was none."""

    def call(self, pattern, cutoff, budget):
        return budget.remaining() > 0 and method(self, pattern, cutoff, budget)

    return call


def shuffled(X, gain, seed, budget):
    return np.random.default_rng(len(X)).permutation(len(X))


def watched(method, results):
    def call(self, what, cutoff, budget):
        result = method(self, what, cutoff, budget)
        results.append(result is True or result >= cutoff > 0)
        return result

    return call


def test_little_is_proved_on_a_small_core_and_more_on_a_larger_one():
    """One row in ten has the wrong class: these, and as many others to be wrong about, are all that costs."""
    X = np.random.default_rng(0).random((400, 2))
    codes = (X[:, 0] > 0.5) ^ (np.arange(400) % 10 == 0)
    problem = pose(TrainingData.collect(X, codes.astype(int), 2), Skeleton.parse("1-2-4"), 0.1, "univariate")
    is_wrong = (problem.data.X[:, 0] > 0.5) ^ (problem.cost[:, 0] > 0)
    others = np.random.default_rng(1).random(400)
    order = np.argsort(np.where(is_wrong, others / 4, others), kind="stable")
    with patch.object(row_subsets, "MUCH_SMALLER", 1.0):
        cores = Cores(problem, Items.of(problem), 3, 0, order)
        small, large = (cores.for_cutoff(cutoff, Budget.of(60.0)) for cutoff in (1.0, 20.0))
    assert small._workshop.items.row.size < large._workshop.items.row.size <= 280
    assert large.bound((2,), 20.0, Budget.of(60.0)) >= 20.0
    assert cores.for_cutoff(1.0, Budget.of(0.0)) is small


def test_where_all_rows_are_needed_there_is_no_core():
    X = np.random.default_rng(0).random((120, 3))
    codes = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (X[:, 2] > 0.5)
    problem = pose(TrainingData.collect(X, codes.astype(int), 2), Skeleton.parse("1-2"), 0.1, "univariate")
    cores = Cores(problem, Items.of(problem), 2, 0, np.argsort(X[:, 0]))
    assert cores.for_cutoff(30.0, Budget.of(60.0)) is None
