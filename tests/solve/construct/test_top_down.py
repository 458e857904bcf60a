"""Splits by information gain and merging, against slow obvious twins."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.kernels.local_search.flow_entropy import flow_totals
from oddlearn.problem import TrainingData
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.construct.top_down import (
    Flows,
    construct,
    entropy_mass,
    find_best_splits,
    merge_flows,
    merge_losses,
)


def slow_mass(weight):
    total = weight.sum()
    return -sum(w * np.log2(w / total) for w in weight if w > 0)


def slow_best_mass(problem, rows, features):
    """Return the least mass a split of these rows leaves, inf without a split."""
    best = np.inf
    weight = problem.data.class_weight
    for feature in features:
        values = problem.data.X[rows, feature]
        for low, high in pairwise(np.unique(values)):
            if high - low >= problem.margin - MARGIN_TOLERANCE:
                below, above = weight[rows[values <= low]].sum(axis=0), weight[rows[values > low]].sum(axis=0)
                best = min(best, slow_mass(below) + slow_mass(above))
    return best


def random_problem(random, n=30, d=4, n_classes=3, skeleton="1-2-4"):
    X = random.integers(0, 8, (n, d)) / 7.0 + random.choice([0.0, 0.0004, 0.0012], (n, d))
    data = TrainingData.collect(X, random.integers(0, n_classes, n), n_classes, random.random(n) + 0.1)
    return build_problem(data, Skeleton.parse(skeleton), 0.1, "univariate", 1e-3)


def test_totals_are_those_of_the_rows_of_each_flow():
    random = np.random.default_rng(0)
    of_row, table = random.integers(-1, 3, 40).astype(np.int32), random.random((40, 2))
    total = np.zeros((3, 2))
    flow_totals(of_row, table, total)
    assert total == pytest.approx(np.array([table[of_row == flow].sum(axis=0) for flow in range(3)]))


@pytest.mark.parametrize("seed", range(30))
def test_the_best_split_of_every_flow_leaves_the_least_entropy(seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random)
    of_row = random.integers(-1, 3, problem.data.n_rows).astype(np.int32)
    weight = np.array([problem.data.class_weight[of_row == flow].sum(axis=0) for flow in range(3)])
    flows = Flows(of_row, weight, ((0,), (1,), (2,)))
    allowed = random.random((3, 4)) < 0.6
    splits = find_best_splits(problem, flows, allowed, lambda: False)
    for flow in range(3):
        rows = np.flatnonzero(of_row == flow)
        expected = slow_best_mass(problem, rows, np.flatnonzero(allowed[flow]))
        assert entropy_mass(weight[flow]) - splits.gain[flow] == pytest.approx(expected)
        if np.isfinite(expected):
            below = problem.data.X[rows, splits.feature[flow]] < splits.threshold[flow]
            parts = [problem.data.class_weight[rows[part]].sum(axis=0) for part in (below, ~below)]
            assert allowed[flow, splits.feature[flow]]
            assert sum(map(slow_mass, parts)) == pytest.approx(expected)
        else:
            assert splits.feature[flow] == -1


@pytest.mark.parametrize("seed", range(20))
def test_merging_picks_the_pair_of_least_loss(seed):
    random = np.random.default_rng(seed)
    weight = random.integers(0, 9, (6, 3)).astype(float)
    flows = Flows(np.arange(6, dtype=np.int32), weight, ((0,), (1,), (2,), (3,), (4,), (5,)))
    together = merge_flows(flows, 5)
    pairs = [pair for pair in combinations(range(6), 2) if pair[0] // 2 != pair[1] // 2]
    mass = [slow_mass(line) for line in weight]
    losses = {(i, j): slow_mass(weight[i] + weight[j]) - mass[i] - mass[j] for i, j in pairs}
    joined = next(arcs for arcs in together.arcs if len(arcs) == 2)
    assert losses[joined] == pytest.approx(min(losses.values()))
    np.testing.assert_allclose(merge_losses(flows)[joined], losses[joined], atol=1e-12)


def test_merging_keeps_rows_weights_and_arcs_together():
    random = np.random.default_rng(3)
    of_row = random.integers(-1, 8, 200).astype(np.int32)
    table = random.random((200, 3))
    weight = np.array([table[of_row == flow].sum(axis=0) for flow in range(8)])
    together = merge_flows(Flows(of_row, weight, tuple((arc,) for arc in range(8))), 3)
    assert len(together) == 3
    for flow, arcs in enumerate(together.arcs):
        np.testing.assert_array_equal(together.of_row == flow, np.isin(of_row, arcs))
        np.testing.assert_allclose(together.weight[flow], table[np.isin(of_row, arcs)].sum(axis=0))


def test_both_arcs_of_a_node_are_never_merged():
    flows = Flows(np.arange(2, dtype=np.int32), np.ones((2, 2)), ((0,), (1,)))
    assert len(merge_flows(flows, 1)) == 2


def draft_of(problem, share=1.0):
    return construct(problem, share, np.random.default_rng(0), lambda: False)


def test_a_pure_flow_goes_to_its_terminal_at_once():
    # x:  0  1  2  3        a | a b a   the first cut of most gain leaves a pure side
    #     b  a  a  a
    data = TrainingData.collect(np.arange(4.0)[:, None] / 3, np.array([1, 0, 0, 0]), 2)
    draft = draft_of(build_problem(data, Skeleton.parse("1-2-4"), 0.1, "univariate"))
    assert draft.splits == [UnivariateSplit(0, 1 / 6)]
    assert draft.target == [~1, ~0]


def gain_of(draft, node):
    """Information gain of a node, from the error costs of its arcs: cost[c] is the weight of all but c."""
    arcs = [draft.arc_cost[2 * node + side] for side in (0, 1)]
    below, above = (cost.sum() / (cost.size - 1) - cost for cost in arcs)
    return slow_mass(below + above) - slow_mass(below) - slow_mass(above)


def test_a_tree_sends_the_flows_that_gain_least_to_terminals():
    data = random_problem(np.random.default_rng(2), n=400).data
    whole = draft_of(build_problem(data, Skeleton.tree(3), 0.1, "univariate", 1e-3))
    narrow = draft_of(build_problem(data, Skeleton((1, 2, 2), tree_only=True), 0.1, "univariate", 1e-3))
    assert whole.layer == [0, 1, 1, 2, 2, 2, 2]
    best = sorted(range(3, 7), key=lambda node: -gain_of(whole, node))[:2]
    assert narrow.splits[3:] == [whole.splits[node] for node in sorted(best)]
    assert narrow.build().is_tree


def test_terminals_are_chosen_by_cost_not_by_majority():
    # three a and one b in one place: giving b to the a's is cheaper than missing the b
    data = TrainingData.collect(np.zeros((4, 1)), np.array([0, 0, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate", cost_matrix=[[0, 1], [9, 0]])
    assert draft_of(problem).build().constant_class == 1
