"""Splits of two columns in their plane: points, line, and pictures of them."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from oddlearn import OptimalDecisionDiagramClassifier, plot_diagram
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.view.inputs import model_view
from oddlearn.view.predictions import predict_rows
from oddlearn.view.split_plane import build_planes


def drawn(*weights, threshold=1.0):
    arcs = (np.array([1]), np.array([2]), np.array([0]))
    diagram = DecisionDiagram((MultivariateSplit(np.array(weights), threshold),), *arcs, 2, len(weights))
    metadata = ModelMetadata(tuple("abc"), ("no", "yes"), np.ones((2, 2)))
    X = np.random.default_rng(0).random((60, len(weights)))
    view = model_view(diagram, metadata)
    return build_planes(view, predict_rows(diagram, ("no", "yes"), X))[0], X


def test_the_line_ends_on_the_edges_where_both_sides_are_equal():
    plane, X = drawn(2.0, 0.0, -1.0, threshold=0.5)
    assert plane.names == ("a", "c")
    assert np.allclose(plane.line @ [2.0, -1.0], 0.5)
    shares = plane.to_shares(plane.line)
    assert (np.isclose(shares, 0) | np.isclose(shares, 1)).any(axis=1).all()
    assert len(plane.points) == len(X) and (plane.points >= plane.low).all()


def test_a_line_outside_and_other_numbers_of_terms_have_none():
    assert drawn(1.0, 0.0, 1.0, threshold=9.0)[0].line is None
    assert drawn(1.0, 0.0, 0.0)[0] is None and drawn(1.0, 1.0, 1.0)[0] is None


def test_the_diagram_is_drawn_with_a_panel_for_each_node():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = load_wine(return_X_y=True)
    options = {"split": "multivariate", "max_iter": 20, "random_state": 0}
    model = OptimalDecisionDiagramClassifier("1-2", max_terms=2, **options).fit(X, y)
    n_panels = sum((split.weights != 0).sum() == 2 for split in model.diagram_.splits)
    axes = plot_diagram(model, X=X, y=y, planes=True)
    assert n_panels and len(axes.figure.axes) == 1 + n_panels
    with pytest.raises(InvalidInputError, match="give X"):
        plot_diagram(model, planes=True)
    one_column = OptimalDecisionDiagramClassifier("1-2", max_iter=5, random_state=0).fit(X, y)
    with pytest.raises(InvalidInputError, match="No node compares two columns: train with max_terms=2"):
        plot_diagram(one_column, X=X, planes=True)
