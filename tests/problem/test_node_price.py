"""The price of a node, given as it is or through alpha."""

import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem, price_per_node
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.state import SolveState
from tests.oracles.brute_force import optimal_objective
from tests.oracles.tiny import tiny_problem

SKELETON = Skeleton.parse("1-2-4-4-4")


def test_alpha_is_the_price_of_all_nodes_but_the_root():
    assert price_per_node(SKELETON, 0.1, None) == 0.1 / 14
    assert price_per_node(Skeleton.parse("1"), 0.1, None) == 0.0


@pytest.mark.parametrize("skeleton", ["1", "1-2", "1-2-4-4-4"])
def test_a_node_price_means_the_same_on_every_skeleton(skeleton):
    assert price_per_node(Skeleton.parse(skeleton), None, 0.005) == 0.005


@pytest.mark.parametrize(
    ("alpha", "node_price", "said"),
    [
        (0.1, 0.005, "alpha is 0.1 and node_price is 0.005: give one of the two"),
        (None, None, "Neither alpha nor node_price is given"),
        (None, -0.1, "node_price is -0.1: give a finite number of 0 or more"),
        (None, float("inf"), "node_price is inf"),
        (None, float("nan"), "node_price is nan"),
        (None, "cheap", "node_price is 'cheap'"),
        (None, True, "node_price is True"),
        (None, 1e300, "at most"),
        (-1.0, None, "alpha is -1.0"),
        (float("nan"), None, "alpha is nan"),
    ],
)
def test_bad_prices_are_refused(alpha, node_price, said):
    with pytest.raises(InvalidInputError, match=said):
        price_per_node(SKELETON, alpha, node_price)


def priced(problem, **penalty):
    shape = (problem.data, problem.skeleton, penalty.get("alpha"), problem.split)
    return build_problem(*shape, node_price=penalty.get("node_price"))


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_both_ways_give_one_problem_and_the_optimum_of_brute_force(seed):
    tiny = tiny_problem(seed)
    by_alpha = priced(tiny, alpha=0.3)
    by_price = priced(tiny, node_price=by_alpha.node_price)
    assert by_alpha.digest == by_price.digest
    state = BranchAndBound().run(SolveState.initial(by_price), Budget.of(10.0), lambda event: None)
    best = optimal_objective(by_price)
    assert evaluate(by_price, state.diagram).objective == pytest.approx(best)
    assert best == pytest.approx(optimal_objective(by_alpha))


def test_another_price_is_another_problem():
    tiny = tiny_problem(2)
    assert priced(tiny, node_price=0.1).digest != priced(tiny, node_price=0.2).digest
