import re
import shutil
import subprocess

import numpy as np
import pytest

from oddlearn import export_dot
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import Notes
from oddlearn.diagram.splits import UnivariateSplit
from tests.export.examples import drawn


@pytest.mark.parametrize("seed", range(5))
def test_every_node_arc_and_end_is_there(seed):
    diagram, notes, X = drawn(seed)
    text = export_dot(diagram, notes, X)
    assert re.findall(r"^  n(\d+) \[", text, re.M) == [str(node) for node in range(diagram.n_nodes)]
    arcs = re.findall(r"^  n(\d+) -> (n|end)(\d+) ", text, re.M)
    ends = np.column_stack([diagram.negative, diagram.positive]).ravel()
    for arc, (start, kind, end) in enumerate(arcs):
        assert start == str(arc // 2)
        assert (kind, end) == (("n", str(ends[arc])) if diagram.arc_class[arc] < 0 else ("end", str(arc)))
    assert len(arcs) == diagram.n_arcs


def test_quotes_and_backslashes_do_not_end_a_label():
    splits = (UnivariateSplit(0, 0.5), UnivariateSplit(1, 0.5))
    diagram = DecisionDiagram(splits, [1, 2], [3, 3], [0, 1], 2, 2)
    text = export_dot(diagram, Notes(('say "x"', "back\\"), ("a", "b"), np.zeros((4, 2))))
    assert r'n0 [label="say \"x\" >= 0.5\nnode 0"' in text
    assert r'n1 [label="back\\ >= 0.5\nnode 1"' in text


def test_the_constant_diagram_is_one_box():
    text = export_dot(DecisionDiagram.constant(1, 2, 1), Notes(None, ("a", "b"), np.array([[1, 2]])))
    assert "->" not in text
    assert "2 of 3 right" in text


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it():
    diagram, notes, X = drawn(2)
    text = export_dot(diagram, notes, X)
    done = subprocess.run(["dot", "-Tsvg"], input=text, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count('class="edge"') == diagram.n_arcs
