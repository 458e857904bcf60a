import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from tests.oracles.brute_force import largest_gap, largest_gap_by_program, optimal_objective

# x:   0   1   2   3
#      a   b   a   b        three cuts, or one cut and one error
ALTERNATING = np.array([[0.0], [1 / 3], [2 / 3], [1.0]])


def posed(X, codes, skeleton, alpha, split="univariate", tree=False):
    data = TrainingData.collect(X, np.array(codes), max(codes) + 1)
    return build_problem(data, Skeleton(Skeleton.parse(skeleton).widths, tree), alpha, split)


@pytest.mark.parametrize(("skeleton", "expected"), [("1", 0.25), ("1-1", 0.25), ("1-2", 0.0)])
def test_an_alternating_line_needs_three_nodes(skeleton, expected):
    assert optimal_objective(posed(ALTERNATING, [0, 1, 0, 1], skeleton, 0.0)) == pytest.approx(expected)


def test_a_high_price_leaves_one_node():
    assert optimal_objective(posed(ALTERNATING, [0, 1, 0, 1], "1-2", 10.0)) == pytest.approx(0.25)


def test_one_hyperplane_does_not_solve_the_checkerboard():
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    assert optimal_objective(posed(corners, [0, 1, 1, 0], "1", 0.0, "multivariate")) == pytest.approx(0.25)
    assert optimal_objective(posed(corners, [0, 1, 1, 0], "1-1", 0.1, "multivariate")) == pytest.approx(0.1)


def test_merging_helps_where_trees_must_repeat_a_node():
    # parity of three bits: the diagram keeps the parity so far in two nodes a layer, 5 nodes in all
    bits = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)])
    parity = bits.sum(axis=1).astype(int) % 2
    assert optimal_objective(posed(bits, parity, "1-2-2", 0.1)) == pytest.approx(0.1)
    # a tree of four nodes solves one half, the other half gets one class: 2 of 8 wrong
    assert optimal_objective(posed(bits, parity, "1-2-2", 0.1, tree=True)) == pytest.approx(0.25 + 0.075)


def test_the_gap_of_two_corners_is_their_chebyshev_distance():
    assert largest_gap(np.array([[1.0, 0.7]]), np.array([[0.0, 0.0]])) == pytest.approx(1.0)


@pytest.mark.parametrize("d", [1, 2])
def test_the_gap_by_directions_is_that_of_the_linear_program(d):
    random = np.random.default_rng(d)
    gaps = []
    for _ in range(120):
        n, n_others = random.integers(1, 5, 2)
        # on a grid, where rows tie and coincide, and off it; some apart, some not
        rows = random.integers(0, 4, (n, d)) / 3 + random.choice([0.0, 0.0012], (n, d))
        others = random.random((n_others, d)) - random.choice([0.0, 0.7])
        others = others if random.random() < 0.5 else np.round(3 * others) / 3
        gaps.append(largest_gap(rows, others))
        assert gaps[-1] == pytest.approx(largest_gap_by_program(rows, others), abs=1e-9)
    assert min(gaps) == 0 < max(gaps)
