"""The turns of the two proofs of trees: by level alone where levels are few, then both, with more work."""

from types import SimpleNamespace

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


def run(depth, budget, is_price_finished=False):
    return run_on(Skeleton.tree(depth), budget, is_price_finished)


def run_on(skeleton, budget, is_price_finished=False):
    proofs = Turns(skeleton)

    def prove(progress, part):
        proofs.spend("price", part, part.remaining_work())

    proofs._by_price = SimpleNamespace(is_finished=is_price_finished, run=prove, obstacle="", n_evaluated=3)
    text = proofs.run(SimpleNamespace(unresolved_node_counts=(1,)), budget)
    return proofs.turns, text


def test_deep_trees_have_most_of_the_work_by_price_and_twice_as_much_each_time():
    turns, text = run(5, Budget.of(None))
    shares = (("price", 0.8), ("level", 0.2))
    assert turns == [(kind, share * 0.04 * 2**k) for k in range(5) for kind, share in shares]
    assert text == "branch and bound over trees"


def test_few_levels_begin_alone_and_then_have_half_of_the_work():
    turns, _ = run(4, Budget.of(None))
    assert turns[0] == ("level", 0.3)
    assert turns[1:5] == [("price", 0.02), ("level", 0.02), ("price", 0.04), ("level", 0.04)]


def test_limited_work_is_divided_between_both():
    turns, text = run(5, Budget.of(None).limit_work(1.0))
    assert turns == [("price", 0.8), ("level", pytest.approx(0.2))]
    assert text == "branch and bound over trees, not finished"


def test_a_proof_by_price_that_has_ended_leaves_all_to_the_other():
    turns, _ = run(5, Budget.of(None).limit_work(1.0), is_price_finished=True)
    assert turns == [("level", 1.0)]


@pytest.mark.parametrize(
    ("n_nodes", "first"), [(1, "level"), (2, "level"), (3, "price"), (4, "price"), (9, "price")]
)
def test_trees_of_three_nodes_or_more_that_only_the_price_limits_begin_by_price(n_nodes, first):
    turns, _ = run_on(Skeleton.tree_of_nodes(n_nodes), Budget.of(None))
    assert turns[0] == (first, 0.3 if first == "level" else 0.032)
