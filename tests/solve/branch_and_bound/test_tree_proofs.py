"""The turns of the two proofs of trees: the one that is likely to end first alone, then both."""

from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.solve.branch_and_bound.tree_proofs import TreeProofs
from oddlearn.solve.budget import Budget


class Turns(TreeProofs):
    """Proofs that use up the work they get, and end at the tenth turn."""

    def __init__(self, skeleton, total=10):
        super().__init__(SimpleNamespace(skeleton=skeleton), 0)
        self.turns, self.total = [], total

    def spend(self, kind, budget, limit):
        self.turns.append((kind, pytest.approx(min(limit, 99.0))))
        budget.spend(limit if limit < 99 else 0.0)

    def _prove_by_level(self, progress, budget):
        self.spend("level", budget, budget.remaining_work())
        return len(self.turns) >= self.total


def run(depth, budget, is_price_finished=False, **problem):
    return run_on(Skeleton.tree(depth), budget, is_price_finished, **problem)


def run_on(skeleton, budget, is_price_finished=False, n_paying=1.0, n_thresholds=1000, node_price=0.01):
    """Run the proofs of a table of 100 x 50 where so many nodes could pay."""
    proofs = Turns(skeleton)
    data = SimpleNamespace(X=np.empty((100, 50)), spans=np.array([n_thresholds]))
    problem = SimpleNamespace(skeleton=skeleton, data=data, node_price=node_price)
    progress = SimpleNamespace(
        unresolved_node_counts=(1,), problem=problem, objective_to_beat=n_paying * 0.01, lower_bound=0.0
    )

    def prove(progress, part):
        proofs.spend("price", part, part.remaining_work())

    proofs._by_price = SimpleNamespace(is_finished=is_price_finished, run=prove, obstacle="", n_evaluated=3)
    text = proofs.run(progress, budget)
    return proofs.turns, text


def test_deep_trees_have_most_of_the_work_by_price_and_twice_as_much_each_time():
    turns, text = run(5, Budget.of(None))
    shares = (("price", 0.8), ("level", 0.2))
    assert turns[0] == ("price", 0.03)
    assert turns[1:] == [(kind, share * 0.04 * 2**k) for k in range(5) for kind, share in shares]
    assert text == "branch and bound over trees"


def test_few_levels_begin_alone_and_then_have_half_of_the_work():
    turns, _ = run(4, Budget.of(None), n_paying=10)
    assert turns[0] == ("level", 0.3)
    assert turns[1:5] == [("price", 0.02), ("level", 0.02), ("price", 0.04), ("level", 0.04)]


def test_limited_work_is_divided_between_both():
    turns, text = run(5, Budget.of(None).limit_work(1.0))
    left = 1.0 - 0.03
    assert turns == [("price", 0.03), ("price", 0.8 * left), ("level", 0.2 * left)]
    assert text == "branch and bound over trees, not finished"


def test_a_proof_by_price_that_has_ended_leaves_all_to_the_other():
    turns, _ = run(5, Budget.of(None).limit_work(1.0), is_price_finished=True)
    assert turns == [("level", 1.0)]


@pytest.mark.parametrize(
    ("n_nodes", "first"), [(1, "level"), (2, "level"), (3, "price"), (4, "price"), (9, "price")]
)
def test_trees_of_three_nodes_or_more_that_only_the_price_limits_begin_by_price(n_nodes, first):
    turns, _ = run_on(Skeleton.tree_of_nodes(n_nodes), Budget.of(None))
    assert turns[0] == (first, 0.3 if first == "level" else 0.03)


@pytest.mark.parametrize(
    ("depth", "n_paying", "n_thresholds", "first"),
    [
        (2, 0.1, 50, "level"),
        (3, 0.5, 50, "price"),
        (3, 0.6, 50, "level"),
        (4, 2.0, 1000, "price"),
        (4, 2.1, 1000, "level"),
        (4, 16.0, 50, "price"),  # columns of few values
        (4, 17.0, 50, "level"),
        (5, 32.0, 1000, "price"),
        (5, 33.0, 50, "level"),
    ],
)
def test_the_proof_by_level_comes_first_where_more_nodes_could_pay_than_the_depth_holds(
    depth, n_paying, n_thresholds, first
):
    turns, _ = run(depth, Budget.of(None), n_paying=n_paying, n_thresholds=n_thresholds)
    assert turns[0][0] == first


def test_trees_without_a_price_begin_by_level():
    turns, _ = run(6, Budget.of(None), node_price=0.0)
    assert turns[0] == ("level", 0.3)
