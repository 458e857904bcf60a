"""Diagrams of solutions, given as the set of literals that hold."""

from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.solve.cpsat.decode import decode

X = np.array([[0.0, 5.0], [1.0, 6.0], [2.0, 7.0]])


def make_flows(n_classes, widths=(1, 1)):
    """Return literals that are their own names, of a chain of slots."""
    data = TrainingData.collect(X, np.arange(3) % n_classes, n_classes)
    skeleton = Skeleton(widths)
    n_slots = skeleton.n_nodes
    targets = {
        slot: [*range(slot + 1, n_slots), *range(n_slots, n_slots + n_classes)] for slot in range(n_slots)
    }
    arcs = {
        (slot, side): {target: f"{slot}{'-+'[side]}{target}" for target in targets[slot]}
        for slot in range(n_slots)
        for side in (0, 1)
    }
    splits = [
        [
            SimpleNamespace(
                chosen=f"{slot} splits {feature}",
                below=[f"{slot} splits {feature}", f"{slot} above 1", "never"],
                feature=SimpleNamespace(index=feature, values=X[:, feature]),
            )
            for feature in range(2)
        ]
        for slot in range(n_slots)
    ]
    graph = SimpleNamespace(used=[f"used {slot}" for slot in range(n_slots)], arcs=arcs)
    context = SimpleNamespace(problem=SimpleNamespace(data=data), skeleton=skeleton)
    passes = [f"{slot} passes" for slot in range(n_slots)]
    return SimpleNamespace(context=context, graph=graph, passes=passes, splits=splits)


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_root_that_passes_all_rows_to_a_class_is_a_constant(code):
    diagram = decode(make_flows(3), {"used 0", "0 passes", f"0+{2 + code}", "0-2"}.__contains__)
    assert (diagram.n_nodes, diagram.constant_class) == (0, code)
    assert (diagram.n_classes, diagram.n_features) == (3, 2)


def test_with_one_class_the_root_is_a_constant_whatever_it_asks():
    diagram = decode(make_flows(1), {"used 0", "0 splits 1", "0+2", "0-2"}.__contains__)
    assert (diagram.n_nodes, diagram.constant_class, diagram.n_classes) == (0, 0, 1)


@pytest.mark.parametrize(
    ("feature", "extra", "threshold"), [(0, (), 1.0), (1, (), 6.0), (1, ("0 above 1",), 7.0)]
)
def test_a_split_is_at_the_first_value_that_is_not_below(feature, extra, threshold):
    held = {"used 0", f"0 splits {feature}", "0-2", "0+3", *extra}
    diagram = decode(make_flows(2), held.__contains__)
    assert (diagram.n_nodes, diagram.splits[0].feature, diagram.splits[0].threshold) == (
        1,
        feature,
        threshold,
    )
    assert diagram.predict(X).tolist() == (X[:, feature] >= threshold).astype(int).tolist()


def test_a_root_that_passes_all_rows_to_a_node_stays():
    held = {"used 0", "used 1", "0 passes", "0+1", "0-2", "1 splits 0", "1-2", "1+3"}
    diagram = decode(make_flows(2), held.__contains__)
    assert diagram.n_nodes == 2
    assert diagram.predict(X).tolist() == [0, 1, 1]
