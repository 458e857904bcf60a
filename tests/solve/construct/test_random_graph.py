"""Random graphs fit the skeleton they are drawn for."""

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.solve.construct.random_graph import TERMINAL, Graph, draw_graph

SKELETONS = [
    *("1", "1-1-1-1", "1-2-4-8", "1-2-4-4-4", "1-2-2-2-2-2-2-2"),
    *("1-2-1-2", Skeleton.tree(4), Skeleton.tree(2)),
]


@pytest.mark.parametrize("given", SKELETONS, ids=str)
def test_graphs_have_the_nodes_asked_for_in_layers_that_fit(given):
    skeleton, random = Skeleton.parse(given), np.random.default_rng(0)
    for n_nodes in range(1, skeleton.n_nodes + 1):
        for _ in range(20):
            graph = draw_graph(skeleton, n_nodes, random)
            assert graph.n_nodes == n_nodes
            sizes = np.bincount(graph.layers, minlength=skeleton.depth)
            assert (sizes <= skeleton.widths).all()
            into = np.zeros(n_nodes, dtype=int)
            for node, targets in enumerate(graph.targets):
                for target in targets:
                    if target != TERMINAL:
                        assert graph.layers[target] == graph.layers[node] + 1
                        into[target] += 1
                assert targets[0] != targets[1] or targets[0] == TERMINAL
            assert (into[1:] >= 1).all()
            assert not skeleton.tree_only or (into <= 1).all()


def test_more_nodes_than_the_skeleton_has_are_not_drawn():
    assert draw_graph(Skeleton.parse("1-2"), 7, np.random.default_rng(0)).n_nodes == 3


def test_every_graph_of_three_nodes_is_drawn():
    random = np.random.default_rng(0)
    drawn = {draw_graph(Skeleton.parse("1-2-1"), 3, random).layers for _ in range(50)}
    assert drawn == {(0, 1, 1), (0, 1, 2)}


def test_the_graph_of_a_diagram_has_its_arcs():
    splits = (UnivariateSplit(0, 0.5), UnivariateSplit(1, 0.5))
    diagram = DecisionDiagram(splits, np.array([1, 2]), np.array([3, 3]), np.array([0, 1]), 2, 2)
    assert Graph.of(diagram) == Graph(((1, TERMINAL), (TERMINAL, TERMINAL)), (0, 1))
