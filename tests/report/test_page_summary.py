"""The first sentence of the page: where branches meet again, if they do."""

import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.report import html_page
from tests.diagram.drawings import crossed


def tree():
    splits = (UnivariateSplit(0, 0.5), UnivariateSplit(1, 0.5))
    return DecisionDiagram(splits, [1, 2], [3, 3], [0, 1], 2, 2)


@pytest.mark.parametrize(("diagram", "n_shared"), [(tree(), 0), (crossed(), 1)])
def test_shared_nodes_are_counted_where_there_are_any(diagram, n_shared):
    page = html_page(diagram)
    # nothing is known of the training samples of a bare diagram
    assert "as wide as the share of the samples that takes it" in page
    assert ("branches meet again" in page) == (n_shared > 0)
    assert (f"branches meet again at {n_shared} of them" in page) == (n_shared > 0)
