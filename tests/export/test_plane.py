"""The map of a diagram on two features: its regions are those of the predictions."""

from xml.etree import ElementTree

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, export_plane
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.export.plane import list_regions, round_numbers

BOX = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]


def contains(polygon, point):
    """Return True if a point is inside a convex polygon whose corners turn left."""
    corners = np.array(polygon)
    edges = np.roll(corners, -1, axis=0) - corners
    offset = point - corners
    return bool((edges[:, 0] * offset[:, 1] - edges[:, 1] * offset[:, 0] >= -1e-12).all())


def fitted(split):
    X = np.random.default_rng(0).uniform(size=(60, 2))
    y = (X[:, 0] + X[:, 1] > 0.8) & (X[:, 0] - X[:, 1] < 0.4)
    options = {"max_iter": 50, "exact": None, "random_state": 0, "node_price": 0.001}
    return OptimalDecisionDiagramClassifier("1-2-3", split=split, **options).fit(X, y), X, y


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_every_point_lies_in_the_region_of_its_prediction(split):
    model, _, _ = fitted(split)
    regions = list(list_regions(model.diagram_, BOX))
    assert model.n_nodes_ > 1
    for point in np.random.default_rng(1).uniform(size=(50, 2)):
        found = {code for code, polygon in regions if contains(polygon, point)}
        assert found == {int(model.diagram_.predict(point[None])[0])}


def test_rows_are_points_and_those_predicted_wrongly_are_crosses():
    model, X, y = fitted("multivariate")
    n_wrong = int((model.predict(X) != y).sum())
    tags = [element.tag.split("}")[1] for element in ElementTree.fromstring(export_plane(model, X, y)).iter()]
    # the legend has a point for each class and a cross
    assert (tags.count("circle"), tags.count("path")) == (len(X) - n_wrong + 2, n_wrong + 1)


def test_a_constant_has_one_region():
    assert list(list_regions(DecisionDiagram.constant(1, 2, 2), BOX)) == [(1, BOX)]


def test_a_model_of_three_features_is_refused():
    X = np.random.default_rng(0).uniform(size=(30, 3))
    model = OptimalDecisionDiagramClassifier("1", max_iter=5, exact=None).fit(X, X[:, 0] > 0.5)
    with pytest.raises(InvalidInputError, match="two features, this one has 3"):
        export_plane(model, X)


def test_the_numbers_along_an_axis_are_round():
    assert round_numbers(-3.79, 104) == [0, 20, 40, 60, 80, 100]
    assert round_numbers(4.1, 31) == [5, 10, 15, 20, 25, 30]
    assert round_numbers(0.001, 0.0052) == [0.001, 0.002, 0.003, 0.004, 0.005]


def test_numbers_along_the_axes_stand_where_rows_of_these_values_do():
    stump = DecisionDiagram((UnivariateSplit(0, 5.0),), [1], [2], [0], 2, 2)
    X = [[0.0, 0.0], [10.0, 1000.0]]
    elements = list(ElementTree.fromstring(export_plane(stump, X)).iter())
    points = [(float(one.get("cx")), float(one.get("cy"))) for one in elements if one.tag.endswith("circle")]
    texts = {(one.text, one.get("text-anchor")): one for one in elements if one.get("class") == "small"}
    for (x, y), number in zip(points[:2], ("0", "10"), strict=True):
        assert float(texts[number, "middle"].get("x")) == pytest.approx(x, abs=0.6)
        assert float(texts[number.replace("10", "1000"), "end"].get("y")) == pytest.approx(y + 4, abs=0.6)
