import numpy as np

from oddlearn.diagram import DecisionDiagram, Notes
from oddlearn.export import to_text
from tests.diagram.drawings import crossed

WEIGHTS = np.array([[0, 0], [0, 0], [0, 0], [1, 4], [5, 0], [0, 0], [2, 1], [0, 3]])


def test_each_node_is_written_once_and_shared_nodes_are_referred_to():
    notes = Notes(("height", "width"), ("small", "large"), WEIGHTS)
    assert to_text(crossed(), notes).splitlines() == [
        "node 0: height >= 0.5",
        "  yes:",
        "    node 2: width >= 0.3",
        "      yes:",
        "        node 3: height >= 0.8",
        "          yes: large (3 of 3 right)",
        "          no:  small (2 of 3 right)",
        "      no:  small (5 of 5 right)",
        "  no:",
        "    node 1: width >= 0.5",
        "      yes: large (4 of 5 right)",
        "      no:  node 3, shown above",
    ]


def test_the_constant_diagram_is_one_line():
    notes = Notes(None, ("a", "b"), np.array([[1.0, 2.5]]))
    assert to_text(DecisionDiagram.constant(1, 2, 1), notes) == "always b (2.5 of 3.5 right)"
