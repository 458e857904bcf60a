"""Diagrams from what the kernels found, drawn by hand."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.decode import decode_diagram, layers_from_tree
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems


def build(X, codes, skeleton="1-2-2"):
    data = TrainingData.collect(np.array(X, dtype=float), np.array(codes), max(codes) + 1)
    return build_problem(data, Skeleton.parse(skeleton), 0.1, "univariate")


BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]


def test_nodes_that_share_children_give_a_diagram_that_merges():
    """Parity of three bits: two nodes a layer keep the parity so far."""
    problem = build(BITS, [sum(bits) % 2 for bits in BITS])
    layers = [[(0, 0, 0, 1)], [(1, 0, 0, 1), (1, 0, 1, 0)], [(2, 0, -1, -1), (2, 0, -1, -1)]]
    diagram = decode_diagram(problem, WeightedItems.from_problem(problem), layers)
    assert (diagram.n_nodes, diagram.is_tree) == (5, False)
    assert evaluate(problem, diagram).cost == 0
    assert {split.threshold for split in diagram.splits} == {0.5}


def test_a_node_without_a_split_becomes_a_leaf_of_its_cheapest_class():
    problem = build([[0.0], [0.5], [1.0]], [0, 1, 1], "1-2")
    diagram = decode_diagram(
        problem, WeightedItems.from_problem(problem), [[(0, 0, 0, 1)], [(-1, 0, -1, -1), (-1, 0, -1, -1)]]
    )
    assert diagram.n_nodes == 1
    assert evaluate(problem, diagram).cost == 0
    assert diagram.splits[0].threshold == 0.25


def test_a_root_without_a_split_gives_the_constant():
    problem = build([[0.0], [0.5], [1.0]], [0, 1, 1], "1-2")
    diagram = decode_diagram(problem, WeightedItems.from_problem(problem), [[(-1, 0, -1, -1)]])
    assert (diagram.n_nodes, diagram.constant_class) == (0, 1)


def test_a_node_with_the_same_class_on_both_sides_collapses():
    problem = build([[0.0], [0.3], [0.6], [1.0]], [0, 1, 1, 1], "1-1")
    diagram = decode_diagram(
        problem, WeightedItems.from_problem(problem), [[(0, 0, -1, 0)], [(0, 2, -1, -1)]]
    )
    assert diagram.n_nodes == 1
    assert evaluate(problem, diagram).cost == 0


def test_collapse_continues_up_to_the_root():
    problem = build([[0.0], [0.3], [0.6], [1.0]], [1, 1, 1, 1], "1-1")
    diagram = decode_diagram(
        problem, WeightedItems.from_problem(problem), [[(0, 0, -1, 0)], [(0, 2, -1, -1)]]
    )
    assert diagram.n_nodes == 0


def test_features_that_do_not_vary_keep_their_place():
    problem = build([[7.0, 0.0], [7.0, 1.0]], [0, 1], "1")
    diagram = decode_diagram(problem, WeightedItems.from_problem(problem), [[(0, 0, -1, -1)]])
    assert diagram.splits[0].feature == 1


def test_thresholds_lie_in_the_middle_of_what_arrives():
    """The row at 0.4 goes elsewhere: the gap of the second node is wider than that of all rows."""
    problem = build([[0.0, 0.0], [0.4, 1.0], [0.6, 0.0]], [0, 1, 1], "1-1")
    diagram = decode_diagram(
        problem, WeightedItems.from_problem(problem), [[(1, 0, 0, -1)], [(0, 0, -1, -1)]]
    )
    assert diagram.splits[1].threshold == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("tree", "layers"),
    [
        ([None], [[(-1, 0, -1, -1)]]),
        ([(3, 1)], [[(3, 1, -1, -1)]]),
        ([(0, 5), None, (1, 2)], [[(0, 5, -1, 0)], [(1, 2, -1, -1)]]),
        ([(0, 5), (2, 7), (1, 2)], [[(0, 5, 0, 1)], [(2, 7, -1, -1), (1, 2, -1, -1)]]),
        (
            [(0, 5), None, (1, 2), None, None, (4, 0), (5, 1)],
            [[(0, 5, -1, 0)], [(1, 2, 0, 1)], [(4, 0, -1, -1), (5, 1, -1, -1)]],
        ),
    ],
    ids=["leaf", "stump", "one child", "two children", "grandchildren"],
)
def test_the_heap_order_of_a_tree_is_read_layer_by_layer(tree, layers):
    assert layers_from_tree(tree) == layers
